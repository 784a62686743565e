#include "semantics/core/fold_names.hpp"

#include <algorithm>
#include <utility>

#include "semantics/core/name_folder.hpp"
#include "semantics/core/preprocess.hpp"

namespace lockstep::core {

bool Declared::look(const Token& token) {
  const Word word = token.word;
  const bool declares = expects_name_ && is_free_name(token);
  if (opens(word)) {
    in_parameters_ = in_parameters_ || (word == "("_w && was_declared_ && depth_ == 0);
    ++depth_;
  } else if (closes(word) && depth_ > 0) {
    --depth_;
    in_parameters_ = in_parameters_ && depth_ > 0;
  } else if (word == ";"_w && depth_ == declaration_) {
    declaration_ = none;
  }
  if (declares && !in_parameters_) {
    declaration_ = depth_;
  }
  const bool goes_on = word == ","_w && depth_ == declaration_;
  const bool stays = word == "*"_w || word.kind() == WordKind::Qualifier;
  expects_name_ = word.kind() == WordKind::Type || goes_on || (stays && expects_name_);
  was_declared_ = declares;
  return declares;
}

void NameFolder::run() {
  while (true) {
    const Token& token = peek();
    if (token.kind == TokenKind::End) {
      finish_item();
      out_.push_back(token);
      break;
    }
    if (token.word == "typedef"_w) {
      read_typedef();
    } else if (token.word == "enum"_w || begins_record(token)) {
      const bool begins = item_.empty() || item_.back().kind == TokenKind::Pragma || item_.back().word == ";"_w ||
                          item_.back().word == "{"_w || item_.back().word == "}"_w;
      const Token type = token.word == "enum"_w ? read_enum() : read_record();
      // `enum {…};` declares no variable; an unnamed type would be a declaration without a name.
      if (begins && peek().word == ";"_w) {
        ++at_;
      } else {
        declared_.look(type);
        item_.push_back(type);
      }
    } else {
      put_in_item(token);
      ++at_;
    }
  }
  tokens_ = std::move(out_);
}

const Token& NameFolder::take(Word word, const std::string& what) {
  if (peek().word != word) {
    refuse(peek(), "expected " + what + described());
  }
  return tokens_[at_++];
}

void NameFolder::finish_item() {
  std::ranges::copy(std::exchange(hoisted_, {}), std::back_inserter(out_));
  std::ranges::copy(std::exchange(item_, {}), std::back_inserter(out_));
}

void NameFolder::put_in_item(const Token& token) {
  const bool declares = declared_.look(token);
  // Parameters and a function's own block are one scope.
  const bool begins_parameters = declared_.in_parameters() && !has_parameters_;
  const bool ends_prototype = token.word == ";"_w && has_parameters_;
  if (begins_parameters || (token.word == "{"_w && !has_parameters_)) {
    scopes_.open();
  } else if (token.word == "}"_w || ends_prototype) {
    scopes_.close();
  }
  has_parameters_ = begins_parameters || (has_parameters_ && token.word != "{"_w && !ends_prototype);
  if (declares) {
    scopes_.declare_other(token);
    item_.push_back(token);
  } else {
    const std::size_t first = item_.size();
    put(item_, token);
    const bool is_replaced = item_[first].word != token.word;
    for (std::size_t i = first; is_replaced && i < item_.size(); ++i) {
      declared_.look(item_[i]);
    }
  }
  if (scopes_.at_file_scope() && (token.kind == TokenKind::Pragma || token.word == ";"_w || token.word == "}"_w)) {
    finish_item();
  }
}

void NameFolder::put(Tokens& out, const Token& token) {
  const bool is_component = !out.empty() && (out.back().word == "."_w || out.back().word == "->"_w);
  const Meaning* meaning = is_free_name(token) && !is_component ? scopes_.find(token.text) : nullptr;
  if (meaning == nullptr || meaning->kind == Meaning::Kind::Other) {
    out.push_back(token);
    return;
  }
  const Tokens tokens = meaning->kind == Meaning::Kind::Type ? *meaning->written : constant(*meaning, token.span);
  count_ += tokens.size();
  if (count_ + tokens_.size() > max_tokens) {
    refuse(token, "the text becomes more than " + std::to_string(max_tokens) + " tokens");
  }
  for (Token part : tokens) {
    part.span = token.span;
    out.push_back(part);
  }
}

void fold_names(TokenList& list) {
  if (std::ranges::any_of(list.tokens, [](const Token& token) { return token.word.kind() == WordKind::Declaring; })) {
    NameFolder(list).run();
  }
}

}  // namespace lockstep::core
