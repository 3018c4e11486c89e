#pragma once
#include "planner/report/table.h"

#include <QString>
#include <string>

namespace fabricast {

/// A table as the HTML that QTextDocument reads. Its caption and titles stand again on each page
/// that it goes on to. `width` in points is that of the page: a table of many columns has smaller
/// letters.
QString printedTable(const Table& table, const std::string& caption, double width);

/// A text with places to break a list of keys ("tp=8,pp=4") at, for what has no <wbr>.
QString printedText(const std::string& text);

}  // namespace fabricast
