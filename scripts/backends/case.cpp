#include "scripts/backends/case.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <system_error>

namespace backend {

namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    throw std::runtime_error(path + " cannot be read");
  }
  return text;
}

/// Of a .npy file in format 1.0: magic (6 bytes), version (2), length of the rest of the header (2, little-endian).
std::size_t header_size(const std::string& npy) {
  constexpr std::size_t fixed = 10;
  if (npy.size() < fixed || !npy.starts_with("\x93NUMPY") || npy[6] != 1) {
    throw std::runtime_error("an input is no .npy file of format 1.0");
  }
  const std::size_t size = fixed + static_cast<unsigned char>(npy[8]) + 256 * static_cast<unsigned char>(npy[9]);
  if (npy.size() < size) {
    throw std::runtime_error("an input is cut short");
  }
  return size;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  path_ = (std::filesystem::temp_directory_path() / "lockstep-backend-XXXXXX").string();
  if (mkdtemp(path_.data()) == nullptr) {
    throw std::runtime_error(path_ + ": no folder can be made: " + std::strerror(errno));
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

Command read_command(int argc, char** argv, const std::string& option_name, const std::string& usual_value) {
  Command command{usual_value, {}, argv[argc - 1]};
  for (int k = 1; k < argc - 1; ++k) {
    if (argv[k] == option_name && k + 1 < argc - 1) {
      command.value = argv[++k];
    } else if (argv[k] == option_name) {
      throw Failure(missing_status, option_name + " needs a value, and there is a folder behind it");
    } else {
      command.options.emplace_back(argv[k]);
    }
  }
  std::error_code error;
  if (!std::filesystem::is_directory(command.folder, error)) {
    throw Failure(missing_status, command.folder + " is no folder; the last argument is the folder with kernel.cl and launch.json");
  }
  return command;
}

int run_main(int argc, char** argv, const char* usage, void (*work)(int argc, char** argv)) {
  const bool is_help = argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0);
  if (argc < 2 || is_help) {
    (is_help ? std::cout : std::cerr) << usage;
    return is_help ? 0 : usage_status;
  }
  const std::string name = std::filesystem::path(argv[0]).filename().string();
  try {
    work(argc, argv);
    return 0;
  } catch (const Failure& failure) {
    std::cerr << name << ": " << failure.what() << '\n';
    return failure.status;
  } catch (const std::exception& error) {
    std::cerr << name << ": " << error.what() << '\n';
    return failed_status;
  }
}

Case read_case(const std::string& folder) {
  const nlohmann::json launch = nlohmann::json::parse(read(folder + "/launch.json"));
  Case made;
  made.folder = folder;
  made.text = read(folder + "/kernel.cl");
  made.kernel = launch.at("kernel").get<std::string>();
  made.wg_size = launch.at("wg_size").get<unsigned>();
  made.groups = launch.at("groups").get<std::uint64_t>();
  for (const nlohmann::json& given : launch.at("arguments")) {
    Argument argument;
    argument.name = given.at("name").get<std::string>();
    argument.type = given.at("type").get<std::string>();
    argument.is_buffer = given.at("kind") == "buffer";
    if (argument.is_buffer) {
      const std::string npy = read(folder + "/" + given.at("input").get<std::string>());
      const std::size_t size = header_size(npy);
      argument.header = npy.substr(0, size);
      argument.bytes.resize(npy.size() - size);
      std::memcpy(argument.bytes.data(), npy.data() + size, argument.bytes.size());
      argument.output = given.value("output", "");
    } else {
      argument.bits = std::stoull(given.at("bits").get<std::string>(), nullptr, 16);
    }
    made.arguments.push_back(std::move(argument));
  }
  return made;
}

void write_outputs(const Case& done) {
  for (const Argument& argument : done.arguments) {
    if (argument.output.empty()) {
      continue;
    }
    std::ofstream file(done.folder + "/" + argument.output, std::ios::binary);
    file << argument.header;
    file.write(reinterpret_cast<const char*>(argument.bytes.data()), static_cast<std::streamsize>(argument.bytes.size()));
    if (!file.flush()) {
      throw std::runtime_error(argument.output + " cannot be written");
    }
  }
}

}  // namespace backend
