// g++ 12.2 -fwrapv, at any level, computes a / -((b & 7) + 1): ends with a floating-point exception; right is -2147483648 (docs/found.md).
#include <limits.h>
#include <stdio.h>
__attribute__((noinline)) int negated_quotient(int a, int b) { return -(a / ((b & 7) + 1)); }
int main(void) { printf("%d\n", negated_quotient(INT_MIN, 0)); }
