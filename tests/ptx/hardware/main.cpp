// ptx_hardware CASE.ptx...: runs cases of the PTX corpus on a GPU by CUDA's driver interface, and prints of each form whether the hardware
// agrees. Exit status: 0 all agree, 1 some do not, 77 there is no GPU.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/ptx/cases/case_file.hpp"
#include "tests/ptx/hardware/driver.hpp"

using namespace lockstep;
using hardware::Driver;
using ptx_cases::Case;

namespace {

/// What came of a case.
struct Answer {
  enum class Kind : std::uint8_t { Agrees, Differs, Close, Refused } kind = Kind::Agrees;
  std::string sentence;
};

std::string name_of(const Driver& driver, hardware::Result result) {
  const char* name = nullptr;
  return driver.error_name(result, &name) == 0 && name != nullptr ? name : fmt::format("error {}", result);
}

/// A kernel's arguments in the memory of the device, which is given back.
class Arguments {
 public:
  Arguments(const Driver& driver, const Case& given) : driver_(driver), given_(given), places_(given.arguments.size()) {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      const ptx_cases::Argument& argument = given.arguments[k];
      if (!argument.is_buffer) {
        places_[k] = argument.values.front();
        if (!argument.into.empty()) {
          places_[k] += places_[static_cast<std::size_t>(std::ranges::find(given.arguments, argument.into, &ptx_cases::Argument::name) -
                                                         given.arguments.begin())];
        }
        continue;
      }
      std::vector<std::byte> bytes(argument.values.size() * argument.type.bytes);
      for (std::size_t n = 0; n < argument.values.size(); ++n) {
        std::memcpy(bytes.data() + n * argument.type.bytes, &argument.values[n], argument.type.bytes);
      }
      failed_ = failed_ != 0 ? failed_ : driver_.allocate(&places_[k], std::max<std::size_t>(bytes.size(), 1));
      failed_ = failed_ != 0 ? failed_ : driver_.copy_to(places_[k], bytes.data(), bytes.size());
    }
  }
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() {
    for (std::size_t k = 0; k < places_.size(); ++k) {
      if (given_.arguments[k].is_buffer && places_[k] != 0) {
        driver_.free(places_[k]);
      }
    }
  }

  hardware::Result failed() const { return failed_; }
  std::vector<void*> pointers() {
    std::vector<void*> all;
    for (std::size_t k = 0; k < places_.size(); ++k) {
      if (given_.arguments[k].is_parameter) {
        all.push_back(&places_[k]);
      }
    }
    return all;
  }
  /// The elements of buffer `k` now.
  std::vector<std::uint64_t> elements(std::size_t k) {
    const ptx_cases::Argument& argument = given_.arguments[k];
    std::vector<std::byte> bytes(argument.values.size() * argument.type.bytes);
    failed_ = driver_.copy_from(bytes.data(), places_[k], bytes.size());
    std::vector<std::uint64_t> all(argument.values.size());
    for (std::size_t n = 0; n < all.size(); ++n) {
      std::memcpy(&all[n], bytes.data() + n * argument.type.bytes, argument.type.bytes);
    }
    return all;
  }

 private:
  const Driver& driver_;
  const Case& given_;
  std::vector<hardware::Address> places_;
  hardware::Result failed_ = 0;
};

/// How many numbers lie between two floats; 2^63 - 1 if one of them is a NaN.
std::int64_t distance(ptx_cases::ElementType type, std::uint64_t a, std::uint64_t b) {
  const unsigned width = 8 * type.bytes;
  const std::uint64_t sign = std::uint64_t{1} << (width - 1);
  const std::uint64_t infinity = width == 32 ? 0x7f800000U : 0x7ff0000000000000U;
  if ((a & (sign - 1)) > infinity || (b & (sign - 1)) > infinity) {
    return INT64_MAX;
  }
  const auto place = [&](std::uint64_t x) {
    return (x & sign) != 0 ? -static_cast<std::int64_t>(x & (sign - 1)) : static_cast<std::int64_t>(x);
  };
  return std::abs(place(a) - place(b));
}

Answer compared(const Case& given, Arguments& arguments) {
  Answer answer;
  std::int64_t most = 0;
  for (const ptx_cases::Expectation& expectation : given.expectations) {
    const auto buffer = std::ranges::find(given.arguments, expectation.name, &ptx_cases::Argument::name);
    const std::vector<std::uint64_t> found = arguments.elements(static_cast<std::size_t>(buffer - given.arguments.begin()));
    for (std::size_t k = 0; k < found.size(); ++k) {
      const ptx_cases::Expected& expected = expectation.values[k];
      if (ptx_cases::is_as_expected(buffer->type, expected, found[k])) {
        continue;
      }
      const auto* exactly = std::get_if<ptx_cases::ExpectedBits>(&expected);
      const std::int64_t apart = exactly != nullptr ? distance(buffer->type, exactly->bits, found[k]) : INT64_MAX;
      if (given.approximate && apart != INT64_MAX) {
        most = std::max(most, apart);
        answer.kind = answer.kind == Answer::Kind::Agrees ? Answer::Kind::Close : answer.kind;
        continue;
      }
      if (answer.kind != Answer::Kind::Differs) {
        answer = {Answer::Kind::Differs, fmt::format("{}[{}] is {} (0x{:x}), and not {}", expectation.name, k,
                                                     text_of(buffer->type, found[k]), found[k], text_of(buffer->type, expected))};
      }
    }
  }
  if (answer.kind == Answer::Kind::Close) {
    answer.sentence = fmt::format("up to {} units in the last place away; allowed: {}", most, *given.approximate);
  }
  return answer;
}

Answer run(const Driver& driver, const std::string& text, const Case& given) {
  std::array<char, 4096> log{};
  constexpr int log_buffer = 5;       // CU_JIT_ERROR_LOG_BUFFER
  constexpr int log_buffer_size = 6;  // CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES
  std::array<int, 2> options = {log_buffer, log_buffer_size};
  std::array<void*, 2> values = {log.data(), reinterpret_cast<void*>(log.size())};
  hardware::Module module = nullptr;
  if (const auto failed = driver.load_module(&module, text.c_str(), options.size(), options.data(), values.data()); failed != 0) {
    return {Answer::Kind::Refused, fmt::format("{}: {}", name_of(driver, failed), std::string(log.data()).substr(0, 300))};
  }
  hardware::Function function = nullptr;
  Answer answer;
  {
    Arguments arguments(driver, given);
    hardware::Result failed = arguments.failed();
    failed = failed != 0 ? failed : driver.find_function(&function, module, given.kernel.empty() ? "k" : given.kernel.c_str());
    auto pointers = arguments.pointers();
    failed = failed != 0 ? failed
                         : driver.launch(function, given.grid[0], given.grid[1], given.grid[2], given.block[0], given.block[1],
                                         given.block[2], given.shared, nullptr, pointers.data(), nullptr);
    failed = failed != 0 ? failed : driver.synchronize();
    answer = failed != 0 ? Answer{Answer::Kind::Differs, name_of(driver, failed)} : compared(given, arguments);
    if (arguments.failed() != 0) {
      answer = {Answer::Kind::Differs, name_of(driver, arguments.failed())};
    }
  }
  driver.unload_module(module);
  return answer;
}

/// The first device, and what it is called. The error is a sentence.
std::expected<std::string, std::string> use_first_device(const Driver& driver) {
  int count = 0;
  if (const auto failed = driver.init(0); failed != 0) {
    return std::unexpected("the driver does not begin: " + name_of(driver, failed));
  }
  hardware::Device device = 0;
  hardware::Context context = nullptr;
  if (driver.device_count(&count) != 0 || count == 0 || driver.device(&device, 0) != 0 || driver.retain_context(&context, device) != 0 ||
      driver.set_context(context) != 0) {
    return std::unexpected("there is no device that can be used");
  }
  std::array<char, 128> name{};
  int version = 0;
  int major = 0;
  int minor = 0;
  driver.device_name(name.data(), static_cast<int>(name.size()), device);
  driver.driver_version(&version);
  driver.device_attribute(&major, 75, device);  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
  driver.device_attribute(&minor, 76, device);  // and _MINOR
  return fmt::format("{}, sm_{}{}, driver for CUDA {}.{}", name.data(), major, minor, version / 1000, version % 1000 / 10);
}

}  // namespace

int main(int argc, char** argv) {
  const auto driver = hardware::open_driver();
  const auto device = driver ? use_first_device(*driver) : std::unexpected(driver.error());
  if (!device) {
    fmt::print("skipped: {}\n", device.error());
    return 77;
  }
  fmt::print("{}\n", *device);
  constexpr std::array<const char*, 4> words = {"agrees", "DIFFERS", "close", "refused"};
  std::array<unsigned, 4> counts{};
  for (int k = 1; k < argc; ++k) {
    std::ifstream stream(argv[k], std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    const auto given = ptx_cases::parse_case(text.str());
    if (!given) {
      fmt::print("{}:{}: {}\n", argv[k], given.error().line, given.error().sentence);
      return 2;
    }
    const Answer answer = run(*driver, text.str(), *given);
    ++counts[static_cast<std::size_t>(answer.kind)];
    for (const std::string& form : given->forms) {
      fmt::print("{:<28} {:<8} {}\n", form, words[static_cast<std::size_t>(answer.kind)], answer.sentence);
    }
    std::fflush(stdout);
  }
  fmt::print("{} agree, {} differ, {} are close, {} are refused by the driver\n", counts[0], counts[1], counts[2], counts[3]);
  return counts[1] == 0 ? 0 : 1;
}
