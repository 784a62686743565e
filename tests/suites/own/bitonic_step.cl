// One exchange of a sort of all numbers in global memory.
__kernel void bitonic_step(__global int *theArray, const uint stage, const uint passOfStage, const uint direction) {
  uint sortIncreasing = direction;
  uint threadId = get_global_id(0);
  uint pairDistance = 1 << (stage - passOfStage);
  uint blockWidth = 2 * pairDistance;
  uint leftId = (threadId % pairDistance) + (threadId / pairDistance) * blockWidth;
  uint rightId = leftId + pairDistance;
  int leftElement = theArray[leftId];
  int rightElement = theArray[rightId];
  uint sameDirectionBlockWidth = 1 << stage;
  if ((threadId / sameDirectionBlockWidth) % 2 == 1) sortIncreasing = 1 - sortIncreasing;
  int greater = max(leftElement, rightElement), lesser = min(leftElement, rightElement);
  theArray[leftId] = sortIncreasing ? lesser : greater;
  theArray[rightId] = sortIncreasing ? greater : lesser;
}
