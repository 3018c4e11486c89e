#pragma once
#include "gui/charts/canvas.h"

#include <QColor>
#include <array>
#include <cstddef>

namespace fabricast {

/// The colours of a chart, and the size of its letters.
///     const ChartTheme theme = dark ? darkChartTheme() : lightChartTheme();
/// Series have Okabe and Ito's colours, which colour-blind people tell apart, each with a pattern
/// and a marker of its own.
struct ChartTheme {
    QColor page;
    QColor plot;   ///< where values are drawn
    QColor text;   ///< contrast with page and plot at least 4.5 to 1, as all that is written
    QColor faint;  ///< units, notes
    QColor grid;
    QColor axis;
    QColor bad;  ///< limits, what does not fit
    QColor good;
    QColor doubtful;  ///< what is unlikely, told from bad and accent without red and green
    QColor accent;    ///< hover, focus, selection
    QColor reserve;   ///< the band between usable and present memory
    static constexpr std::size_t kSeries = 12;
    std::array<QColor, kSeries> series;
    double textSize = 12.0;
    bool isDark = false;

    /// Repeats after the last, with the next pattern.
    [[nodiscard]] QColor seriesColour(std::size_t index) const;
    [[nodiscard]] Filling seriesFilling(std::size_t index) const;
};

ChartTheme lightChartTheme();
ChartTheme darkChartTheme();

MarkerShape seriesMarker(std::size_t index);
FillPattern seriesPattern(std::size_t index);

/// How well two colours stand out from each other, from 1 to 21 (WCAG 2.1).
double contrast(const QColor& a, const QColor& b);
/// Black or white, whichever is easier to read on a colour.
QColor readableOn(const QColor& colour);
/// A share of the way from one colour to another.
QColor mixed(const QColor& from, const QColor& to, double share);

}  // namespace fabricast
