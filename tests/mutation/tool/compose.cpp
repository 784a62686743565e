// Copies of sources with faults in them.

#include <fmt/format.h>

#include <algorithm>

#include "tests/mutation/tool/fault.hpp"

namespace lockstep::mutate {

namespace {

struct Placed {
  const Edit* edit = nullptr;
  unsigned number = 0;
};

std::string switched(const std::string& text, unsigned number) {
  std::string result;
  for (const char c : text) {
    result += c == on ? fmt::format("::lockstep::planted::is_on({}U)", number) : std::string(1, c);
  }
  return result;
}

/// Appends the text from `begin` to `end` with the edits that lie in it; `next` is the first of them, and becomes the first behind.
/// NOLINTNEXTLINE(misc-no-recursion)
void append(Copy& copy, const std::string& text, std::size_t begin, std::size_t end, const std::vector<Placed>& edits, std::size_t& next) {
  while (next < edits.size() && edits[next].edit->begin < end) {
    const Placed here = edits[next++];
    copy.text.append(text, begin, here.edit->begin - begin);
    const std::size_t start = copy.text.size();
    copy.text += switched(here.edit->before, here.number);
    append(copy, text, here.edit->begin, here.edit->end, edits, next);
    copy.text += switched(here.edit->after, here.number);
    copy.spans.push_back({start, copy.text.size(), here.number});
    begin = here.edit->end;
  }
  copy.text.append(text, begin, end - begin);
}

bool cross(const Edit& a, const Edit& b) {
  const bool apart = a.end <= b.begin || b.end <= a.begin;
  const bool nested = (a.begin <= b.begin && b.end <= a.end) || (b.begin <= a.begin && a.end <= b.end);
  return !apart && !nested;
}

}  // namespace

void drop_crossing(std::vector<Fault>& faults) {
  std::map<std::string, std::vector<const Edit*>> kept;
  std::vector<Fault> result;
  result.reserve(faults.size());  // `kept` points into it
  for (Fault& fault : faults) {
    std::vector<const Edit*>& others = kept[fault.file];
    const bool crosses = std::ranges::any_of(
        fault.edits, [&](const Edit& edit) { return std::ranges::any_of(others, [&](const Edit* other) { return cross(edit, *other); }); });
    if (!crosses) {
      result.push_back(std::move(fault));
      for (const Edit& edit : result.back().edits) {
        others.push_back(&edit);
      }
    }
  }
  faults = std::move(result);
}

Copy with_faults(const std::string& file, const std::string& text, const std::vector<Fault>& faults, const std::set<unsigned>& dropped) {
  std::vector<Placed> edits;
  for (unsigned number = 1; number <= faults.size(); ++number) {
    const Fault& fault = faults[number - 1];
    if (fault.file == file && !dropped.contains(number)) {
      for (const Edit& edit : fault.edits) {
        edits.push_back({&edit, number});
      }
    }
  }
  std::ranges::stable_sort(edits, [](const Placed& a, const Placed& b) {
    return a.edit->begin != b.edit->begin ? a.edit->begin < b.edit->begin : a.edit->end > b.edit->end;
  });
  static constexpr std::string_view pragma = "#pragma once\n";
  const std::size_t head = text.starts_with(pragma) ? pragma.size() : 0;
  Copy copy;
  copy.text = text.substr(0, head) + "#include \"tests/mutation/tool/planted.hpp\"\n";
  std::size_t next = 0;
  append(copy, text, head, text.size(), edits, next);
  return copy;
}

}  // namespace lockstep::mutate
