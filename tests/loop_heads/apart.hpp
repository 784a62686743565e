#pragma once
// Heads tried in processes of their own, which may crash or hang.

#include <functional>
#include <vector>

#include "tests/loop_heads/trial.hpp"

namespace lockstep::test {

/// Tells `told` for each of `numbers`, in their order, what came of that head.
void try_apart(const std::vector<Head>& heads, const std::vector<std::size_t>& numbers,
               const std::function<void(std::size_t number, const HeadAnswer&)>& told);

}  // namespace lockstep::test
