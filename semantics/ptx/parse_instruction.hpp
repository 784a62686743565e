#pragma once
// One instruction: its words, by the table, and its operands.

#include <string_view>
#include <unordered_map>
#include <vector>

#include "semantics/ptx/lexer.hpp"
#include "semantics/ptx/syntax.hpp"

namespace lockstep::ptx {

/// A row that the words behind a mnemonic fit, and what they are in its slots.
struct DecodedForm {
  const FormInfo* row = nullptr;
  Modifiers modifiers;
  Types types;
};

/// The rows that a mnemonic with these words is; refused (lockstep::Refused) at the word that none has, with the nearest one.
/// `words` are Dot tokens.
std::vector<DecodedForm> decode(const Token& mnemonic, const std::vector<Token>& words);

/// Reads instructions. Keeps what it has decoded, as a file has few different ones.
class InstructionReader {
 public:
  /// From the guard, or the mnemonic, to behind the `;`.
  Instruction read(TokenStream& tokens);

 private:
  const std::vector<DecodedForm>& decoded(const Token& mnemonic, const std::vector<Token>& words);

  std::unordered_map<std::string, std::vector<DecodedForm>> known_;
};

/// A name with its component and offset: `%v.x`, `table+8`.
Name read_name(TokenStream& tokens);

}  // namespace lockstep::ptx
