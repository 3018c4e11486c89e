#include "gui/charts/chart_theme.h"

#include <QColor>
#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

/// Okabe and Ito's colours, in an order in which neighbours differ most, a grey, and four for
/// charts of more kinds.
using Values = std::array<QRgb, ChartTheme::kSeries>;
constexpr Values kOnLight = {0xff0072b2,
                             0xffe69f00,
                             0xff009e73,
                             0xffcc79a7,
                             0xff56b4e9,
                             0xffd55e00,
                             0xfff0e442,
                             0xff6b7280,
                             0xff7b3294,
                             0xff8c510a,
                             0xff66a61e,
                             0xffb2182b};
constexpr Values kOnDark = {0xff3d9fdb,
                            0xffe69f00,
                            0xff21b98c,
                            0xffdc92ba,
                            0xff7cc8f2,
                            0xffe8743b,
                            0xfff0e442,
                            0xff9aa3ad,
                            0xffb07cc6,
                            0xffc08a4a,
                            0xff9ccc5a,
                            0xffe0606e};

std::array<QColor, ChartTheme::kSeries> colours(const Values& values) {
    std::array<QColor, ChartTheme::kSeries> all;
    std::ranges::transform(values, all.begin(), [](QRgb value) { return QColor(value); });
    return all;
}

double linearPart(double part) {
    return part <= 0.04045 ? part / 12.92 : std::pow((part + 0.055) / 1.055, 2.4);
}

double luminance(const QColor& colour) {
    return 0.2126 * linearPart(colour.redF()) + 0.7152 * linearPart(colour.greenF()) +
           0.0722 * linearPart(colour.blueF());
}

}  // namespace

ChartTheme lightChartTheme() {
    return {.page = QColor(0xffffff),
            .plot = QColor(0xfafbfc),
            .text = QColor(0x1f2328),
            .faint = QColor(0x57606a),
            .grid = QColor(0xe4e8ec),
            .axis = QColor(0x8c959f),
            .bad = QColor(0xb42318),
            .good = QColor(0x00704f),
            .doubtful = QColor(0x7a5c00),
            .accent = QColor(0x0550ae),
            .reserve = QColor(0xf6dfd0),
            .series = colours(kOnLight)};
}

ChartTheme darkChartTheme() {
    return {.page = QColor(0x16191d),
            .plot = QColor(0x1b1f24),
            .text = QColor(0xe6edf3),
            .faint = QColor(0xa3adb7),
            .grid = QColor(0x2b3138),
            .axis = QColor(0x6e7781),
            .bad = QColor(0xff8a73),
            .good = QColor(0x3ddc97),
            .doubtful = QColor(0xf0e442),
            .accent = QColor(0x79b8ff),
            .reserve = QColor(0x43302a),
            .series = colours(kOnDark),
            .isDark = true};
}

QColor ChartTheme::seriesColour(std::size_t index) const {
    return series[index % series.size()];
}

Filling ChartTheme::seriesFilling(std::size_t index) const {
    const QColor colour = seriesColour(index);
    return {.colour = colour,
            .pattern = seriesPattern(index),
            .ink = mixed(colour, readableOn(colour), 0.42)};
}

MarkerShape seriesMarker(std::size_t index) {
    constexpr std::array kShapes = {MarkerShape::Circle,
                                    MarkerShape::Triangle,
                                    MarkerShape::Square,
                                    MarkerShape::Diamond,
                                    MarkerShape::Plus,
                                    MarkerShape::DownTriangle,
                                    MarkerShape::Star,
                                    MarkerShape::Hexagon};
    return kShapes[index % kShapes.size()];
}

FillPattern seriesPattern(std::size_t index) {
    constexpr auto kPatterns = static_cast<std::size_t>(FillPattern::Count_);
    // Shifted where the colours repeat, so that the first of the second round differs from the
    // first.
    return static_cast<FillPattern>((index + index / ChartTheme::kSeries * 3) % kPatterns);
}

double contrast(const QColor& a, const QColor& b) {
    const double first = luminance(a) + 0.05;
    const double second = luminance(b) + 0.05;
    return std::max(first, second) / std::min(first, second);
}

QColor readableOn(const QColor& colour) {
    const QColor dark(0x101418);
    const QColor bright(0xffffff);
    return contrast(colour, dark) >= contrast(colour, bright) ? dark : bright;
}

QColor mixed(const QColor& from, const QColor& to, double share) {
    const auto part = [share](int a, int b) {
        return static_cast<int>(std::lround(a + (b - a) * share));
    };
    return {
        part(from.red(), to.red()), part(from.green(), to.green()), part(from.blue(), to.blue())};
}

}  // namespace fabricast
