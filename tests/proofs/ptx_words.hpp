#pragma once
// The prover's numbers as a word domain of PTX's operations (semantics/ptx/operations/words.hpp).

#include "semantics/prove/value_term.hpp"
#include "semantics/ptx/operations/words.hpp"

namespace lockstep::prove {

template <class To, class T>
To as_word(const Number<T>& a) {
  using Machine = typename ptx::operations::WordTypes<To>::machine;
  return {convert(scalar_type_of<Machine>, a.value)};
}

}  // namespace lockstep::prove

namespace lockstep::ptx::operations {

template <class T>
struct WordTypes<prove::Number<T>> {
  using machine = T;
  template <class To>
  using of = prove::Number<To>;
};

}  // namespace lockstep::ptx::operations
