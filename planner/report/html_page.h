#pragma once
#include "planner/report/report.h"

#include <string>

namespace fabricast {

/// What a page says of itself.
struct PageInfo {
    std::string title;    ///< the heading, where the report does not begin with a verdict
    std::string tool;     ///< "fabricast 0.1.0"
    std::string command;  ///< what was typed, to be typed again
};

/// A report as a page that needs nothing else: style and pictures are in it, it has no scripts and
/// asks for no other file. It is XHTML as well as HTML, light or dark as the reader prefers, and
/// prints on A4. Whatever names contain is text, never markup.
std::string htmlPage(const Report& report, const PageInfo& info);

/// Whether a table needs A4 the other way round.
bool hasWideTable(const Report& report);

}  // namespace fabricast
