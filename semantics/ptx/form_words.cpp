#include "semantics/ptx/form_words.hpp"

#include <array>
#include <string>
#include <utility>

#include "semantics/base/internal_error.hpp"

namespace lockstep::ptx {
namespace {

constexpr auto lists = std::to_array<std::pair<std::string_view, std::string_view>>({
    // modifiers
    {"rounding", "rn|rz|rm|rp"},
    {"integer_rounding", "rni|rzi|rmi|rpi"},
    {"order", "eq|ne|lt|le|gt|ge|lo|ls|hi|hs"},
    {"float_order", "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"},
    {"bool", "and|or|xor"},
    {"bool2", "and|or"},
    {"vector", "v2|v4|v8"},
    {"scope", "cta|cluster|gpu|sys"},
    {"load_order", "weak|volatile|relaxed|acquire"},
    {"store_order", "weak|volatile|relaxed|release"},
    {"atom_order", "relaxed|acquire|release|acq_rel"},
    {"load_space", "const|global|local|param|param::entry|param::func|shared|shared::cta|shared::cluster"},
    {"store_space", "global|local|param|param::func|shared|shared::cta|shared::cluster"},
    {"atom_space", "global|shared|shared::cta|shared::cluster"},
    {"cvta_space", "const|global|local|shared|shared::cta|shared::cluster|param|param::entry"},
    {"load_cache", "ca|cg|cs|lu|cv"},
    {"store_cache", "wb|cg|cs|wt"},
    {"l1", "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"},
    {"l2", "L2::evict_normal|L2::evict_first|L2::evict_last"},
    {"l2_fetch", "L2::64B|L2::128B|L2::256B"},
    {"mma_shape", "m8n8k4|m8n8k16|m8n8k32|m8n8k128|m16n8k4|m16n8k8|m16n8k16|m16n8k32|m16n8k64|m16n8k128|m16n8k256"},
    {"wmma_shape", "m16n16k16|m8n32k16|m32n8k16|m16n16k8|m8n8k4|m8n8k32|m8n8k128"},
    {"tex_shape", "1d|2d|3d|a1d|a2d|cube|acube"},
    // types
    {"integer", "u16|u32|u64|s16|s32|s64"},
    {"integer8", "u8|u16|u32|u64|s8|s16|s32|s64"},
    {"integer32", "u32|u64|s32|s64"},
    {"bits", "b16|b32|b64"},
    {"any", "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"},
    {"memory", "b8|b16|b32|b64|b128|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"},
    {"packed8", "u8|s8|u4|s4"},
    {"video", "u32|s32"},
});

}  // namespace

std::string_view word_list(std::string_view name) {
  for (const auto& [known, words] : lists) {
    if (known == name) {
      return words;
    }
  }
  throw InternalError("forms.def names a list that there is not: $" + std::string(name));
}

}  // namespace lockstep::ptx
