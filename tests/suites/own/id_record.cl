// Who is who in three dimensions.
__kernel void id_record(__global int *record) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  const int i = (z * (int)get_global_size(1) + y) * (int)get_global_size(0) + x;
  int code = get_group_id(0) + 10 * get_group_id(1) + 100 * get_group_id(2);
  code = code * 1000 + get_local_id(0) + 10 * get_local_id(1) + 100 * get_local_id(2);
  record[i] = code + (get_num_groups(0) == get_global_size(0) / get_local_size(0) ? 0 : 1000000) * (int)get_work_dim();
}
