#pragma once
// Compiled kernels as bytes, for the disk.

#include <optional>
#include <string>
#include <string_view>

#include "codegen/compile/code.hpp"

namespace lockstep {

/// A checksum and hash of bytes: FNV-1a, 64 bits. Against accidents, not against malice.
std::uint64_t checksum(std::string_view bytes);

/// Texts one behind the other such that different lists give different bytes.
std::string joined(const std::vector<std::string>& parts);

/// The kernel and the key under which it is kept.
std::string to_bytes(const std::string& key, const KernelFile& kernel);

/// Nothing unless the bytes are what to_bytes made of this key: the whole is checked by its checksum first.
std::optional<KernelFile> from_bytes(std::string_view bytes, const std::string& key);

}  // namespace lockstep
