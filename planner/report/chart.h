#pragma once
#include "planner/report/table.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Bars, one under the other, before they are drawn: lengths that stand beside each other, or from
/// a number to the next.
struct BarChart {
    /// A length of a bar, in the colour of its series.
    struct Length {
        std::size_t series = 0;
        double from = 0.0;
        double to = 0.0;
    };
    struct Bar {
        std::string label;
        std::vector<Length> lengths{};
        std::string text{};  ///< at its end
    };
    /// A line across all bars: the memory that there is.
    struct Limit {
        double at = 0.0;
        std::string text;
    };

    std::string title;
    std::vector<std::string> series{};  ///< none: one colour, without a legend
    std::vector<Bar> bars{};
    std::optional<Limit> limit{};
};

/// Points before they are drawn.
struct PointChart {
    struct Point {
        double x = 0.0;
        double y = 0.0;
        std::size_t series = 0;
        std::string name{};   ///< shown where a mouse rests
        std::string label{};  ///< beside the point
    };

    std::string title;
    std::string xTitle;
    std::string yTitle;
    std::vector<std::string> series{};
    std::vector<Point> points{};
    bool logarithmic = false;  ///< points that are not positive are left out
    bool diagonal = false;     ///< a line where both numbers are equal
};

/// A picture that is SVG already.
struct Drawing {
    std::string title;
    std::string svg;
};

// Charts of a table's own cells, so that picture and table cannot differ.

/// The number that a cell begins with: 6577 of "6,577", 79.9 of "79.9??", 0.125 of "$0.125".
std::optional<double> numberIn(std::string_view cell);
/// The column of a title; nothing where the table has none.
std::optional<std::size_t> columnOf(const Table& table, std::string_view title);

/// A bar per row, as long as its cell in the column of `value`.
BarChart barsOf(const Table& table, std::string_view label, std::string_view value);
/// A bar per row, of the cells from the column of `first` up to, but without, that of `end`.
BarChart stackedBarsOf(const Table& table, std::string_view first, std::string_view end);
/// From the first row's number to the last one's: each row in between ends where its column `sum`
/// says, and begins where the row above ends.
BarChart waterfallOf(const Table& table, std::string_view sum);

}  // namespace fabricast
