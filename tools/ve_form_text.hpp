#pragma once
// The instructions of VE as pages.

#include <string>

#include "semantics/ve/table.hpp"

namespace lockstep::tools {

/// The page of a class: a section for each of its rows.
std::string ve_class_page(ve::Class c);

/// The list of all classes, with their instructions.
std::string ve_index();

}  // namespace lockstep::tools
