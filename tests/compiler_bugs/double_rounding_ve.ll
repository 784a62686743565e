define float @converted(i64 %x) {
  %result = sitofp i64 %x to float
  ret float %result
}
