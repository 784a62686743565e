#pragma once
// Folders of generated pages: an index, and a page for each thing.

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::tools {

/// A file NAME.md of Markdown.
struct Page {
  std::string name;
  std::string text;
};

/// The first line of a page that `lockstep COMMAND` makes, which tells readers not to edit it.
std::string page_mark(std::string_view command);

/// Writes the pages into `folder`, which is made if it is not there; a problem is a sentence.
std::expected<void, std::string> write_pages(const std::string& folder, const std::vector<Page>& pages);

}  // namespace lockstep::tools
