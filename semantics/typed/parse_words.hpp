#pragma once
// The words of the typed text form (docs/typed-mus.md): which of them are names, and which have a meaning of their own.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "semantics/base/diagnostic.hpp"
#include "semantics/base/refused_line.hpp"
#include "semantics/base/scalar_type.hpp"
#include "semantics/typed/program.hpp"

namespace lockstep::typed {

/// A letter, a digit, "_" or ".": what a name may go on with.
bool is_word_char(char c);

/// True if `text` has the form of a name: a letter or "_", then letters, digits, "_" and ".".
bool is_name(std::string_view text);

/// True for the words that have a meaning in code; a register, label, function or object of that name is written with "$" before it.
bool is_reserved(std::string_view word);

/// The name as it stands in a text: with a "$" if it is a reserved word.
std::string name_text(std::string_view name);

/// The scalar type of that name, if there is one.
std::optional<ScalarType> scalar_named(std::string_view word);

/// "local_id", "group_id", …; the reverse of it.
std::string_view name_of(Query query);
std::optional<Query> query_named(std::string_view word);

/// "null.global.float": the null pointer of a type, and back.
std::string null_text(const ValueType& pointer);
std::optional<ValueType> null_named(std::string_view word);

/// "as.float": the same bits as a number of a type, and back. There is a word for bool, so that it can be said why there is none such.
std::string bitcast_text(ScalarType to);
std::optional<ScalarType> bitcast_named(std::string_view word);

/// "as.global.float": a pointer taken for one to that type, and back. Private arrays are registers, which have no bytes.
std::string reinterpret_text(const ValueType& pointer);
std::optional<ValueType> reinterpret_named(std::string_view word);

/// "float", "global float*"; the same as messages quote it.
std::string name_of(const ValueType& type);
using lockstep::quoted;
std::string quoted(const ValueType& type);

/// A number that is no float: what an index can be.
bool is_integer(const ValueType& type);

/// The part of a register's name before its first ".": the variable that it stands for unless the text says otherwise.
std::string_view stem(std::string_view name);

/// All reserved words, for suggestions.
std::span<const std::string_view> reserved_words();

}  // namespace lockstep::typed
