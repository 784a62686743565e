// A machine with a stack, whose program lies in constant memory: switch in do-while.
enum { PUSH, ADD, MUL, SUB, DUP, SWAP, JUMP_POSITIVE, HALT };

__constant int bonus[] = {PUSH, HALT, SWAP, DUP};

__kernel void byte_code(__global const int *inputs, __constant int *code, __global int *results, __global int *steps) {
  int i = get_global_id(0);
  int stack[8];
  int top = 0, pc = 0, count = 0, running = 1;
  stack[top++] = inputs[i];
  do {
    ++count;
    int t;
    switch (code[pc++]) {
      case PUSH:
        stack[top++] = code[pc++];
        break;
      case ADD:
        --top;
        stack[top - 1] += stack[top];
        break;
      case MUL:
        --top;
        stack[top - 1] *= stack[top];
        break;
      case SUB:
        --top;
        stack[top - 1] -= stack[top];
        break;
      case DUP:
        stack[top] = stack[top - 1];
        ++top;
        break;
      case SWAP:
        t = stack[top - 1];
        stack[top - 1] = stack[top - 2];
        stack[top - 2] = t;
        break;
      case JUMP_POSITIVE:
        pc = stack[top - 1] > 0 ? code[pc] : pc + 1;
        break;
      case HALT:
      default:
        running = 0;
    }
  } while (running && count < 1000);
  results[i] = stack[top - 1] + bonus[i & 3];
  steps[i] = count;
}
