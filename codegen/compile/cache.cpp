#include "codegen/compile/cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "codegen/compile/kernel_file.hpp"

namespace lockstep {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view suffix = ".kernel";
constexpr std::string_view unfinished = ".unfinished-";  ///< begins the name of a file that is being written
constexpr auto abandoned_after = std::chrono::hours(1);  ///< so old a file is finished by nobody

/// An open file, closed at the end of its scope.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }
  int get() const { return descriptor_; }
  bool is_open() const { return descriptor_ >= 0; }
  /// Whether everything has reached the file system.
  bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

/// The bytes of a file that can be believed.
std::optional<std::string> read_own(const std::string& path, std::uint64_t most_bytes) {
  const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status{};
  if (!file.is_open() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != ::geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || static_cast<std::uint64_t>(status.st_size) > most_bytes) {
    return std::nullopt;
  }
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file.get(), bytes.data() + done, bytes.size() - done);
    if (count <= 0 && !(count < 0 && errno == EINTR)) {
      return std::nullopt;
    }
    done += count > 0 ? static_cast<std::size_t>(count) : 0;
  }
  ::futimens(file.get(), nullptr);  // used now
  return bytes;
}

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) {
      return false;
    }
    bytes.remove_prefix(count > 0 ? static_cast<std::size_t>(count) : 0);
  }
  return true;
}

/// Makes the folder, for us alone, if it is not there.
bool make_directory(const std::string& directory) {
  std::error_code error;
  if (fs::create_directories(directory, error)) {
    fs::permissions(directory, fs::perms::owner_all, error);
  }
  return fs::is_directory(directory, error);
}

}  // namespace

std::string KernelCache::default_directory() {
  const auto absolute = [](const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): only setenv elsewhere would be
    return value != nullptr && value[0] == '/' ? std::string(value) : std::string();
  };
  if (const std::string cache = absolute("XDG_CACHE_HOME"); !cache.empty()) {
    return cache + "/lockstep";
  }
  const std::string home = absolute("HOME");
  return home.empty() ? "" : home + "/.cache/lockstep";
}

std::string KernelCache::path_of(const std::string& key) const { return fmt::format("{}/{:016x}{}", directory_, checksum(key), suffix); }

std::optional<KernelFile> KernelCache::find(const std::string& key) const {
  if (directory_.empty()) {
    return std::nullopt;
  }
  const auto bytes = read_own(path_of(key), most_bytes_);
  return bytes ? from_bytes(*bytes, key) : std::nullopt;
}

void KernelCache::keep(const std::string& key, const KernelFile& kernel) const {
  if (directory_.empty() || !make_directory(directory_)) {
    return;
  }
  std::string path = fmt::format("{}/{}XXXXXX", directory_, unfinished);
  File file(::mkostemp(path.data(), O_CLOEXEC));  // readable and writable for us alone
  if (!file.is_open()) {
    return;
  }
  const bool is_written = write_all(file.get(), to_bytes(key, kernel));
  if (!file.close() || !is_written || std::rename(path.c_str(), path_of(key).c_str()) != 0) {
    ::unlink(path.c_str());
    return;
  }
  shrink();
}

void KernelCache::shrink() const {
  struct Found {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Found> all;
  std::uint64_t bytes = 0;
  std::error_code error;
  // Others may add and remove files meanwhile: what cannot be looked at, or removed, is theirs.
  for (fs::directory_iterator at(directory_, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    const auto used = at->last_write_time(gone);
    const std::string name = at->path().filename().string();
    if (!gone && name.starts_with(unfinished) && fs::file_time_type::clock::now() - used > abandoned_after) {
      fs::remove(at->path(), gone);
    } else if (!gone && name.ends_with(suffix)) {
      const std::uint64_t size = at->file_size(gone);
      if (!gone) {
        all.push_back({used, size, at->path()});
        bytes += size;
      }
    }
  }
  std::ranges::sort(all, {}, &Found::used);
  for (const Found& found : all) {
    if (bytes <= most_bytes_) {
      return;
    }
    std::error_code gone;
    fs::remove(found.path, gone);
    bytes -= found.bytes;
  }
}

}  // namespace lockstep
