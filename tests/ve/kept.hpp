#pragma once
// What a compiler makes of a text, for programs that ask for the same again and again: the mutants run each test once for every fault.

#include <cstdlib>
#include <expected>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace lockstep::test {

/// What `make` makes of the text; or what it has made before, where LOCKSTEP_KEPT names a folder for that.
inline std::expected<std::string, std::string> kept_or_made(const std::string& text,
                                                            const std::function<std::expected<std::string, std::string>()>& make) {
  const char* const folder = std::getenv("LOCKSTEP_KEPT");
  if (folder == nullptr) {
    return make();
  }
  const std::filesystem::path path = std::filesystem::path(folder) / std::to_string(std::hash<std::string>{}(text));
  if (std::ifstream in(path, std::ios::binary); in) {
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }
  auto made = make();
  if (made) {
    // Another name first: nobody reads the half of it where the process ends meanwhile.
    std::ofstream(path.string() + ".part", std::ios::binary) << *made;
    std::filesystem::rename(path.string() + ".part", path);
  }
  return made;
}

}  // namespace lockstep::test
