#pragma once
#include "gui/print/svg_picture.h"
#include "planner/base/result.h"
#include "planner/report/html_page.h"
#include "planner/report/report.h"

#include <QString>
#include <vector>

namespace fabricast {

/// A picture below its title.
struct PrintedPicture {
    QString title;
    SvgPicture picture;
    bool isWide = false;  ///< a step over time takes the whole width, numbers do not
};

/// This is a report as the HTML that QTextDocument reads: what `htmlPage` has, in its order, with
/// pictures as images that are named by their place in the list.
struct PrintedHtml {
    QString title;
    QString html;
    std::vector<PrintedPicture> pictures;
};

/// `width` is that of the page, in points.
Result<PrintedHtml> printedHtml(const Report& report,
                                const PageInfo& info,
                                const StyleSheet& sheet,
                                double width);

}  // namespace fabricast
