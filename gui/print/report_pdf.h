#pragma once
#include "planner/base/result.h"
#include "planner/report/html_page.h"
#include "planner/report/report.h"

#include <QByteArray>

namespace fabricast {

/// A report as a PDF on A4, which needs nothing else to be read and no browser to be made: what
/// `htmlPage` has, with numbers and titles of its pages. Across where a table has many columns. The
/// same report gives the same bytes on one machine, whose fonts are in it.
Result<QByteArray> reportPdf(const Report& report, const PageInfo& info);

}  // namespace fabricast
