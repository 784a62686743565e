#include "interpreter/observe/trace_html.hpp"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "interpreter/observe/html/page.hpp"
#include "semantics/musimd/rule_table.hpp"

namespace lockstep {

using namespace musimd;

namespace {

/// Text for element content and double-quoted attributes.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

/// The rule table as JSON without `<`: {"rules": {NAME: {figure, statement, errata}}, "premises": {"NAME.1": text}}.
std::string rules_json() {
  nlohmann::ordered_json rules;
  nlohmann::ordered_json premises;
  for (const RuleInfo& rule : rule_table) {
    if (!only_typed(rule)) {
      rules[std::string(rule.name)] = {{"figure", rule.figure}, {"statement", rule.statement}, {"errata", rule.errata}};
    }
  }
  for (const PremiseInfo& premise : premise_table) {
    if (!only_typed(premise)) {
      premises[fmt::format("{}.{}", name(premise.rule), premise.number)] = premise.text;
    }
  }
  std::string out;
  for (const char c : nlohmann::ordered_json({{"rules", rules}, {"premises", premises}}).dump()) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

void TraceHtml::begin() {
  begun_ = true;
  // The policy forbids the page to load anything from anywhere.
  fmt::print(out_,
             "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
             "script-src 'unsafe-inline'\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
             "<title>{} – Lockstep trace</title>\n<style>\n{}</style>\n</head>\n<body>\n{}"
             "<script type=\"application/json\" id=\"rules\">{}</script>\n"
             "<script type=\"application/json\" id=\"trace\">\n",
             escaped(source_.name()), html::style, html::body, rules_json());
}

void TraceHtml::before_step(const Machine& machine) {
  if (!begun_) {
    begin();
  }
  if (full_) {
    return;
  }
  lines_.before_step(machine);
  if (steps_ == 0) {
    bytes_before_ = lines_.bytes();
  }
}

void TraceHtml::asked(const Machine& machine, std::span<const CandidateReport> candidates) {
  if (!full_) {
    lines_.asked(machine, candidates);
  }
}

void TraceHtml::after_step(const Machine& machine, const StepEvent& event) {
  if (full_) {
    return;
  }
  if (steps_ == limits_.steps || lines_.bytes() - bytes_before_ >= limits_.bytes) {
    full_ = true;
    fmt::print(notes_, "lockstep: note: the HTML trace stops after {} steps ({})\n", steps_,
               steps_ == limits_.steps ? "its limit of steps" : "its limit of size");
    return;
  }
  lines_.after_step(machine, event);
  ++steps_;
}

void TraceHtml::ended(const Machine& machine, const Ending& ending) {
  if (!begun_) {
    begin();
  }
  lines_.ended(machine, ending);
  fmt::print(out_, "</script>\n<script>\n{}</script>\n</body>\n</html>\n", html::script);
  out_.flush();
}

}  // namespace lockstep
