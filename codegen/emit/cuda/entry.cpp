#include "codegen/emit/cuda/entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "codegen/emit/c/header.hpp"
#include "codegen/emit/cuda/writer.hpp"
#include "semantics/base/counted.hpp"
#include "semantics/infreg/walk.hpp"

namespace lockstep::emit_cuda {

using namespace infreg;
using emit_c::Names;

namespace {

bool has_local(const Kernel& kernel) {
  return std::ranges::any_of(kernel.objects, [](const Object& object) { return object.space == AddressSpace::Local; });
}

/// Parameters that an operation speaks of.
std::set<ParameterId> used_parameters(const Kernel& kernel) {
  std::set<ParameterId> used;
  std::map<ValueId, ParameterId> scalars;
  for (ParameterId k = 0; k < kernel.parameters.size(); ++k) {
    if (!kernel.parameters[k].is_pointer) {
      scalars[kernel.parameters[k].value] = k;
    }
  }
  const auto use = [&](ValueId value) {
    if (const auto found = scalars.find(value); found != scalars.end()) {
      used.insert(found->second);
    }
  };
  for (const Region& region : kernel.regions) {
    for (const Operation& operation : region.operations) {
      for_each_use(operation.node, use);
      const Place* place = accessed_place(operation.node);
      const auto* address = std::get_if<AddressOf>(&operation.node);
      const auto* base = place != nullptr     ? std::get_if<OfParameter>(&place->base)
                         : address != nullptr ? std::get_if<OfParameter>(&address->object)
                                              : nullptr;
      if (base != nullptr) {
        used.insert(base->id);
      }
    }
    std::ranges::for_each(region.yields, use);
  }
  return used;
}

std::string parameters(
    const Kernel& kernel, const Names& names, std::string_view restrict_word,
    const std::function<bool(ParameterId)>& is_unused = [](ParameterId) { return false; }) {
  std::string text;
  for (ParameterId k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter& parameter = kernel.parameters[k];
    // Where something is stored, a compiler would take it that other lanes have nothing to do with it, and move accesses over meetings.
    const bool is_restrict = parameter.is_pointer && parameter.is_restrict && parameter.is_const;
    text += fmt::format("{}{}{}{} {}{}{}", text.empty() ? "" : ", ", is_unused(k) ? "[[maybe_unused]] " : "",
                        parameter.is_pointer && parameter.is_const ? "const " : "", emit_c::c_type(parameter.scalar),
                        parameter.is_pointer ? "*" : "", is_restrict ? restrict_word : "", names.parameters[k]);
  }
  return text + (text.empty() ? "" : ", ");
}

}  // namespace

std::string arguments(const Names& names) {
  std::string text;
  for (const std::string& name : names.parameters) {
    text += name + ", ";
  }
  return text;
}

std::string device_parameters(const Kernel& kernel, const Names& names) { return parameters(kernel, names, "__restrict__ "); }

std::string pack_parameters(const Kernel& kernel, const Names& names) {
  const std::set<ParameterId> used = used_parameters(kernel);
  return parameters(kernel, names, "__restrict__ ", [&](ParameterId id) { return !used.contains(id); });
}

std::string shared_struct(const Kernel& kernel, const Names& names, const Launch& launch) {
  if (!has_local(kernel) && launch.stage_bytes == 0) {
    return "";
  }
  std::string text = fmt::format("/// What the groups of a pack share.\nstruct {}_shared {{\n", launch.symbol);
  for (std::size_t k = 0; k < kernel.objects.size(); ++k) {
    const Object& object = kernel.objects[k];
    if (object.space == AddressSpace::Local) {
      const std::string groups = launch.geometry.shape.wg_pack > 1 ? fmt::format("[{}]", launch.geometry.shape.wg_pack) : "";
      text += fmt::format("  {} {}{}[{}];\n", emit_c::c_type(object.element), names.objects[k], groups, object.count);
    }
  }
  if (launch.stage_bytes > 0) {
    text += fmt::format("  alignas(16) unsigned char stage[{}];  // what items hand to one another\n", launch.stage_bytes);
  }
  return text + "};\n\n";
}

std::string constant_name(const std::string& symbol, const std::string& object) { return fmt::format("{}_constant_{}", symbol, object); }

std::string constant_objects(const Kernel& kernel, const Names& names, const Launch& launch) {
  std::string text;
  for (std::size_t k = 0; k < kernel.objects.size(); ++k) {
    const Object& object = kernel.objects[k];
    if (object.space != AddressSpace::Constant) {
      continue;
    }
    std::string numbers;
    for (const std::uint64_t bits : object.values) {
      numbers += (numbers.empty() ? "" : ", ") + constant(Element::of(object.element), bits);
    }
    text += fmt::format("__device__ const {} {}[{}] = {{{}}};\n", emit_c::c_type(object.element),
                        constant_name(launch.symbol, names.objects[k]), object.count, numbers);
  }
  return text;
}

std::string grid_kernel(const Kernel& kernel, const Names& names, const Launch& launch) {
  const Geometry& geometry = launch.geometry;
  const unsigned pack = geometry.shape.wg_pack;
  const unsigned slots_of_block = launch.warps * geometry.slots;
  // One block has to find room: for more of them ptxas would move registers to local memory.
  std::string text = fmt::format("extern \"C\" __global__ void __launch_bounds__({1}, 1) {0}_kernel({2}uint64_t num_groups) {{\n",
                                 launch.symbol, launch.warps * warp_size, device_parameters(kernel, names));
  text += fmt::format("  {}v::Slot slot = v::slot_of({});\n", launch.has_tiles ? "" : "const ", geometry.lanes);
  if (geometry.slots * geometry.lanes < warp_size) {
    text += fmt::format("  if (slot.base >= {}) return;  // lanes without a slot\n", geometry.slots * geometry.lanes);
  }
  text += fmt::format("  const unsigned slot_of_block = v::thread_of_block() / {} * {} + slot.base / {};\n", warp_size, geometry.slots,
                      geometry.lanes);
  std::string shared;
  if (has_local(kernel) || launch.stage_bytes > 0) {
    text += fmt::format("  __shared__ ::{}_shared shared[{}];\n", launch.symbol, slots_of_block);
    shared = ", shared[slot_of_block]";
  }
  text += fmt::format("  const uint64_t slots = uint64_t(v::blocks_of_grid()) * {};\n", slots_of_block);
  const auto loop = [&](const std::string& variable, const std::string& from, const std::string& limit, const std::string& function,
                        const std::string& first) {
    text += fmt::format("  for (uint64_t {0} = {1}uint64_t(v::block_of_grid()) * {2} + slot_of_block; {0} < {3}; {0} += slots) {{\n",
                        variable, from, slots_of_block, limit);
    if (launch.has_tiles) {
      text += fmt::format("    v::see_others(slot, {}, {}, {}, {});\n", variable, limit, geometry.lanes, geometry.slots);
    }
    text += fmt::format("    ::{}(slot, {}{}, num_groups{});\n", function, arguments(names), first, shared);
    text += !has_local(kernel) ? "" : "    v::meet(slot);  // what is shared is written again\n";
    text += "  }\n";
  };
  if (pack == 1) {
    loop("group", "", "num_groups", launch.symbol + "_pack", "group");
  } else {
    loop("pack", "", fmt::format("num_groups / {}", pack), launch.symbol + "_pack", fmt::format("pack * {}", pack));
    loop("group", fmt::format("num_groups / {0} * {0} + ", pack), "num_groups", launch.symbol + "_one", "group");
  }
  return text + "}\n";
}

namespace {

/// The parameters of the function for hosts: behind each pointer the number of its elements.
std::string host_parameters(const Kernel& kernel, const Names& names) {
  std::string text;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter& parameter = kernel.parameters[k];
    const std::string& name = names.parameters[k];
    text += fmt::format("{}{} {}{}, ", parameter.is_pointer && parameter.is_const ? "const " : "", emit_c::c_type(parameter.scalar),
                        parameter.is_pointer ? "*" : "", name);
    text += parameter.is_pointer ? fmt::format("size_t {}, ", names.counts[k]) : "";
  }
  return text;
}

std::string host_entry(const Kernel& kernel, const Names& names, const Launch& launch) {
  const auto pointers = std::ranges::count_if(kernel.parameters, &Parameter::is_pointer);
  std::string text = fmt::format("\nextern \"C\" int {}({}size_t num_groups) {{\n", launch.symbol, host_parameters(kernel, names));
  text += fmt::format("  v::Copies<{}> copies;\n", std::max<std::ptrdiff_t>(pointers, 1));
  std::string call;
  unsigned number = 0;
  for (std::size_t k = 0; k < kernel.parameters.size(); ++k) {
    const Parameter& parameter = kernel.parameters[k];
    const std::string& name = names.parameters[k];
    if (!parameter.is_pointer) {
      call += name + ", ";
      continue;
    }
    text += fmt::format("  copies.add({0}, {1} * sizeof *{0}, {2});\n", name, names.counts[k], !parameter.is_const);
    call += fmt::format("static_cast<{}{} *>(copies.on_device({})), ", parameter.is_const ? "const " : "", emit_c::c_type(parameter.scalar),
                        number++);
  }
  return text + fmt::format(
                    "  int error = copies.begin();\n"
                    "  if (error == cudaSuccess) error = ::{}_on_device({}num_groups, nullptr);\n"
                    "  if (error == cudaSuccess) error = copies.end();\n"
                    "  return error;\n"
                    "}}\n",
                    launch.symbol, call);
}

}  // namespace

std::string host_entries(const Kernel& kernel, const Names& names, const Launch& launch) {
  const unsigned slots_of_block = launch.warps * launch.geometry.slots;
  const unsigned pack = launch.geometry.shape.wg_pack;
  const std::string packs = pack == 1 ? "num_groups" : fmt::format("num_groups / {0} + num_groups % {0}", pack);
  return fmt::format(
             "\n#ifdef CUDART_VERSION  // with a toolkit: the entry points of {0}.cuda.h\n"
             "extern \"C\" int {0}_on_device({1}size_t num_groups, struct CUstream_st *stream) {{\n"
             "  const size_t packs = {2};\n"
             "  const size_t blocks = packs / {3} + (packs % {3} != 0);\n"
             "  if (blocks == 0) return cudaSuccess;\n"
             "  ::{0}_kernel<<<unsigned(blocks < 0x7fffffff ? blocks : 0x7fffffff), {4}, 0, stream>>>({5}num_groups);\n"
             "  return cudaGetLastError();\n"
             "}}\n",
             launch.symbol, parameters(kernel, names, ""), packs, slots_of_block, launch.warps * warp_size, arguments(names)) +
         host_entry(kernel, names, launch) + "#endif\n";
}

std::string host_header(const Kernel& kernel, const Names& names, const Launch& launch) {
  return fmt::format(
      "#pragma once\n"
      "/* {0} on a CUDA device: num_groups work groups of {1}, in any order. Results are numbers of cudaError_t, 0 for success. */\n"
      "#include <stdbool.h>\n"
      "#include <stddef.h>\n"
      "#include <stdint.h>\n"
      "\n"
      "#ifdef __cplusplus\n"
      "extern \"C\" {{\n"
      "#endif\n"
      "\n"
      "struct CUstream_st; /* a cudaStream_t points to one */\n"
      "\n"
      "/* Pointers to memory that the device can reach; comes back before the groups have run. */\n"
      "int {0}_on_device({2}size_t num_groups, struct CUstream_st *stream);\n"
      "\n"
      "/* Pointers to memory of the host, each with the number of elements that are copied there and, unless they are const, back. */\n"
      "int {0}({3}size_t num_groups);\n"
      "\n"
      "#ifdef __cplusplus\n"
      "}}\n"
      "#endif\n",
      launch.symbol, counted(launch.geometry.shape.wg_size, "item"), parameters(kernel, names, ""), host_parameters(kernel, names));
}

}  // namespace lockstep::emit_cuda
