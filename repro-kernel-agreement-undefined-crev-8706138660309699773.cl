// property: kernel-agreement-undefined-crev
// salt: 8706138660309699773
// wg_size: 2
// groups: 1
// contract: 1
// the machine meets out-of-bounds in group 0, item 1, at 3:3: a24[get_global_id(0)], the evaluator uninitialised-variable in group 0, item 0, at 3:3: a24[get_global_id(0)]
// LOCKSTEP_REPRO=THIS_FILE kernel_property_tests asks again
// lockstep run THIS_FILE --wg-size 2 --groups 1
kernel void k() {
  uint a24[1];
  a24[get_global_id(0)];
}
