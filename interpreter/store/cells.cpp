#include "interpreter/store/cells.hpp"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

std::uint64_t page_of(std::int64_t address) { return static_cast<std::uint64_t>(address) / Cells::page_cells; }
std::size_t offset_of(std::int64_t address) { return static_cast<std::uint64_t>(address) % Cells::page_cells; }

/// Bits [offset, offset + count) of a page's bit set, at most 64 of them.
std::uint64_t window(const std::uint64_t* bits, std::size_t offset, std::size_t count) {
  const std::size_t shift = offset % 64;
  std::uint64_t word = bits[offset / 64] >> shift;
  if (shift != 0 && shift + count > 64) {
    word |= bits[offset / 64 + 1] << (64 - shift);
  }
  return count == 64 ? word : word & ((std::uint64_t{1} << count) - 1);
}

/// Sets the bits [offset, offset + count), at most 64 of them, to the low bits of `word`.
void set_window(std::uint64_t* bits, std::size_t offset, std::size_t count, std::uint64_t word) {
  const std::uint64_t mask = count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
  const std::size_t shift = offset % 64;
  bits[offset / 64] = (bits[offset / 64] & ~(mask << shift)) | (word & mask) << shift;
  if (shift != 0 && shift + count > 64) {
    const std::size_t rest = 64 - shift;
    bits[offset / 64 + 1] = (bits[offset / 64 + 1] & ~(mask >> rest)) | (word & mask) >> rest;
  }
}

/// Whether all threads are active and their addresses are a, a+1, a+2, … within one page: the case worth a block move.
bool contiguous(const std::int64_t* addresses, const LaneSet& active) {
  const unsigned width = active.width();
  if (offset_of(addresses[0]) + width > Cells::page_cells || active != LaneSet::all(width)) {
    return false;
  }
  const std::int64_t base = addresses[0];
  std::int64_t different = 0;
  for (unsigned t = 0; t < width; ++t) {
    different |= static_cast<std::int64_t>(static_cast<std::uint64_t>(addresses[t]) - static_cast<std::uint64_t>(base)) ^ t;
  }
  return different == 0;
}

}  // namespace

const Cells::Page* Cells::find_sparse(std::uint64_t page) const {
  const auto found = sparse_.find(page);
  return found == sparse_.end() ? nullptr : found->second.get();
}

bool Cells::write_numbers(std::int64_t base, const std::int64_t* values, unsigned count) {
  const std::uint64_t number = page_of(base);
  const std::size_t offset = offset_of(base);
  if (number >= dense_.size() || offset + count > page_cells) {
    return false;
  }
  const PagePointer& page = dense_[number];
  if (!page || page.use_count() > 1 || !all_set(page->numbers.data(), offset, count)) {
    return false;
  }
  std::memcpy(page->values.data() + offset, values, count * sizeof(std::int64_t));
  return true;
}

Cells::Page* Cells::writable(std::uint64_t page) {
  if (page < dense_pages && page >= dense_.size()) {
    dense_.resize(page + 1);
  }
  PagePointer& pointer = page < dense_pages ? dense_[page] : sparse_[page];
  if (!pointer) {
    pointer = std::make_shared<Page>();
    ++page_count_;
  } else if (pointer.use_count() > 1) {
    pointer = std::make_shared<Page>(*pointer);
  }
  return pointer.get();
}

Cell Cells::read(std::int64_t address) const {
  const Page* page = address < 0 ? nullptr : find(page_of(address));
  if (page == nullptr) {
    return {};
  }
  const std::size_t i = offset_of(address);
  const std::uint64_t bit = std::uint64_t{1} << (i % 64);
  if ((page->numbers[i / 64] & bit) != 0) {
    return {CellState::Number, page->values[i]};
  }
  return {(page->poison[i / 64] & bit) != 0 ? CellState::Poison : CellState::Uninitialised, 0};
}

void Cells::put(Page& page, std::size_t offset, std::int64_t value, bool poison) {
  const std::uint64_t bit = std::uint64_t{1} << (offset % 64);
  page.values[offset] = poison ? 0 : value;
  if (poison) {
    page.poison[offset / 64] |= bit;
    page.numbers[offset / 64] &= ~bit;
  } else {
    page.numbers[offset / 64] |= bit;
    page.poison[offset / 64] &= ~bit;
  }
}

bool Cells::write(std::int64_t address, Cell cell) {
  if (address < 0 || (find(page_of(address)) == nullptr && page_count_ >= limit_pages_)) {
    return false;
  }
  Page& page = *writable(page_of(address));
  const std::size_t i = offset_of(address);
  put(page, i, cell.number, cell.state == CellState::Poison);
  if (cell.state == CellState::Uninitialised) {
    page.numbers[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    page.values[i] = 0;
  }
  return true;
}

void Cells::gather(const std::int64_t* addresses, const LaneSet& active, std::int64_t* values, LaneSet& uninitialised,
                   LaneSet& poison) const {
  if (active.width() != 0 && contiguous(addresses, active)) {
    const Page* page = find(page_of(addresses[0]));
    if (page == nullptr) {
      std::fill_n(values, active.width(), 0);
      uninitialised = active;
      return;
    }
    const std::size_t offset = offset_of(addresses[0]);
    std::memcpy(values, page->values.data() + offset, active.width() * sizeof(std::int64_t));
    for (unsigned w = 0; w < active.word_count(); ++w) {
      const unsigned count = std::min(64U, active.width() - 64 * w);
      const std::uint64_t numbers = window(page->numbers.data(), offset + 64 * w, count);
      if (numbers != active.words()[w]) {
        const std::uint64_t bad = window(page->poison.data(), offset + 64 * w, count);
        poison.words()[w] = bad;
        uninitialised.words()[w] = active.words()[w] & ~numbers & ~bad;
      }
    }
    return;
  }
  std::uint64_t last = ~std::uint64_t{0};
  const Page* page = nullptr;
  active.for_each([&](unsigned t) {
    const std::uint64_t wanted = page_of(addresses[t]);
    if (wanted != last) {
      page = find(wanted);
      last = wanted;
    }
    const std::size_t i = offset_of(addresses[t]);
    if (page != nullptr && ((page->numbers[i / 64] >> (i % 64)) & 1U) != 0) {
      values[t] = page->values[i];
      return;
    }
    values[t] = 0;
    const bool is_poison = page != nullptr && ((page->poison[i / 64] >> (i % 64)) & 1U) != 0;
    (is_poison ? poison : uninitialised).insert(t);
  });
}

bool Cells::reserve(const std::int64_t* addresses, const LaneSet& active) {
  std::vector<std::uint64_t> missing;
  std::uint64_t last = ~std::uint64_t{0};
  active.for_each([&](unsigned t) {
    const std::uint64_t page = page_of(addresses[t]);
    if (page != last && find(page) == nullptr) {
      missing.push_back(page);
    }
    last = page;
  });
  if (missing.empty()) {
    return true;
  }
  std::sort(missing.begin(), missing.end());
  missing.erase(std::unique(missing.begin(), missing.end()), missing.end());
  return page_count_ + missing.size() <= limit_pages_;
}

bool Cells::scatter(const std::int64_t* addresses, const LaneSet& active, const std::int64_t* values, const LaneSet& poison,
                    const std::vector<unsigned>* order) {
  if (active.empty()) {
    return true;
  }
  if (!reserve(addresses, active)) {
    return false;
  }
  if (contiguous(addresses, active)) {
    Page& page = *writable(page_of(addresses[0]));
    const std::size_t offset = offset_of(addresses[0]);
    std::memcpy(page.values.data() + offset, values, active.width() * sizeof(std::int64_t));
    for (unsigned w = 0; w < active.word_count(); ++w) {
      const unsigned count = std::min(64U, active.width() - 64 * w);
      const std::uint64_t bad = w < poison.word_count() ? poison.words()[w] : 0;
      set_window(page.numbers.data(), offset + 64 * w, count, ~bad);
      set_window(page.poison.data(), offset + 64 * w, count, bad);
    }
    return true;
  }
  std::uint64_t last = ~std::uint64_t{0};
  Page* page = nullptr;
  const auto write_one = [&](unsigned t) {
    const std::uint64_t wanted = page_of(addresses[t]);
    if (wanted != last) {
      page = writable(wanted);
      last = wanted;
    }
    put(*page, offset_of(addresses[t]), values[t], poison.contains(t));
  };
  if (order == nullptr) {
    active.for_each(write_one);
  } else {
    for (const unsigned t : *order) {
      if (active.contains(t)) {
        write_one(t);
      }
    }
  }
  return true;
}

std::size_t Cells::pages_not_in(const Cells& other) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < dense_.size(); ++i) {
    count += dense_[i] && (i >= other.dense_.size() || other.dense_[i] != dense_[i]);
  }
  for (const auto& [number, page] : sparse_) {
    const auto found = other.sparse_.find(number);
    count += found == other.sparse_.end() || found->second != page;
  }
  return count;
}

}  // namespace lockstep
