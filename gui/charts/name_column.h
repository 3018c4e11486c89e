#pragma once
#include "gui/charts/canvas.h"
#include "gui/charts/chart_theme.h"

#include <QRectF>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// As wide as the widest name needs, up to a share of the whole.
double nameColumnWidth(const std::vector<std::string>& names, double whole, double textSize);
/// Words on as many lines as needed, each at most so wide; the last one is shortened.
std::vector<std::string> wrapped(std::string_view words,
                                 double width,
                                 std::size_t mostLines,
                                 double textSize);
/// A name that ends where its row begins.
void paintRowName(Canvas& canvas,
                  std::string_view name,
                  const QRectF& row,
                  double plotLeft,
                  const ChartTheme& theme);
/// Rows of equal height that fill a box from top to bottom.
std::vector<QRectF> equalRows(const QRectF& box, std::size_t count);
std::vector<QRectF> equalColumns(const QRectF& box, std::size_t count);

}  // namespace fabricast
