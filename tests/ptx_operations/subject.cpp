#include "tests/ptx_operations/subject.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <new>
#include <sstream>
#include <stdexcept>

#include "interpreter/ptx/lane_kernels.hpp"
#include "semantics/ptx/parse.hpp"

namespace lockstep::ptx_test {
namespace {

using ptx::OperandRole;

/// A row of `lanes` elements that begins where vectors like it.
class Row {
 public:
  Row(std::size_t lanes, std::uint32_t bytes)
      : bytes_(bytes), data_(static_cast<std::byte*>(::operator new[](lanes * bytes, std::align_val_t(64)))) {
    std::memset(data_.get(), 0xa5, lanes * bytes);
  }
  std::byte* data() const { return data_.get(); }
  void set(std::size_t lane, std::uint64_t bits) const { std::memcpy(data_.get() + lane * bytes_, &bits, bytes_); }
  std::uint64_t get(std::size_t lane) const {
    std::uint64_t bits = 0;
    std::memcpy(&bits, data_.get() + lane * bytes_, bytes_);
    return bits;
  }

 private:
  struct Free {
    void operator()(std::byte* data) const { ::operator delete[](data, std::align_val_t(64)); }
  };
  std::size_t bytes_;
  std::unique_ptr<std::byte, Free> data_;
};

std::size_t padded(std::size_t lanes) { return (lanes + 63) / 64 * 64; }

[[noreturn]] void refuse(const std::string& text, const Diagnostics& mistakes) {
  throw std::runtime_error(text + ": " + (mistakes.empty() ? "refused" : mistakes.front().message));
}

std::string hexadecimal(std::uint64_t bits) {
  std::ostringstream out;
  out << "0x" << std::hex << bits;
  return out.str();
}

}  // namespace

Subject::Subject(const std::string& text) : text_(text) {
  auto source =
      std::make_shared<const SourceFile>("subject.ptx",
                                         ".version 8.6\n.target sm_100\n.address_size 64\n.visible .entry k() {\n"
                                         ".reg .pred %p<8>;\n.reg .b8 %c<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n" +
                                             text + "\nret;\n}\n");
  auto parsed = ptx::parse(*source);
  if (!parsed) {
    refuse(text, parsed.error());
  }
  auto resolved = ptx::resolve(*parsed, source);
  if (!resolved) {
    refuse(text, resolved.error());
  }
  module_ = std::make_shared<const ptx::resolved::Module>(std::move(*resolved));
  const ptx::resolved::Function& function = module_->functions.front();
  const ptx::resolved::Instruction& instruction = function.code.front();
  for (const ptx_machine::LaneKernels* kernels : ptx_machine::all_lane_kernels()) {
    operations_.push_back(ptx_machine::lane_operation(instruction, function.registers, *kernels).value());
  }
  const auto& shapes = ptx::info(instruction.form).operands;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto* r = std::get_if<ptx::resolved::Register>(&instruction.operands[i]);
    const std::uint32_t bytes = r == nullptr ? 0 : function.registers[r->index].bytes();
    if (shapes[i].role == OperandRole::Written || shapes[i].role == OperandRole::FlagOut) {
      written_bytes_.push_back(bytes);
    } else if (r != nullptr) {
      read_.push_back({false, 0, bytes});
      read_bytes_.push_back(bytes);
    } else if (const auto* number = std::get_if<ptx::resolved::Constant>(&instruction.operands[i])) {
      read_.push_back({true, number->bits[0], ptx::bytes_of(ptx::type_of(shapes[i], instruction.types).value())});
    }
  }
}

Column Subject::run(const std::vector<Column>& operands, std::size_t destination, bool in_place) const {
  Column results = run(operations_.back(), operands, destination, in_place);
  for (std::size_t i = 0; i + 1 < operations_.size(); ++i) {
    INFO(text_ << " with another instruction set");
    CHECK(run(operations_[i], operands, destination, in_place) == results);
  }
  return results;
}

Column Subject::run(const ptx_machine::LaneOperation& operation, const std::vector<Column>& operands, std::size_t destination,
                    bool in_place) const {
  const std::size_t lanes = operands.empty() ? 1 : operands.front().size();
  const std::size_t room = padded(lanes);
  std::vector<Row> sources;
  std::size_t next = 0;
  for (const Operand& operand : read_) {
    Row& row = sources.emplace_back(room, operand.bytes);
    const Column* column = operand.constant ? nullptr : &operands.at(next++);
    for (std::size_t t = 0; t < room; ++t) {
      row.set(t, column == nullptr ? operand.bits : t < lanes ? (*column)[t] : 0);
    }
  }
  std::vector<Row> results;
  ptx_machine::LaneRows rows;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    rows.from.at(i) = sources[i].data();
  }
  for (std::size_t i = 0; i < written_bytes_.size(); ++i) {
    results.emplace_back(room, written_bytes_[i] == 0 ? 1 : written_bytes_[i]);
    rows.to.at(i) = written_bytes_[i] == 0 ? nullptr : results[i].data();
  }
  if (in_place) {
    rows.to.at(destination) = sources.front().data();
  }
  operation(rows, room);
  const Row& result = in_place ? sources.front() : results.at(destination);
  Column column(lanes);
  for (std::size_t t = 0; t < lanes; ++t) {
    column[t] = result.get(t);
  }
  return column;
}

std::uint64_t Subject::one(const std::vector<std::uint64_t>& operands, std::size_t destination) const {
  std::vector<Column> columns;
  columns.reserve(operands.size());
  for (const std::uint64_t operand : operands) {
    columns.push_back({operand});
  }
  return run(columns, destination).front();
}

std::vector<bool> Subject::unspecified(const std::vector<Column>& operands) const {
  const std::size_t lanes = operands.front().size();
  if (operations_.front().unspecified != ptx_machine::Unspecified::Somewhere) {
    return std::vector<bool>(lanes, operations_.front().unspecified == ptx_machine::Unspecified::Everywhere);
  }
  std::vector<Row> sources;
  ptx_machine::LaneRows rows;
  for (std::size_t i = 0; i < read_.size(); ++i) {
    sources.emplace_back(padded(lanes), read_[i].bytes);
    for (std::size_t t = 0; t < padded(lanes); ++t) {
      sources.back().set(t, t < lanes ? operands[i][t] : 0);
    }
    rows.from.at(i) = sources.back().data();
  }
  std::vector<std::uint64_t> words(padded(lanes) / 64);
  operations_.front().test(words.data(), rows, padded(lanes));
  std::vector<bool> answer(lanes);
  for (std::size_t t = 0; t < lanes; ++t) {
    answer[t] = (words[t / 64] >> (t % 64) & 1) != 0;
  }
  return answer;
}

std::vector<Column> combinations(const std::vector<Column>& lists) {
  std::vector<Column> columns(lists.size());
  std::vector<std::size_t> at(lists.size(), 0);
  while (true) {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      columns[i].push_back(lists[i][at[i]]);
    }
    std::size_t i = 0;
    while (i < lists.size() && ++at[i] == lists[i].size()) {
      at[i++] = 0;
    }
    if (i == lists.size()) {
      return columns;
    }
  }
}

void check(const Subject& subject, const std::vector<Column>& operands, const Expected& expected, std::size_t destination) {
  const Column results = subject.run(operands, destination);
  std::size_t wrong = 0;
  std::string first;
  std::vector<std::uint64_t> lane(operands.size());
  for (std::size_t t = 0; t < results.size(); ++t) {
    for (std::size_t i = 0; i < operands.size(); ++i) {
      lane[i] = operands[i][t];
    }
    const std::uint64_t right = expected(lane);
    if (results[t] != right && ++wrong <= 3) {
      for (const std::uint64_t operand : lane) {
        first += hexadecimal(operand) + ", ";
      }
      first += "gives " + hexadecimal(results[t]) + " instead of " + hexadecimal(right) + "; ";
    }
  }
  INFO(subject.text() << " wrong in " << wrong << " of " << results.size() << " lanes: " << first);
  CHECK(wrong == 0);
}

}  // namespace lockstep::ptx_test
