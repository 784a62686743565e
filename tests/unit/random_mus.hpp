#pragma once
// Random μ-SIMD texts for the tests of the checker: well-formed by construction, or with a few control lines changed.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <random>
#include <string>
#include <vector>

/// One text. Every line has a label "L<index>:", so that any line can be a target.
class RandomMus {
 public:
  explicit RandomMus(std::uint64_t seed) : random_(seed) {
    for (const char* v : {"v0", "v1", "v2", "v3"}) {
      add(std::string(v) + " = " + operand());
    }
    add("everywhere");  // so that no thread ever reads an uninitialised variable
    for (const char* v : {"v0", "v1", "v2", "v3"}) {
      add(std::string(v) + " = " + operand());
    }
    add("end_everywhere");
    sequence(3, false);
    add("stop");
  }

  /// Drops, adds or redirects 1 or 2 control lines.
  void mutate() {
    for (auto count = pick(2) + 1; count > 0; --count) {
      switch (pick(3)) {
        case 0:
          drop();
          break;
        case 1:
          insert();
          break;
        default:
          redirect();
          break;
      }
    }
  }

  std::string text() const {
    std::string result = ".shared 0 : 0 1 1 0 2 3 1 0\n";
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      result += "L" + std::to_string(i) + ": ";
      for (const std::string& added : lines_[i].before) {
        result += added + "\n";
      }
      result += lines_[i].text;
      if (lines_[i].target) {
        result += "L" + std::to_string(*lines_[i].target);
      }
      result += "\n";
    }
    return result + "L" + std::to_string(lines_.size()) + ":\n";
  }

 private:
  struct Line {
    std::vector<std::string> before;  // instructions that mutate() put in front
    std::string text;
    std::optional<std::size_t> target;
  };

  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  std::size_t add(const std::string& text, std::optional<std::size_t> target = std::nullopt) {
    lines_.push_back({{}, text, target});
    return lines_.size() - 1;
  }

  std::string variable() { return "v" + std::to_string(pick(4)); }

  std::string operand() {
    switch (pick(6)) {
      case 0:
        return "tid";
      case 1:
        return "(tid & 1)";
      default:
        return std::to_string(pick(4));
    }
  }

  std::string expression() {
    static const char* const operators[] = {" + ", " - ", " & ", " == ", " < ", " ^ "};
    const std::string left = pick(3) == 0 ? operand() : variable();
    return pick(3) == 0 ? left : left + operators[pick(6)] + (pick(2) == 0 ? operand() : variable());
  }

  void simple(bool in_block) {
    switch (pick(6)) {
      case 0:
        add(variable() + " = ld ((" + expression() + ") & 7)");
        break;
      case 1:
        add("st ((" + expression() + ") & 7) = " + expression());
        break;
      case 2:
        if (in_block) {
          add(variable() + " = min(" + expression() + ", " + variable() + ")");
        } else {
          add(variable() + " = shfl(" + variable() + ", tid)");
        }
        break;
      default:
        add(variable() + " = " + (pick(2) == 0 ? std::to_string(pick(3)) : expression()));
        break;
    }
  }

  void sequence(std::size_t depth, bool in_block) {
    for (auto count = pick(3) + 1; count > 0; --count) {
      simple(in_block);
      if (depth > 0) {
        statement(depth - 1, in_block);
      }
    }
  }

  void statement(std::size_t depth, bool in_block) {
    switch (pick(8)) {
      case 0:
        return branch(depth, in_block, false);
      case 1:
        return branch(depth, in_block, true);
      case 2:
        return while_loop(depth, in_block);
      case 3:
        return do_loop(depth, in_block);
      case 4:
        return block(depth);
      case 5:
        return call(depth);
      default:
        return simple(in_block);
    }
  }

  void branch(std::size_t depth, bool in_block, bool with_else) {
    const std::size_t test = add("bz " + (pick(2) == 0 ? variable() : expression()) + ", ");
    sequence(depth, in_block);
    if (with_else) {
      const std::size_t skip = add("jmp ");
      lines_[test].target = lines_.size();
      sequence(depth, in_block);
      lines_[skip].target = lines_.size();
    } else {
      lines_[test].target = lines_.size();
    }
    add("sync");
  }

  std::string bound() { return pick(2) == 0 ? std::to_string(pick(3) + 1) : pick(2) == 0 ? "tid" : "(" + variable() + " & 3)"; }

  void while_loop(std::size_t depth, bool in_block) {
    const std::string counter = "c" + std::to_string(counters_++);
    add(counter + " = 0");
    const std::size_t head = add("bz " + counter + " < " + bound() + ", ");
    sequence(depth, in_block);
    add(counter + " = " + counter + " + 1");
    add("jmp ", head);
    lines_[head].target = add("sync");
  }

  void do_loop(std::size_t depth, bool in_block) {
    const std::string counter = "c" + std::to_string(counters_++);
    add(counter + " = 0");
    const std::size_t head = lines_.size();
    sequence(depth, in_block);
    add(counter + " = " + counter + " + 1");
    add("bz " + counter + " >= " + bound() + ", ", head);
    add("sync");
  }

  void block(std::size_t depth) {
    add("everywhere");
    sequence(depth, true);
    add("end_everywhere");
  }

  // Fig. 8, whose loop has no sync.
  void call(std::size_t depth) {
    const std::string caller = "i" + std::to_string(counters_++);
    add("everywhere");
    add(caller + " = 0");
    const std::size_t loop = add("jmp_mask " + caller + ", ");
    const std::size_t skip = add("jmp ");
    lines_[loop].target = add(variable() + " = shfl(" + variable() + ", " + caller + ")");
    sequence(depth, true);
    lines_[skip].target = add(caller + " = " + caller + " + 1");
    add("bz " + caller + " == 4, ", loop);
    add("end_everywhere");
  }

  static bool control(const Line& line) {
    return line.target || line.text == "sync" || line.text == "stop" || line.text.ends_with("everywhere");
  }

  std::vector<std::size_t> control_lines(bool with_target) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (with_target ? lines_[i].target.has_value() : control(lines_[i])) {
        result.push_back(i);
      }
    }
    return result;
  }

  void drop() {
    const std::vector<std::size_t> choice = control_lines(false);
    if (!choice.empty()) {
      lines_[choice[pick(choice.size())]] = Line{};
    }
  }

  void insert() {
    static const char* const words[] = {"sync",    "everywhere",    "end_everywhere", "stop",          "jmp L",
                                        "bz 0, L", "bz v0 - v1, L", "bz tid, L",      "jmp_mask 1, L", "sync"};
    std::string text = words[pick(std::size(words))];
    if (text.ends_with("L")) {
      text += std::to_string(pick(lines_.size() + 1));
    }
    lines_[pick(lines_.size())].before.push_back(text);
  }

  void redirect() {
    const std::vector<std::size_t> choice = control_lines(true);
    if (!choice.empty()) {
      lines_[choice[pick(choice.size())]].target = pick(lines_.size() + 1);
    }
  }

  std::mt19937_64 random_;
  std::vector<Line> lines_;
  std::size_t counters_ = 0;
};
