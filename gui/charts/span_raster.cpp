#include "gui/charts/span_raster.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

/// Spans narrower than this have no edge of their own.
constexpr double kEdgeWidth = 4.0;
constexpr double kFullyBusy = 255.0;

/// Adds up what the spans of one column take of it, by kind.
class ColumnSum {
public:
    void add(std::uint8_t kind, double share) {
        shares_[kind] += share;
        kinds_ |= 1U << kind;
    }
    void setCritical() { critical_ = true; }
    void setEdge() { edge_ = true; }

    /// What it came to, and an empty sum again.
    SpanColumn take() {
        SpanColumn column;
        double most = 0.0;
        double busy = 0.0;
        for (std::uint8_t kind = 0; kinds_ != 0; ++kind, kinds_ >>= 1U) {
            if ((kinds_ & 1U) != 0) {
                busy += shares_[kind];
                if (shares_[kind] > most || column.kind == SpanColumn::kIdle) {
                    most = shares_[kind];
                    column.kind = kind;
                }
                shares_[kind] = 0.0;
            }
        }
        if (column.kind != SpanColumn::kIdle) {
            const double level = std::clamp(busy * kFullyBusy, 1.0, kFullyBusy);
            column.busy = static_cast<std::uint8_t>(std::lround(level));
            column.critical = critical_;
            column.edge = edge_;
        }
        critical_ = false;
        edge_ = false;
        return column;
    }

private:
    std::array<double, kMostSpanKinds> shares_{};
    std::uint32_t kinds_ = 0;
    bool critical_ = false;
    bool edge_ = false;
};

/// A span in columns of the view, cut to it.
struct ColumnSpan {
    double left = 0.0;
    double right = 0.0;
    std::uint8_t kind = 0;
    bool critical = false;
    bool startsHere = false;
    bool wide = false;
};

/// Spans come from left to right; each column is done when a later one begins.
class SpanRow {
public:
    explicit SpanRow(std::size_t columns) : columns_(columns) {}

    void add(const ColumnSpan& span) {
        const std::size_t last = columns_.size() - 1;
        const auto first = std::min(static_cast<std::size_t>(span.left), last);
        const auto end = std::min(static_cast<std::size_t>(span.right), last);
        goTo(first);
        if (first == end) {
            addTo(span, span.right - span.left);
        } else {
            addTo(span, static_cast<double>(first + 1) - span.left);
            fillWhole(span, first + 1, end);
            goTo(end);
            addTo(span, span.right - static_cast<double>(end), false);
        }
    }

    std::vector<SpanColumn> take() {
        columns_[current_] = sum_.take();
        return std::move(columns_);
    }

private:
    void goTo(std::size_t column) {
        if (column != current_) {
            columns_[current_] = sum_.take();
            current_ = column;
        }
    }

    void addTo(const ColumnSpan& span, double share, bool first = true) {
        if (!first && share <= 0.0) {
            return;  // it ends where the column begins
        }
        sum_.add(span.kind, share);
        if (span.critical) {
            sum_.setCritical();
        }
        if (first && span.startsHere && span.wide) {
            sum_.setEdge();
        }
    }

    void fillWhole(const ColumnSpan& span, std::size_t from, std::size_t to) {
        if (from < to) {
            goTo(from);
            std::fill(columns_.begin() + static_cast<std::ptrdiff_t>(from),
                      columns_.begin() + static_cast<std::ptrdiff_t>(to),
                      SpanColumn{.kind = span.kind,
                                 .busy = static_cast<std::uint8_t>(kFullyBusy),
                                 .critical = span.critical});
            skipTo(to);
        }
    }

    /// Without writing the sum, which is empty, over what was filled.
    void skipTo(std::size_t column) { current_ = column; }

    std::vector<SpanColumn> columns_;
    std::size_t current_ = 0;
    ColumnSum sum_;
};

}  // namespace

std::size_t firstSpanAfter(const SpanLane& lane, double time) {
    const auto first = std::ranges::upper_bound(lane.end, time);
    return static_cast<std::size_t>(first - lane.end.begin());
}

std::vector<SpanColumn> spanColumns(const SpanLane& lane,
                                    const ValueRange& view,
                                    std::size_t columns) {
    if (columns == 0 || view.span() <= 0.0) {
        return {};
    }
    SpanRow row(columns);
    const double perSecond = static_cast<double>(columns) / view.span();
    const bool hasCritical = lane.critical.size() == lane.size();
    constexpr auto kLastKind = static_cast<std::uint8_t>(kMostSpanKinds - 1);
    for (std::size_t span = firstSpanAfter(lane, view.low);
         span < lane.size() && lane.start[span] < view.high;
         ++span) {
        const double left = (lane.start[span] - view.low) * perSecond;
        const double right = (lane.end[span] - view.low) * perSecond;
        row.add({.left = std::max(left, 0.0),
                 .right = std::min(right, static_cast<double>(columns)),
                 .kind = std::min(lane.kind[span], kLastKind),
                 .critical = hasCritical && lane.critical[span] != 0,
                 .startsHere = left >= 0.0,
                 .wide = right - left >= kEdgeWidth});
    }
    return row.take();
}

}  // namespace fabricast
