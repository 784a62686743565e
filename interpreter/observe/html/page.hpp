#pragma once
// The fixed parts of the HTML trace, each in a file of its own: style.cpp, body.cpp, script.cpp.

#include <string_view>

namespace lockstep::html {

extern const std::string_view style;
extern const std::string_view body;
extern const std::string_view script;

}  // namespace lockstep::html
