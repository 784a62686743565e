#pragma once
// Tables of texts, for terminals and for pages.

#include <string>
#include <vector>

namespace lockstep::bench {

struct Table {
  struct Column {
    std::string name;
    bool is_number = true;  ///< stands at the right
  };

  std::string title;  ///< a sentence, without a full stop
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< a text for each column
};

/// Columns under each other, indented by two; what is empty is a dash. A table without rows is an empty text.
std::string plain_text(const Table& table);

/// As Markdown has tables, the title as a paragraph before it. A table without rows is an empty text.
std::string markdown(const Table& table);

}  // namespace lockstep::bench
