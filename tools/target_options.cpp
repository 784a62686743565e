#include "tools/target_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>

#include "semantics/base/diagnostic.hpp"
#include "semantics/musimd/number.hpp"

namespace lockstep::tools {

using targets::Option;
using targets::Target;
using targets::Use;

namespace {

template <class F>
std::string joined(const std::vector<Target>& targets, Use use, std::string_view between, const F& text_of) {
  std::string text;
  for (const Target& target : targets) {
    if (is_for(target, use)) {
      text += (text.empty() ? "" : std::string(between)) + text_of(target);
    }
  }
  return text;
}

bool has_option(const Target& target, std::string_view name, Use use) {
  return is_for(target, use) && std::ranges::any_of(target.options, [&](const Option& option) {
           return option.name == name && std::ranges::find(option.uses, use) != option.uses.end();
         });
}

/// The targets that have the option.
std::vector<std::string_view> owners(const std::vector<Target>& targets, std::string_view name, Use use) {
  std::vector<std::string_view> names;
  for (const Target& target : targets) {
    if (has_option(target, name, use)) {
      names.push_back(target.name);
    }
  }
  return names;
}

/// The heading of --help under which the options stand that only these targets have.
std::string group_of(const std::vector<std::string_view>& names) {
  return fmt::format("The {} target{}", fmt::join(names, " and "), names.size() > 1 ? "s" : "");
}

/// The option of each target that has one of the name.
std::vector<Option> options_named(const std::vector<Target>& targets, std::string_view name, Use use) {
  std::vector<Option> found;
  for (const Target& target : targets) {
    if (has_option(target, name, use)) {
      found.push_back(*std::ranges::find(target.options, name, &Option::name));
    }
  }
  return found;
}

/// One that several targets have takes what any of them takes, until it is known which of them are chosen.
CLI::Option* add_option(CLI::App& command, const std::vector<Option>& options, targets::Settings& settings) {
  const Option& option = options.front();
  const auto store = [options, &settings](const std::string& value) {
    if (std::ranges::all_of(options, [&](const Option& one) { return one.problem(value).has_value(); })) {
      throw CLI::ValidationError(options.front().name, *options.front().problem(value));
    }
    settings[options.front().name] = value;
  };
  if (option.value.empty()) {
    return command.add_flag_callback(option.name, [store] { store(""); }, option.help);
  }
  if (option.is_list) {
    return command
        .add_option_function<std::vector<std::string>>(
            option.name, [store](const std::vector<std::string>& words) { store(fmt::format("{}", fmt::join(words, ","))); }, option.help)
        ->delimiter(',')
        ->type_name(option.value);
  }
  return command.add_option_function<std::string>(option.name, store, option.help)->type_name(option.value);
}

}  // namespace

std::string names_of(const std::vector<Target>& targets, Use use) {
  return joined(targets, use, ", ", [](const Target& target) { return std::string(target.name); });
}

std::string meanings_of(const std::vector<Target>& targets, Use use) {
  return joined(targets, use, ";\n", [](const Target& target) { return fmt::format("{}, {}", target.name, target.meaning); });
}

std::string no_such_target(const std::string& name, std::string_view known) {
  return fmt::format("--target {}: there is no such target; there are: {}", shortened(name), known);
}

void add_target_options(CLI::App& command, const std::vector<Target>& targets, Use use, targets::Settings& settings) {
  for (const Target& target : targets) {
    for (const Option& option : target.options) {
      const std::vector<std::string_view> names = owners(targets, option.name, use);
      if (!names.empty() && names.front() == target.name) {
        CLI::Option* added = add_option(command, options_named(targets, option.name, use), settings)->group(group_of(names));
        if (!option.usual.empty()) {
          added->default_str(option.usual);
        }
      }
    }
  }
}

void add_chunk_lanes_option(CLI::App& command, std::optional<unsigned>& lanes) {
  command
      .add_option_function<std::string>(
          "--chunk-lanes",
          [&lanes](const std::string& text) {
            const auto number = parse_number(text, 1, 64);
            if (!number || !std::has_single_bit(*number)) {
              throw CLI::ValidationError("--chunk-lanes", number ? text + " is no power of two" : number.error());
            }
            lanes = static_cast<unsigned>(*number);
          },
          "lanes that code computes at once, a power of two up to 64 of which a target may take a few only (default: as many as fit a "
          "register)")
      ->type_name("N");
}

std::optional<std::string> misplaced_for_targets(const CLI::App& command, const std::vector<Target>& targets, Use use,
                                                 const std::vector<std::string>& chosen) {
  for (const Target& target : targets) {
    for (const Option& option : target.options) {
      const std::vector<std::string_view> names = owners(targets, option.name, use);
      const bool is_chosen =
          std::ranges::any_of(names, [&](std::string_view name) { return std::ranges::find(chosen, name) != chosen.end(); });
      if (!names.empty() && !is_chosen && command.get_option(option.name)->count() > 0) {
        return fmt::format("{} is for --target {}", option.name, fmt::join(names, " or "));
      }
      const bool is_asked = std::ranges::find(chosen, target.name) != chosen.end() && has_option(target, option.name, use);
      if (is_asked && command.get_option(option.name)->count() > 0) {
        const std::string value = fmt::format("{}", fmt::join(command.get_option(option.name)->results(), ","));
        if (const auto problem = option.value.empty() ? std::nullopt : option.problem(value)) {
          return fmt::format("{}: {}", option.name, *problem);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::tools
