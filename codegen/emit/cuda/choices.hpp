#pragma once

namespace lockstep::emit_cuda {

/// What can be left out, to see what it brings.
struct Choices {
  bool leaving = true;    ///< threads without anything to do go
  bool deferring = true;  ///< quotients of single items are computed behind loops
  bool hoisting = true;   ///< loads that do not change stand in front of loops
  bool merging = true;    ///< choices within choices become one
  bool widening = true;   ///< elements that lie side by side in memory are moved up to 16 bytes at a time
  bool tiling = true;     ///< rows of items go through shared memory, and lanes move what lies side by side in buffers
  bool staging = true;    ///< rows go to other lanes through shared memory
  bool picking = true;    ///< what differs from lane to lane is picked from a thread's registers, and does not go through shared memory
  bool shuffling = true;  ///< lanes shuffle, and do not only hand numbers to one another through shared memory
};

}  // namespace lockstep::emit_cuda
