#include "differential/compare/guarded.hpp"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <new>
#include <utility>

namespace lockstep::differential {

namespace {

constexpr std::byte slack_byte{0xa5};

/// Bytes behind a buffer that leave its elements misaligned, if they have more than one byte; other ones for other buffers.
std::size_t gap_for(std::size_t buffer, ScalarType type, Alignment alignment) {
  const std::size_t size = size_of(type);
  return alignment == Alignment::Elements || size == 1 ? 0 : 1 + buffer % (size - 1);
}

}  // namespace

Guarded::Guarded(std::size_t size, std::size_t gap) : size_(size), gap_(gap) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  inner_ = (size + gap + page - 1) / page * page;
  total_ = inner_ + 2 * page;
  whole_ = static_cast<std::byte*>(mmap(nullptr, total_, PROT_NONE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (whole_ == MAP_FAILED) {
    throw std::bad_alloc();
  }
  begin_ = whole_ + page;
  if (inner_ > 0 && mprotect(begin_, inner_, PROT_READ | PROT_WRITE) != 0) {
    munmap(whole_, total_);
    throw std::bad_alloc();
  }
  std::fill_n(begin_, inner_, slack_byte);
}

Guarded::Guarded(Guarded&& other) noexcept
    : size_(other.size_),
      gap_(other.gap_),
      inner_(other.inner_),
      total_(other.total_),
      whole_(std::exchange(other.whole_, nullptr)),
      begin_(other.begin_) {}

Guarded::~Guarded() {
  if (whole_ != nullptr) {
    munmap(whole_, total_);
  }
}

bool Guarded::is_slack_untouched() const {
  const auto is_slack = [](std::byte b) { return b == slack_byte; };
  return std::all_of(begin_, data(), is_slack) && std::all_of(data() + size_, begin_ + inner_, is_slack);
}

void Guarded::forbid_writing() const {
  if (inner_ > 0) {
    mprotect(begin_, inner_, PROT_READ);
  }
}

GuardedArguments::GuardedArguments(const Reference& reference, Alignment alignment) : reference_(reference) {
  const std::vector<launch::Buffer>& before = reference.before.buffers;
  memory_.reserve(before.size());
  for (std::size_t b = 0; b < before.size(); ++b) {
    memory_.emplace_back(before[b].bytes.size(), gap_for(b, before[b].type, alignment));
    std::ranges::copy(before[b].bytes, memory_.back().data());
    if (!may_write(reference.kernel, reference.before.values, b)) {
      memory_.back().forbid_writing();
    }
  }
  pointers_.reserve(reference.before.values.size());
  for (const Argument& value : reference.before.values) {
    if (const auto* points = std::get_if<BufferNumber>(&value)) {
      pointers_.push_back(memory_[points->number].data() + points->first * size_of(before[points->number].type));
    } else {
      pointers_.push_back(&std::get<ScalarBits>(value).bits);
    }
  }
}

std::expected<std::vector<launch::Buffer>, std::string> GuardedArguments::buffers() const {
  std::vector<launch::Buffer> left = reference_.before.buffers;
  for (std::size_t b = 0; b < left.size(); ++b) {
    if (!memory_[b].is_slack_untouched()) {
      return std::unexpected("it wrote to memory beside a buffer");
    }
    std::copy_n(memory_[b].data(), left[b].bytes.size(), left[b].bytes.begin());
  }
  return left;
}

void prepare_for_crashes(unsigned seconds) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGALRM}) {
    std::signal(signal, SIG_DFL);  // what the parent does with them is not for a stranger's code
  }
  alarm(seconds);
}

}  // namespace lockstep::differential
