#include "codegen/emit/cuda/limits.hpp"

#include <fmt/format.h>

#include <variant>

#include "semantics/base/diagnostic.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;

namespace {

std::uint64_t bytes_of(Element element) { return element.is_pointer ? 8 : size_of(element.scalar); }

/// With the place in the kernel that is to blame, if that is known.
std::string at(const Kernel& kernel, const SourceSpan& span, const std::string& sentence) {
  return kernel.source == nullptr || span == SourceSpan{} ? sentence
                                                          : render(*kernel.source, Diagnostic{Severity::Error, span, sentence, {}});
}

/// The first operation that names the object.
SourceSpan use_of(const Kernel& kernel, OfObject object) {
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const Place* place = accessed_place(operation.node);
      const auto* address = std::get_if<AddressOf>(&operation.node);
      const auto* named = place != nullptr     ? std::get_if<OfObject>(&place->base)
                          : address != nullptr ? std::get_if<OfObject>(&address->object)
                                               : nullptr;
      if (named != nullptr && *named == object) {
        return operation.span;
      }
    }
  }
  return {};
}

/// What takes most bytes, and where the kernel speaks of it.
struct Largest {
  std::uint64_t bytes = 0;
  SourceSpan span = {};

  void see(std::uint64_t other, const SourceSpan& where) {
    if (other > bytes) {
      *this = {other, where};
    }
  }
};

/// Whether a pointer to a private object may be what another lane gets.
std::optional<std::string> moved_pointer(const Kernel& kernel) {
  if (!has_private_pointers(kernel)) {
    return std::nullopt;
  }
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      const bool moves = std::holds_alternative<Reorder>(operation.node) || std::holds_alternative<Shuffle>(operation.node);
      if (moves && kernel.type_of(operation.results.front()).element.is_pointer) {
        return at(kernel, operation.span,
                  "a pointer goes from item to item, and might point to a private array, which only its own thread of a GPU can reach");
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::uint64_t shared_bytes(const Kernel& kernel, const Plan& plan) {
  const Shape shape = plan.geometry.shape;
  std::uint64_t bytes = (plan.stage_bytes + 15) / 16 * 16;
  for (const Object& object : kernel.objects) {
    if (object.space == AddressSpace::Local) {
      bytes += (shape.wg_pack * object.count * size_of(object.element) + 7) / 8 * 8;
    }
  }
  return bytes;
}

std::optional<Refusal> complaint_about(const Kernel& kernel, const Plan& plan) {
  const Shape shape = plan.geometry.shape;
  if (shape.wg_size > most_items) {
    return Refusal{fmt::format("WG_SIZE {}: groups of the cuda target have at most {} items", shape.wg_size, most_items), true};
  }
  Largest largest;
  if (const std::uint64_t bytes = shared_bytes(kernel, plan); bytes > shared_bytes_of_block) {
    for (ObjectId k = 0; k < kernel.objects.size(); ++k) {
      if (const Object& object = kernel.objects[k]; object.space == AddressSpace::Local) {
        largest.see(object.count * size_of(object.element), use_of(kernel, {k}));
      }
    }
    return Refusal{at(kernel, largest.span,
                      fmt::format("the __local objects of a pack of '{}' take {} bytes, more than the {} that a block of a GPU has",
                                  kernel.name, bytes, shared_bytes_of_block)),
                   true};
  }
  std::uint64_t bytes = 0;
  const auto hold = [&](std::uint64_t more, const SourceSpan& span) {
    bytes += more;
    largest.see(more, span);
  };
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      for (const ValueId result : operation.results) {
        if (plan.homes[result] == Home::Registers) {
          const Type& type = kernel.type_of(result);
          hold(plan.geometry.registers(plan.held(result, type.layout)) * bytes_of(type.element), operation.span);
        }
      }
    }
  }
  for (ObjectId k = 0; k < kernel.objects.size(); ++k) {
    if (const Object& object = kernel.objects[k]; object.space == AddressSpace::Private) {
      hold(plan.geometry.registers(Layout::item()) * object.count * size_of(object.element), use_of(kernel, {k}));
    }
  }
  if (bytes > most_thread_bytes) {
    return Refusal{at(kernel, largest.span,
                      fmt::format("a thread of '{}' would hold {} bytes of values, more than {}", kernel.name, bytes, most_thread_bytes)),
                   true};
  }
  const auto moved = moved_pointer(kernel);
  return moved ? std::optional(Refusal{*moved}) : std::nullopt;
}

}  // namespace lockstep::emit_cuda
