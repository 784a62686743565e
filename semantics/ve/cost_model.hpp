#pragma once
// What is assumed of a core of VE 10B: the figures of the model of its time (docs/ve-model.md), for the VE machine, which counts what it
// executes by them, and for what makes code for it.

namespace lockstep::ve::cost_model {

inline constexpr double clock = 1.4e9;                       ///< cycles a second
inline constexpr unsigned lanes = 32;                        ///< of a pipe: a full vector takes it 8 cycles
inline constexpr double float_pipes = 3;                     ///< additions, products, fused ones
inline constexpr double integer_pipes = 2;                   ///< integers, moves, masks
inline constexpr double divide_pipes = 1;                    ///< quotients and square roots
inline constexpr double memory_bytes = 1.22e12 / 8 / clock;  ///< a cycle, between memory and a core, if all eight take as much
inline constexpr unsigned line = 128;                        ///< bytes that come from memory together
inline constexpr double steps = 4;                           ///< instructions that begin in a cycle
inline constexpr double vector_steps = 1;                    ///< of them on vectors
inline constexpr double length_change = 1;                   ///< cycles for another vector length
inline constexpr double gather_element = 0.2;                ///< cycles for an element that lies anywhere; see the page
/// Cycles until the next instruction can have a result, of a scalar and of the first elements of a vector.
inline constexpr double scalar_latency = 1;
inline constexpr double vector_latency = 8;
inline constexpr double divide_latency = 32;
inline constexpr double load_latency = 100;

}  // namespace lockstep::ve::cost_model
