// Whatever can be read as an object file for VE runs to an end, a fault or a limit, or is refused.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "interpreter/ve/launch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace lockstep;
  static const auto decoder = ve::Decoder::make();
  if (!decoder) {
    std::abort();
  }
  const auto object = ve::read_object("fuzz.o", std::string_view(reinterpret_cast<const char*>(data), size), std::uint64_t{1} << 22);
  if (!object) {
    return 0;
  }
  const std::vector<const ve::Symbol*> functions = ve::functions_of(*object);
  if (functions.empty()) {
    return 0;
  }
  ve_machine::Arguments arguments;
  arguments.values = {BufferNumber{0}, BufferNumber{0, 8}, std::uint64_t{7}, std::uint64_t{0x4000000000000000}};
  arguments.buffers = {{ScalarType::Double, 64, std::vector<std::byte>(512), {64}, {}}};
  const auto outcome = ve_machine::run(*object, *decoder, *functions.front(), arguments, {500, std::size_t{1} << 13});
  if (outcome && outcome->fault && ve_machine::render(*object, *decoder, *outcome->fault).empty()) {
    std::abort();
  }
  return 0;
}
