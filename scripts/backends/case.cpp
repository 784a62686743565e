#include "scripts/backends/case.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

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
  if (npy.size() < fixed || npy.compare(0, 6, "\x93NUMPY") != 0 || npy[6] != 1) {
    throw std::runtime_error("an input is no .npy file of format 1.0");
  }
  const std::size_t size = fixed + static_cast<unsigned char>(npy[8]) + 256 * static_cast<unsigned char>(npy[9]);
  if (npy.size() < size) {
    throw std::runtime_error("an input is cut short");
  }
  return size;
}

}  // namespace

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
