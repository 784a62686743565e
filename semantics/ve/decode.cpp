#include "semantics/ve/decode.hpp"

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <charconv>

#include "semantics/ve/operations.hpp"

namespace lockstep::ve {

namespace {

constexpr const char* triple = "ve-linux";

/// A register by LLVM's name of it: SX12, SW12 and SF12 are %s12, Q6 is %s12 and %s13, VMP1 is %vm2 and %vm3.
std::optional<Operand> register_named(std::string_view name) {
  struct Prefix {
    std::string_view letters;
    Operand::Kind kind;
    unsigned registers;  ///< that one of these is
    unsigned count;
  };
  constexpr auto prefixes = std::to_array<Prefix>({{"SX", Operand::Kind::Scalar, 1, scalar_registers},
                                                   {"SW", Operand::Kind::Scalar, 1, scalar_registers},
                                                   {"SF", Operand::Kind::Scalar, 1, scalar_registers},
                                                   {"Q", Operand::Kind::Quad, 2, scalar_registers},
                                                   {"VMP", Operand::Kind::MaskPair, 2, mask_registers},
                                                   {"VM", Operand::Kind::Mask, 1, mask_registers},
                                                   {"V", Operand::Kind::Vector, 1, vector_registers}});
  for (const Prefix& prefix : prefixes) {
    const std::string_view digits = name.substr(std::min(prefix.letters.size(), name.size()));
    unsigned number = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (name.starts_with(prefix.letters) && problem == std::errc() && end == digits.data() + digits.size() &&
        number * prefix.registers < prefix.count) {
      return Operand{prefix.kind, static_cast<std::uint8_t>(number * prefix.registers), 0};
    }
  }
  return std::nullopt;
}

/// `(m)1` is m ones with zeros behind them, `(m)0` m zeros with ones behind them; LLVM has m for the one, and 64 + m for the other.
std::uint64_t ones_or_zeros(std::uint64_t encoded) {
  const std::uint64_t count = encoded & 63U;
  const std::uint64_t ones = count == 0 ? 0 : ~std::uint64_t{0} << (64 - count);
  return (encoded & 64U) == 0 ? ones : ~ones;
}

/// Numbers that an instruction's row allows.
bool allowed(const RowInfo& row, std::uint64_t condition) {
  const bool rounds = row.kind == Kind::Scalar || row.kind == Kind::Vector;
  return rounds ? is_rounding_mode(condition) : condition < condition_count;
}

/// No mask, or %vm0, which has all elements.
bool is_all_elements(const Operand& mask) { return mask.number == 0; }

}  // namespace

struct Decoder::Llvm {
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembly;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::vector<std::optional<Operand>> operands;  ///< by LLVM's number of a register
  std::vector<std::optional<Shape>> shapes;      ///< by LLVM's number of an instruction

  std::optional<llvm::MCInst> disassemble(std::span<const std::byte> bytes) const {
    llvm::MCInst made;
    std::uint64_t size = 0;
    const llvm::ArrayRef<std::uint8_t> code(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
    const auto status = disassembler->getInstruction(made, size, code, 0, llvm::nulls());
    return status == llvm::MCDisassembler::Success ? std::optional(std::move(made)) : std::nullopt;
  }

  /// An operand as LLVM has it; of a number, `letter` says how it is written.
  std::optional<Operand> operand(const llvm::MCOperand& made, char letter) const {
    if (made.isReg()) {
      return made.getReg() < operands.size() ? operands[made.getReg()] : std::nullopt;
    }
    if (!made.isImm()) {
      return std::nullopt;
    }
    const auto value = static_cast<std::uint64_t>(made.getImm());
    return Operand{Operand::Kind::Number, 0, letter == 'm' ? ones_or_zeros(value) : value};
  }

  std::optional<Instruction> instruction(const llvm::MCInst& made, const Shape& shape) const {
    const RowInfo& row = info(shape.row);
    Instruction result;
    result.row = shape.row;
    std::size_t letter = 0;
    std::size_t source = 0;
    std::size_t next = 0;
    for (const char role : row.operands) {
      if (next == made.getNumOperands()) {
        return std::nullopt;
      }
      const llvm::MCOperand& given = made.getOperand(static_cast<unsigned>(next));
      ++next;
      if (role == 't') {
        continue;
      }
      if (role == 'c') {
        if (!given.isImm() || !allowed(row, static_cast<std::uint64_t>(given.getImm()))) {
          return std::nullopt;
        }
        result.condition = static_cast<std::uint8_t>(given.getImm());
        continue;
      }
      const char written_as = role == 's' && letter < shape.letters.size() ? shape.letters[letter] : ' ';
      letter += role == 's' ? 1 : 0;
      const auto read = operand(given, written_as);
      if (!read) {
        return std::nullopt;
      }
      (role == '=' ? result.result : result.sources.at(source++)) = *read;
    }
    if (next < made.getNumOperands()) {
      const auto mask = operand(made.getOperand(static_cast<unsigned>(next)), ' ');
      ++next;
      if (!mask || (mask->kind != Operand::Kind::Mask && mask->kind != Operand::Kind::MaskPair)) {
        return std::nullopt;
      }
      result.mask = is_all_elements(*mask) ? Operand{} : *mask;
    }
    return next == made.getNumOperands() ? std::optional(result) : std::nullopt;
  }
};

Decoder::Decoder(std::unique_ptr<Llvm> llvm) : llvm_(std::move(llvm)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() = default;

std::expected<Decoder, std::string> Decoder::make() {
  llvm::InitializeAllTargetInfos();  // those that this LLVM was built with
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllDisassemblers();
  std::string problem;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, problem);
  if (target == nullptr) {
    return std::unexpected("this LLVM has no VE: " + problem);
  }
  auto llvm = std::make_unique<Llvm>();
  llvm->registers.reset(target->createMCRegInfo(triple));
  llvm->assembly.reset(target->createMCAsmInfo(*llvm->registers, triple, llvm::MCTargetOptions()));
  llvm->instructions.reset(target->createMCInstrInfo());
  llvm->subtarget.reset(target->createMCSubtargetInfo(triple, "", "+vpu"));
  llvm->context =
      std::make_unique<llvm::MCContext>(llvm::Triple(triple), llvm->assembly.get(), llvm->registers.get(), llvm->subtarget.get());
  llvm->disassembler.reset(target->createMCDisassembler(*llvm->subtarget, *llvm->context));
  llvm->printer.reset(target->createMCInstPrinter(llvm::Triple(triple), 0, *llvm->assembly, *llvm->instructions, *llvm->registers));
  if (llvm->disassembler == nullptr || llvm->printer == nullptr) {
    return std::unexpected("this LLVM has no disassembler for VE");
  }
  for (unsigned k = 0; k < llvm->registers->getNumRegs(); ++k) {
    llvm->operands.push_back(register_named(llvm->registers->getName(k)));
  }
  for (unsigned k = 0; k < llvm->instructions->getNumOpcodes(); ++k) {
    llvm->shapes.push_back(shape_of(llvm->instructions->getName(k)));
  }
  return Decoder(std::move(llvm));
}

std::expected<Instruction, std::string> Decoder::decode(std::span<const std::byte> bytes) const {
  const auto made = llvm_->disassemble(bytes);
  if (!made) {
    return std::unexpected(fmt::format("{} is no instruction of VE", text(bytes)));
  }
  const std::optional<Shape>& shape = llvm_->shapes.at(made->getOpcode());
  const auto instruction = shape ? llvm_->instruction(*made, *shape) : std::nullopt;
  if (!instruction) {
    return std::unexpected(fmt::format("the machine has no '{}' ({})", text(bytes), llvm_->instructions->getName(made->getOpcode()).str()));
  }
  return *instruction;
}

std::string Decoder::text(std::span<const std::byte> bytes) const {
  const auto made = llvm_->disassemble(bytes);
  std::string text;
  if (!made) {
    for (const std::byte b : bytes) {
      text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned>(b));
    }
    return text;
  }
  const std::optional<Shape>& shape = llvm_->shapes.at(made->getOpcode());
  if (!shape || !llvm_->instruction(*made, *shape)) {  // LLVM ends where it has no name for a condition or a rounding
    const std::string mnemonic = llvm_->printer->getMnemonic(&*made).first;
    return mnemonic.substr(0, mnemonic.find_last_not_of(" \t") + 1);
  }
  llvm::raw_string_ostream stream(text);
  llvm_->printer->printInst(&*made, 0, "", *llvm_->subtarget, stream);
  stream.flush();
  std::ranges::replace(text, '\t', ' ');
  text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  return text;
}

std::expected<Code, std::string> decode(const Decoder& decoder, const Object& object) {
  Code code(object.sections.size());
  for (std::size_t k = 0; k < object.sections.size(); ++k) {
    const Section& section = object.sections[k];
    if (!section.executable) {
      continue;
    }
    const std::span<const std::byte> bytes(section.bytes);
    for (std::size_t at = 0; at + instruction_bytes <= bytes.size(); at += instruction_bytes) {
      auto instruction = decoder.decode(bytes.subspan(at, instruction_bytes));
      if (!instruction) {
        return std::unexpected(fmt::format("{}: {}", place_text(object, k, at), instruction.error()));
      }
      code[k].push_back(*instruction);
    }
    if (bytes.size() % instruction_bytes != 0) {
      return std::unexpected(fmt::format("{}: the section ends inside of an instruction", place_text(object, k, bytes.size())));
    }
  }
  return code;
}

}  // namespace lockstep::ve
