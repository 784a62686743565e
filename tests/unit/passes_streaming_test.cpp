// The streaming option: where arrays stay in memory, where they must not, and that the result has the same bits.

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/infreg_evaluate.hpp"
#include "tests/unit/lowered.hpp"

using namespace lockstep;

namespace {

constexpr unsigned wg_size = 4;
constexpr std::uint64_t groups = 3;

struct Counted {
  int loads = 0;
  int stores = 0;
  bool operator==(const Counted&) const = default;
};

Counted counted(const infreg::Kernel& kernel) {
  Counted result;
  for (const infreg::Region& region : kernel.regions) {
    for (const infreg::Operation& operation : region.operations) {
      result.loads += std::holds_alternative<infreg::Load>(operation.node) ? 1 : 0;
      result.stores += std::holds_alternative<infreg::Store>(operation.node) ? 1 : 0;
    }
  }
  return result;
}

/// What the kernel leaves in its buffers; `shared`: both parameters get one buffer.
std::vector<std::vector<double>> left(const infreg::Kernel& kernel, bool shared) {
  std::vector<infreg::Buffer> memory;
  std::vector<Argument> arguments;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    std::vector<double> numbers;
    for (int k = 0; k < 64; ++k) {
      numbers.push_back(1.0 + (k * 37 + static_cast<int>(i) * 11) % 23);
    }
    memory.push_back(infreg::sketch::buffer_of(ScalarType::Double, numbers));
    arguments.emplace_back(BufferNumber{shared ? 0 : i});
  }
  infreg::EvaluateOptions options;
  options.groups = groups;
  REQUIRE(std::holds_alternative<infreg::Finished>(infreg::sketch::run(kernel, arguments, memory, options).outcome.end));
  std::vector<std::vector<double>> result;
  for (const infreg::Buffer& buffer : memory) {
    result.push_back(infreg::sketch::numbers_of<double>(buffer));
  }
  return result;
}

/// Whether the option changes the kernel; the results must be the same in any case.
bool is_streamed(const std::string& text) {
  bool streamed = false;
  for (const unsigned wg_pack : {1U, 2U}) {
    const infreg::Kernel plain = test::lowered(text, wg_size, {.wg_pack = wg_pack, .verify_each = true});
    const infreg::Kernel other = test::lowered(text, wg_size, {.wg_pack = wg_pack, .verify_each = true, .streaming = true});
    for (const bool shared : {false, true}) {
      CHECK(left(plain, shared) == left(other, shared));
    }
    streamed = counted(other).loads + counted(other).stores > counted(plain).loads + counted(plain).stores;
  }
  return streamed;
}

const std::string head =
    "kernel void k(global double *a, global double *b) {\n  double t[4], u[4];\n  const size_t l = get_local_id();\n"
    "  const size_t row = get_group_id() * 16 + l * 4;\n";

}  // namespace

TEST_CASE("passes streaming: what is updated is written back at once", "[passes]") {
  // LDUS, without its last step
  CHECK(is_streamed(head + "  for (int j = 0; j < 4; j++) t[j] = a[row + j];\n"
                           "  for (int s = 0; s < 4; s++) {\n"
                           "    for (int j = s; j < 4; j++) u[j] = shuffle(t[j], s);\n"
                           "    if (l > s) t[s] = t[s] / u[s];\n"
                           "    for (int j = s + 1; j < 4; j++) if (l > s) t[j] = t[j] - t[s] * u[j];\n  }\n"
                           "  for (int j = 0; j < 4; j++) a[row + j] = t[j];\n}\n"));
}

TEST_CASE("passes streaming: what is only read is loaded at each access", "[passes]") {
  const std::string text = head +
                           "  for (int j = 0; j < 4; j++) t[j] = a[row + j];\n  double x = b[row];\n"
                           "  for (int s = 0; s < 4; s++) { x = x - t[s] * shuffle(x, s); }\n";
  CHECK(is_streamed(text + "  b[row] = x;\n}\n"));
  // What is stored meanwhile may be in the same buffer.
  CHECK_FALSE(is_streamed(text + "  b[row] = x;\n  b[row + 1] = t[3] + t[2];\n}\n"));
}

TEST_CASE("passes streaming: arrays that must stay arrays", "[passes]") {
  const std::string fill = head + "  for (int j = 0; j < 4; j++) t[j] = a[row + j];\n";
  const std::string change = "  for (int s = 1; s < 4; s++) t[s] = t[s] + t[s - 1];\n";
  const std::string save = "  for (int j = 0; j < 4; j++) a[row + j] = t[j];\n";
  CHECK(is_streamed(fill + change + save + "}\n"));
  // It is never stored back, or elsewhere.
  CHECK_FALSE(is_streamed(fill + change + "  b[row] = t[3];\n}\n"));
  CHECK_FALSE(is_streamed(fill + change + "  for (int j = 0; j < 4; j++) b[row + j] = t[j];\n}\n"));
  // Somebody reads the buffer after the first change, perhaps under another name.
  CHECK_FALSE(is_streamed(fill + change + "  double x = b[row + 1];\n" + save + "  b[row] = x;\n}\n"));
  // Two arrays from the same cells: the second one must not see what the first one changes.
  const std::string twice = head + "  for (int j = 0; j < 4; j++) { t[j] = a[row + j]; u[j] = a[row + j]; }\n";
  is_streamed(twice + change + "  for (int s = 1; s < 4; s++) t[s] = t[s] * u[s - 1];\n" + save + "}\n");
  // Items that share cells.
  CHECK_FALSE(
      is_streamed("kernel void k(global double *a, global double *b) {\n  double t[4];\n  const size_t l = get_local_id();\n"
                  "  for (int j = 0; j < 4; j++) t[j] = a[l + j];\n" +
                  change + "  for (int j = 0; j < 4; j++) a[l + j] = t[j];\n}\n"));
}
