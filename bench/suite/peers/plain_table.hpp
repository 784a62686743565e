#pragma once
// How the plain loops are found that each compiler has made.

#include <cstddef>

/// Solves problems first to last - 1 of `batch`; the arrays are the kernel's pointers in the order of its parameters.
using PlainRun = void (*)(void* const* arrays, std::size_t first, std::size_t last, std::size_t batch);

enum class PlainForm { Loops, Lanes, Blocks };

// `kernel` is the number of a KernelId, n the rows of a matrix or 0. Only ENUM has Blocks. Never null.
PlainRun lockstep_plain_gcc(int kernel, PlainForm form, unsigned n, bool is_double);
PlainRun lockstep_plain_clang(int kernel, PlainForm form, unsigned n, bool is_double);
