#include "semantics/core/fold_names.hpp"

#include <algorithm>
#include <utility>

#include "semantics/core/name_folder.hpp"
#include "semantics/core/preprocess.hpp"

namespace lockstep::core {
namespace {

/// Whether the name of a member comes next: offsetof(TYPE, MEMBER).
bool is_behind_offsetof(const Tokens& tokens) {
  constexpr std::size_t most = 12;  // words of a type
  if (tokens.empty() || tokens.back().word != ","_w) {
    return false;
  }
  for (std::size_t back = 2; back <= std::min(most, tokens.size() - 1); ++back) {
    if (tokens[tokens.size() - back].word == "("_w) {
      return tokens[tokens.size() - back - 1].text == "offsetof";
    }
  }
  return false;
}

}  // namespace

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
      const bool begins = item_.empty() || item_.back().kind == TokenKind::Pragma || item_.back().kind == TokenKind::Unroll ||
                          item_.back().word == ";"_w || item_.back().word == "{"_w || item_.back().word == "}"_w;
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
  loops_.clear();
}

void NameFolder::end_statement() {
  const Word next = tokens_[std::min(at_ + 1, tokens_.size() - 1)].word;
  while (!loops_.empty() && loops_.back().is_in_body && loops_.back().brackets == 0) {
    ForLoop& loop = loops_.back();
    if (next == "else"_w && loop.ifs > 0) {
      --loop.ifs;
      return;
    }
    if (next == "while"_w && loop.dos > 0) {
      --loop.dos;
      return;
    }
    loops_.pop_back();
    scopes_.close();
  }
}

void NameFolder::follow_loops(const Token& token) {
  if (loops_.empty()) {
    return;
  }
  ForLoop& loop = loops_.back();
  const Word open = loop.is_in_body ? "{"_w : "("_w;
  const Word close = loop.is_in_body ? "}"_w : ")"_w;
  if (token.word == open) {
    ++loop.brackets;
  } else if (token.word == close && loop.brackets > 0) {
    --loop.brackets;
  }
  if (!loop.is_in_body) {
    loop.is_in_body = token.word == ")"_w && loop.brackets == 0;
    return;
  }
  if (loop.brackets > 0) {
    return;
  }
  loop.ifs += token.word == "if"_w ? 1U : 0U;
  loop.dos += token.word == "do"_w ? 1U : 0U;
  // Behind the braces of a value its expression goes on.
  const Word next = tokens_[std::min(at_ + 1, tokens_.size() - 1)].word;
  const bool ends_block = token.word == "}"_w && next != ";"_w && next != ","_w && next != ")"_w && next != "."_w && next != "["_w;
  if (token.word == ";"_w || ends_block) {
    end_statement();
  }
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
  if (token.word == "for"_w) {
    scopes_.open();
    loops_.emplace_back();
  } else {
    follow_loops(token);
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
  if (scopes_.at_file_scope() &&
      (token.kind == TokenKind::Pragma || token.kind == TokenKind::Unroll || token.word == ";"_w || token.word == "}"_w)) {
    finish_item();
  }
}

void NameFolder::put(Tokens& out, const Token& token) {
  const bool is_component = !out.empty() && (out.back().word == "."_w || out.back().word == "->"_w || is_behind_offsetof(out));
  const Meaning* meaning = is_free_name(token) && !is_component ? scopes_.find(token.text) : nullptr;
  if (meaning == nullptr || meaning->kind == Meaning::Kind::Other) {
    if (hoists_ > 0 && meaning != nullptr && scopes_.is_inner(token.text)) {
      refuse(token, "a size in a type cannot be that of " + quoted(token.text) + ", a variable of this function; write the number",
             {{Severity::Note, meaning->span, "it is declared here", {}}});
    }
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
