// Each vector intrinsic of clang, compiled and run, against its reference: all vector lengths that differ, masks of every kind, what is
// masked off or beyond the length.

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <optional>
#include <utility>

#include "tests/ve/trial.hpp"

namespace lockstep::test {

namespace {

constexpr auto lengths = std::to_array<unsigned>({0, 1, 63, 64, 100, 255, 256});
constexpr std::size_t functions_per_object = 24;

/// The bits of element i that a mask of eight words has.
std::uint64_t written_by(const Elements& mask, unsigned i) {
  return (has(mask, i) ? 0xffffffff00000000U : 0U) | (has(mask, i, 4) ? 0xffffffffU : 0U);
}

/// Works element by element, by references().
void try_elements(Trial& trial) {
  const Reference& reference = references().at(trial.intrinsic().stem);
  const Form form = form_of(trial.intrinsic(), reference.count);
  std::array<Elements, 3> values = {Elements(all), Elements(all), Elements(all)};
  for (unsigned k = 0; k < reference.count; ++k) {
    values.at(k) = trial.operand(form.operands[k], reference.values, k == 1);
  }
  const Elements mask = trial.mask(form.mask);
  const Elements before = form.pass_through ? trial.operand('v') : Elements(all);
  const unsigned compared = form.pass_through ? all : trial.length();
  const Elements after = trial.run(compared);
  for (unsigned i = 0; i < compared; ++i) {
    const std::uint64_t written = i < trial.length() ? written_by(mask, i) : 0;
    const std::uint64_t made = reference.value(values[0][i], values[1][i], values[2][i]);
    trial.expect(written == 0 ? Compared::Bits : reference.compared, i, after[i], (made & written) | (before[i] & ~written));
  }
}

void try_reduction(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const ReducedReference& reference = reduced_references().at(stem);
  const Form form = form_of(trial.intrinsic(), 1);
  const Elements values = trial.operand('v');
  const Elements mask = trial.mask(form.mask);
  const Elements before = form.pass_through ? trial.operand('v') : Elements(all);
  std::optional<std::uint64_t> expected;
  for (unsigned i = 0; i < trial.length(); ++i) {
    if (has(mask, i)) {
      const bool adds = stem.starts_with("vsum");
      const bool keeps = stem.starts_with("vfsum") || stem == "vrxor";
      expected = expected ? reference.value(*expected, values[i]) : keeps ? values[i] : reference.value(values[i], adds ? 0 : values[i]);
    }
  }
  if (!expected) {
    return;  // there is no result
  }
  const bool single = stem == "vfsums" || stem.starts_with("vfrmaxs") || stem.starts_with("vfrmins");
  const unsigned compared = form.pass_through ? all : 1;
  const Elements after = trial.run(compared);
  trial.expect(reference.compared, 0, after[0], single ? *expected & 0xffffffff00000000U : *expected);
  for (unsigned i = 1; i < compared; ++i) {
    trial.expect(Compared::Bits, i, after[i], before[i]);
  }
}

/// Elements that change their places: from where element i comes, or nothing.
void try_move(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const bool moves = stem == "vmv";
  const Form form = form_of(trial.intrinsic(), moves ? 2 : 1);
  const std::uint64_t distance = moves ? trial.operand('s')[0] : 0;
  const Elements values = trial.operand('v');
  const Elements mask = trial.mask(form.mask);
  const Elements before = form.pass_through ? trial.operand('v') : Elements(all);
  Elements expected = before;
  unsigned next = 0;
  for (unsigned i = 0; i < trial.length(); ++i) {
    const auto from = static_cast<unsigned>((i + distance) % all);
    if (moves && has(mask, from)) {
      expected[i] = values[from];
    } else if (stem == "vcp" && has(mask, i)) {
      expected[next++] = values[i];
    } else if (stem == "vex" && has(mask, i)) {
      expected[i] = values[next++];
    }
  }
  const unsigned compared = form.pass_through ? all : trial.length();
  const Elements after = trial.run(compared);
  for (unsigned i = 0; i < compared; ++i) {
    trial.expect(Compared::Bits, i, after[i], expected[i]);
  }
}

void try_merge(Trial& trial) {
  const Form form = form_of(trial.intrinsic(), 2);
  Elements y = trial.operand(form.operands[0]);
  if (trial.intrinsic().stem == "vmrgw" && form.operands[0] == 's') {
    y.assign(all, y[0] & 0xffffffffU);  // clang takes an unsigned int
  }
  const Elements z = trial.operand('v');
  const Elements mask = trial.mask(form.mask);
  const Elements before = form.pass_through ? trial.operand('v') : Elements(all);
  const unsigned compared = form.pass_through ? all : trial.length();
  const Elements after = trial.run(compared);
  for (unsigned i = 0; i < compared; ++i) {
    const std::uint64_t second = written_by(mask, i);
    trial.expect(Compared::Bits, i, after[i], i < trial.length() ? (z[i] & second) | (y[i] & ~second) : before[i]);
  }
}

void try_sequence(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const Form form = form_of(trial.intrinsic(), 0);
  const Elements before = form.pass_through ? trial.operand('v') : Elements(all);
  const unsigned compared = form.pass_through ? all : trial.length();
  const Elements after = trial.run(compared);
  for (std::uint64_t i = 0; i < compared; ++i) {
    const std::uint64_t made = stem == "pvseq" ? i + (i << 32U) : stem == "pvsequp" ? i << 32U : i;
    trial.expect(Compared::Bits, static_cast<unsigned>(i), after[i], i < trial.length() ? made : before[i]);
  }
}

/// What a condition looks at: "vfmkdgt" is 64-bit floats and "gt".
struct Asked {
  std::vector<std::pair<std::size_t, char>> halves;  ///< first word of the mask, and what is looked at
  std::string condition;
};
Asked asked_by(const std::string& stem) {
  const bool packed = stem.starts_with("pvfmk");
  std::string rest = stem.substr(packed ? 5 : 4);
  const char type = rest.front();
  rest.erase(0, 1);
  if (rest == "t" || rest == "f") {  // at, af: nothing is looked at
    return {{{0, ' '}, {4, ' '}}, stem.substr(stem.size() - 2)};
  }
  if (!packed) {
    const char field = type == 's' ? 'S' : type;  // S: a float in the upper half
    return {{{0, type == 'l' && (rest == "at" || rest == "af") ? ' ' : field}}, rest};
  }
  const bool upper_only = rest.starts_with("up");
  const bool lower_only = rest.starts_with("lo");
  if (upper_only || lower_only) {
    rest.erase(0, 2);
  }
  const char up = type == 's' ? 'S' : 'W';
  const char low = type == 's' ? 's' : 'w';
  if (upper_only || lower_only) {
    return {{{0, upper_only ? up : low}}, rest};
  }
  return {{{0, up}, {4, low}}, rest};
}

double looked_at(char field, std::uint64_t element) {
  const auto word = static_cast<std::uint32_t>(field == 'S' || field == 'W' ? element >> 32U : element);
  float f = 0;
  double d = 0;
  switch (field) {
    case 'd':
      std::memcpy(&d, &element, sizeof d);
      return d;
    case 'l': {  // the sign only: a double has no 64 bits
      const auto number = static_cast<std::int64_t>(element);
      return number > 0 ? 1 : number < 0 ? -1 : 0;
    }
    case 'S':
    case 's':
      std::memcpy(&f, &word, sizeof f);
      return double{f};
    default:
      return static_cast<std::int32_t>(word);
  }
}

void try_form_mask(Trial& trial) {
  const Asked asked = asked_by(trial.intrinsic().stem);
  const bool constant = asked.halves[0].second == ' ';
  const Form form = form_of(trial.intrinsic(), constant ? 0 : 1);
  const Elements values = constant ? Elements(all) : trial.operand('v');
  const Elements mask = trial.mask(form.mask);
  const Elements after = trial.run(0);
  for (const auto& [first, field] : asked.halves) {
    if (first == 4 && form.result == 'm') {
      continue;
    }
    for (unsigned i = 0; i < all; ++i) {
      const bool holds = constant ? asked.condition == "at" : compares(asked.condition, looked_at(field, values[i]));
      trial.expect(Compared::Bits, i, has(after, i, first) ? 1 : 0, i < trial.length() && has(mask, i, first) && holds ? 1 : 0);
    }
  }
}

void try_mask_logic(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const char letter = trial.intrinsic().letters.front();
  const Elements y = trial.mask(letter);
  const Elements z = stem == "negm" ? Elements(8) : trial.mask(letter);
  const Elements after = trial.run(0);
  for (const std::size_t first : {std::size_t{0}, std::size_t{4}}) {
    for (unsigned i = 0; i < trial.length() && (first == 0 || letter == 'M'); ++i) {
      const bool a = has(y, i, first);
      const bool b = has(z, i, first);
      const bool made = stem == "andm"   ? a && b
                        : stem == "orm"  ? a || b
                        : stem == "xorm" ? a != b
                        : stem == "eqvm" ? a == b
                        : stem == "nndm" ? !a && b
                                         : !a;
      trial.expect(Compared::Bits, i, has(after, i, first) ? 1 : 0, made ? 1 : 0);
    }
  }
}

void try_mask_count(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const Elements mask = trial.mask('m');
  unsigned count = 0;
  unsigned first = trial.length();
  std::optional<unsigned> last;
  for (unsigned i = trial.length(); i-- > 0;) {
    if (has(mask, i)) {
      ++count;
      first = i;
      last = last ? last : i;
    }
  }
  if (stem == "tovm" && !last) {
    return;  // there is no last one
  }
  trial.expect(Compared::Bits, 0, trial.run(0)[0], stem == "pcvm" ? count : stem == "lzvm" ? first : last.value_or(0));
}

void try_single_element(Trial& trial) {
  const std::string& stem = trial.intrinsic().stem;
  const Elements values = trial.operand('v');
  const auto i = static_cast<unsigned>(trial.source()() % all);
  trial.number(i);
  if (stem == "lsv") {
    const std::uint64_t number = trial.source().any();
    trial.number(number);
    const Elements after = trial.run(all);
    for (unsigned k = 0; k < all; ++k) {
      trial.expect(Compared::Bits, k, after[k], k == i ? number : values[k]);
    }
    return;
  }
  trial.expect(Compared::Bits, i, trial.run(0)[0], stem == "lvss" ? values[i] & 0xffffffff00000000U : values[i]);
}

using Try = void (*)(Trial& trial);

/// How an intrinsic is tested; null: not here.
Try try_of(const Intrinsic& intrinsic) {
  const std::string& stem = intrinsic.stem;
  const auto is = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return stem == name; });
  };
  return references().contains(stem)                             ? try_elements
         : reduced_references().contains(stem)                   ? try_reduction
         : is({"vmv", "vcp", "vex"})                             ? try_move
         : is({"vmrg", "vmrgw"})                                 ? try_merge
         : is({"vseq", "pvseq", "pvseqlo", "pvsequp"})           ? try_sequence
         : stem.starts_with("vfmk") || stem.starts_with("pvfmk") ? try_form_mask
         : is({"andm", "orm", "xorm", "eqvm", "nndm", "negm"})   ? try_mask_logic
         : is({"pcvm", "lzvm", "tovm"})                          ? try_mask_count
         : is({"lsv", "lvsl", "lvsd", "lvss"})                   ? try_single_element
                                                                 : nullptr;
}

/// Memory (memory_test.cpp), masks' words (every wrapper), and what the machine has not: communication registers, and fences that clang 19
/// cannot select.
bool is_elsewhere(const std::string& stem) {
  return stem.starts_with("vld") || stem.starts_with("vst") || stem.starts_with("vgt") || stem.starts_with("vsc") ||
         stem.starts_with("pfchv") || stem.starts_with("fence") || stem == "svob" || stem == "lvm" || stem == "svm" || stem == "lcr" ||
         stem == "scr" || stem == "tscr" || stem == "fidcr";
}

void try_all(const std::vector<Intrinsic>& some, std::uint64_t seed) {
  std::string text(wrapper_head);
  const auto has_scalar = [](const Intrinsic& intrinsic) { return intrinsic.letters.find('s', 1) != std::string::npos; };
  const auto with_literal = [&](const Intrinsic& intrinsic) {
    return has_scalar(intrinsic) && try_of(intrinsic) != try_single_element && intrinsic.stem != "vmrgw";
  };
  for (const Intrinsic& intrinsic : some) {
    text += wrapper(intrinsic);
    text += with_literal(intrinsic) ? wrapper(intrinsic, literal_number) : "";
  }
  const ve::Object object = object_of(text);
  Source source(seed);
  for (const Intrinsic& intrinsic : some) {
    for (const unsigned length : lengths) {
      for (const bool literal : {false, true}) {
        const bool floats = intrinsic.stem.starts_with("vf") || intrinsic.stem == "vbrdd" || intrinsic.stem == "vbrds";
        if (literal && (!with_literal(intrinsic) || floats)) {
          continue;
        }
        Trial trial(object, intrinsic, source, length, literal);
        try_of(intrinsic)(trial);
      }
    }
  }
}

}  // namespace

TEST_CASE("each vector intrinsic of clang does what its reference says", "[ve]") {
  if (!has_clang()) {
    return;
  }
  std::vector<Intrinsic> some;
  std::size_t tried = 0;
  std::uint64_t seed = 1;
  for (const Intrinsic& intrinsic : header_intrinsics()) {
    if (try_of(intrinsic) == nullptr) {
      CAPTURE(intrinsic.name());
      REQUIRE(is_elsewhere(intrinsic.stem));
      continue;
    }
    ++tried;
    some.push_back(intrinsic);
    if (some.size() == functions_per_object) {
      try_all(some, seed++);
      some.clear();
    }
  }
  try_all(some, seed);
  CHECK(tried > 1000);
}

}  // namespace lockstep::test
