// Where the interpreter and the evaluator of InfReg-IR part: the interpreter is run once more, step by step, and asked before each store
// what it will write; the evaluator is watched for what its stores change.

#include "differential/compare/parting.hpp"

#include <fmt/format.h>

#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "interpreter/debug/kernel/run.hpp"
#include "interpreter/debug/kernel/view.hpp"
#include "interpreter/launch/arguments.hpp"
#include "interpreter/launch/objects.hpp"
#include "semantics/base/line_origins.hpp"
#include "semantics/infreg/evaluate.hpp"
#include "semantics/infreg/print.hpp"
#include "semantics/memory/pointer.hpp"

namespace lockstep::differential {

namespace {

/// Stepping is slow: launches that take more instructions are not looked at again.
constexpr std::uint64_t most_steps = 2'000'000;

/// A store of one item to a global buffer.
struct Stored {
  std::size_t buffer = 0;
  std::uint64_t index = 0;
  KernelValue value;
  std::uint64_t group = 0;
  unsigned item = 0;
  SourceSpan span;
};

/// What the next instruction stores for one lane, if that is to a buffer.
std::optional<Stored> stored_by(const KernelView& view, const launch::Fragment& fragment, const typed::Statement& statement,
                                unsigned lane) {
  const auto* store = std::get_if<typed::Store>(&statement.instruction);
  if (store == nullptr || store->base.type().space != AddressSpace::Global) {
    return std::nullopt;  // private memory is of a frame, and none of the launch's objects
  }
  const launch::Frame& frame = *fragment.state.bank.calls().back().frame;
  const KernelValue base = view.evaluate(store->base, frame, lane);
  const KernelValue index = view.evaluate(store->index, frame, lane);
  if (!base.is_number() || !index.is_number()) {
    return std::nullopt;
  }
  const launch::Object& object = view.pack().domain().objects()[memory::object_of(base.bits)];
  const auto first = memory::element_of(base.bits, size_of(object.element));
  const auto at = static_cast<std::uint64_t>(first + static_cast<std::int64_t>(index.bits));
  return Stored{object.number, at, view.evaluate(store->value, frame, lane), view.group_of(lane), view.item_of(lane), statement.span};
}

/// Calls see(Stored) for each store to a buffer, in the order of execution. False: the launch is too long.
template <class F>
bool watch_interpreter(const Reference& reference, F&& see) {
  launch::LaunchOptions options;
  options.groups = reference.groups;
  options.pack = 1;
  options.threads = 1;
  if (options.groups == 0 || launch::complaint(*reference.kernel.program, reference.before, options)) {
    return false;
  }
  KernelRun run(reference.kernel.program, reference.before, options, false);
  while (!run.ended()) {
    if (run.position() > most_steps) {
      return false;
    }
    const KernelView view(run.pack());
    if (const launch::Fragment* fragment = view.next(); fragment != nullptr) {
      const typed::Statement& statement = reference.kernel.program->code[fragment->state.pc];
      fragment->state.active.for_each([&](unsigned lane) {
        if (const auto stored = stored_by(view, *fragment, statement, lane)) {
          see(*stored);
        }
      });
    }
    if (!run.step()) {
      break;
    }
  }
  return true;
}

std::string bytes_of(ScalarType type, std::uint64_t bits) {
  std::string bytes(size_of(type), '\0');
  std::memcpy(bytes.data(), &bits, bytes.size());
  return bytes;
}

std::string text_of_element(const launch::Buffer& like, const std::string& bytes) {
  launch::Buffer one{like.type, 1, std::vector<std::byte>(bytes.size()), {1}, {}};
  std::memcpy(one.bytes.data(), bytes.data(), bytes.size());
  return launch::element_text(one, 0);
}

/// A place in the source and an element of a buffer.
using Cell = std::tuple<std::size_t, std::size_t, std::size_t, std::uint64_t>;

std::string parameter_of(const Reference& reference, std::size_t buffer) {
  return launch::parameter_name(*reference.kernel.program, owner_of(reference.before.values, buffer));
}

/// What the interpreter writes to each cell from each place; poison is any number.
struct Written {
  std::set<std::string> bytes;
  bool is_poison = false;
};

}  // namespace

std::optional<Writer> last_writer(const Reference& reference, const Mismatch& mismatch) {
  std::optional<Writer> writer;
  const bool is_whole = watch_interpreter(reference, [&](const Stored& stored) {
    if (stored.buffer == mismatch.number && stored.index == mismatch.index) {
      writer = Writer{stored.group, stored.item, stored.span};
    }
  });
  return is_whole ? writer : std::nullopt;
}

std::optional<Parting> first_parting(const infreg::Kernel& kernel, const Reference& reference) {
  const bool is_lowered = kernel.source == reference.kernel.program->source;
  const auto cell = [&](SourceSpan span, std::size_t buffer, std::uint64_t index) {
    return is_lowered ? Cell{span.begin, span.end, buffer, index} : Cell{0, 0, buffer, index};
  };
  std::map<Cell, Written> written;
  const bool is_whole = watch_interpreter(reference, [&](const Stored& stored) {
    Written& there = written[cell(stored.span, stored.buffer, stored.index)];
    there.is_poison = there.is_poison || !stored.value.is_number();
    there.bytes.insert(bytes_of(reference.before.buffers[stored.buffer].type, stored.value.bits));
  });
  if (!is_whole) {
    return std::nullopt;
  }
  std::vector<infreg::Buffer> buffers;
  for (const launch::Buffer& b : reference.before.buffers) {
    buffers.push_back({b.type, b.count, b.bytes, std::vector<std::uint8_t>(b.count, 0)});
  }
  std::vector<infreg::Buffer> before = buffers;
  std::optional<Parting> parting;
  infreg::EvaluateOptions options;
  options.groups = reference.groups;
  options.observer = [&](const infreg::Executed& executed) {
    if (parting || !std::holds_alternative<infreg::Store>(executed.operation.node)) {
      return;
    }
    for (std::size_t b = 0; b < buffers.size() && !parting; ++b) {
      if (before[b].bytes == buffers[b].bytes) {
        continue;
      }
      const std::size_t size = size_of(buffers[b].type);
      for (std::uint64_t k = 0; k < buffers[b].count && !parting; ++k) {
        const std::string now(reinterpret_cast<const char*>(buffers[b].bytes.data() + k * size), size);
        if (std::memcmp(now.data(), before[b].bytes.data() + k * size, size) == 0) {
          continue;
        }
        const SourceSpan span = executed.operation.span;
        const Written& there = written[cell(span, b, k)];
        if (there.is_poison || there.bytes.contains(now)) {
          continue;
        }
        const launch::Buffer& like = reference.before.buffers[b];
        const std::string place = kernel.source == nullptr ? "" : file_and_line(*kernel.source, span);
        parting = Parting{infreg::print(kernel, executed.operation), place, parameter_of(reference, b), k, text_of_element(like, now), {}};
        for (const std::string& bytes : there.bytes) {
          parting->written.push_back(text_of_element(like, bytes));
        }
        if (!there.bytes.empty() && parting->stored == parting->written.front() && parting->stored.ends_with("nan")) {
          parting.reset();  // any NaN is any NaN
        }
      }
      before[b].bytes = buffers[b].bytes;
    }
  };
  static_cast<void>(infreg::evaluate(kernel, reference.before.values, buffers, options));
  return parting;
}

}  // namespace lockstep::differential
