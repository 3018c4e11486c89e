#include "gui/charts/scatter.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace fabricast {
namespace {

/// Points are painted band by band from top to bottom: the pixels of a band stay in the processor's
/// cache.
constexpr double kBandHeight = 16.0;

/// Smaller where there are many.
double markerSize(std::size_t points) {
    constexpr double kFew = 1'000.0;
    constexpr double kMany = 20'000.0;
    const double share = std::log(static_cast<double>(points + 1) / kFew) / std::log(kMany / kFew);
    return 8.0 - 4.0 * std::clamp(share, 0.0, 1.0);
}

/// What covers what: later ones are on top.
enum class PointLayer : std::uint8_t { DimmedUnfit, Unfit, Dimmed, Bright, Count_ };
constexpr std::size_t kPointLayers = static_cast<std::size_t>(PointLayer::Count_);

PointLayer layerOf(bool fits, bool dimmed) {
    if (fits) {
        return dimmed ? PointLayer::Dimmed : PointLayer::Bright;
    }
    return dimmed ? PointLayer::DimmedUnfit : PointLayer::Unfit;
}

/// For each group, a bright and a dimmed style; then those of what does not fit.
std::vector<MarkerStyle> markerStyles(std::size_t groups, double size, const ChartTheme& theme) {
    std::vector<MarkerStyle> styles;
    for (std::size_t group = 0; group < groups; ++group) {
        const QColor colour = theme.seriesColour(group);
        styles.push_back({seriesMarker(group), colour, size});
        styles.push_back({seriesMarker(group), mixed(theme.plot, colour, 0.25), size});
    }
    for (const double share : {0.55, 0.2}) {
        styles.push_back({MarkerShape::Cross, mixed(theme.plot, theme.faint, share), size - 1.0});
    }
    return styles;
}

/// All that is in the view, in the order in which it is painted.
std::vector<PlacedMarker> placedMarkers(const ScatterPicture& picture, std::size_t groups) {
    const PlotFrame& frame = picture.frame;
    const std::unordered_set<std::uint32_t> selected(picture.marks.selected.begin(),
                                                     picture.marks.selected.end());
    const auto bands = static_cast<std::size_t>(frame.plot.height() / kBandHeight) + 1;
    std::vector<std::vector<PlacedMarker>> parts(bands * kPointLayers);
    for (const ScatterPoint& point : picture.values.points) {
        if (!frame.xRange.contains(point.x) || !frame.yRange.contains(point.y)) {
            continue;
        }
        const QPointF at = frame.placeOf(point.x, point.y);
        const auto band = static_cast<std::size_t>((at.y() - frame.plot.top()) / kBandHeight);
        const bool dimmed = !selected.empty() && !selected.contains(point.id);
        const auto layer = static_cast<std::size_t>(layerOf(point.fits, dimmed));
        const std::size_t group =
            point.fits ? std::min<std::size_t>(point.group, groups - 1) : groups;
        const auto style = static_cast<std::uint8_t>(2 * group + (dimmed ? 1 : 0));
        parts[layer * bands + std::min(band, bands - 1)].push_back({at, style});
    }
    std::vector<PlacedMarker> markers;
    markers.reserve(picture.values.points.size());
    for (const std::vector<PlacedMarker>& part : parts) {
        markers.insert(markers.end(), part.begin(), part.end());
    }
    return markers;
}

void paintPoints(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    constexpr std::size_t kMostGroups = 100;
    const std::size_t groups = std::min(picture.values.groups.size() + 1, kMostGroups);
    canvas.markers(placedMarkers(picture, groups),
                   markerStyles(groups, markerSize(picture.values.points.size()), theme));
}

void paintFront(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    std::vector<QPointF> places;
    for (const std::size_t index : picture.front) {
        const ScatterPoint& point = picture.values.points[index];
        places.push_back(picture.frame.placeOf(point.x, point.y));
    }
    if (places.size() > 1) {
        canvas.line(places, {.colour = theme.text, .width = 1.5});
    }
    constexpr std::size_t kMostRings = 40;
    const double size = markerSize(picture.values.points.size()) + 4.0;
    if (places.size() <= kMostRings) {
        for (const QPointF& place : places) {
            canvas.marker(place, {MarkerShape::Ring, theme.text, size});
        }
    }
}

void paintLimit(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    const ScatterValues& values = picture.values;
    if (!values.xLimit || !picture.frame.xRange.contains(*values.xLimit)) {
        return;
    }
    const QRectF& plot = picture.frame.plot;
    const double x = picture.frame.xOf(*values.xLimit);
    canvas.line(
        {x, plot.top()}, {x, plot.bottom()}, {.colour = theme.bad, .width = 2.0, .dashed = true});
    const double room = roughTextWidth(values.limitName, theme.textSize) + theme.textSize;
    const bool right = x + room < plot.right();
    canvas.text({x + (right ? 0.5 : -0.5) * theme.textSize, plot.bottom() - theme.textSize * 0.6},
                values.limitName,
                {.colour = theme.bad,
                 .size = theme.textSize,
                 .anchor = right ? TextAnchor::Start : TextAnchor::End});
}

/// The place of a picked point that is seen.
std::optional<QPointF> placeOfPick(const ScatterPicture& picture, std::optional<std::uint32_t> id) {
    const auto point = std::ranges::find_if(
        picture.values.points, [id](const ScatterPoint& each) { return id && each.id == *id; });
    if (point == picture.values.points.end() || !picture.frame.xRange.contains(point->x) ||
        !picture.frame.yRange.contains(point->y)) {
        return {};
    }
    return picture.frame.placeOf(point->x, point->y);
}

/// A ring with a letter on a plate beside it.
void paintPick(Canvas& canvas,
               const QPointF& at,
               const QRectF& plate,
               std::string_view letter,
               const ChartTheme& theme) {
    canvas.marker(at, {MarkerShape::Ring, theme.accent, kPickRing});
    const double size = theme.textSize;
    canvas.fill(plate, {theme.accent});
    canvas.text({plate.center().x(), plate.center().y() + size * 0.37},
                letter,
                {.colour = readableOn(theme.accent),
                 .size = size,
                 .anchor = TextAnchor::Middle,
                 .bold = true});
}

/// Where A and B lie close together, B's letter stands beside A's.
void paintPicks(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    const double side = 1.4 * theme.textSize;
    const QRectF& plot = picture.frame.plot;
    const auto a = placeOfPick(picture, picture.marks.a);
    const auto b = placeOfPick(picture, picture.marks.b);
    const QRectF plateOfA = a ? pickPlate(*a, side, plot) : QRectF();
    if (b) {
        paintPick(canvas, *b, plateBeside(pickPlate(*b, side, plot), plateOfA, plot), "B", theme);
    }
    if (a) {
        paintPick(canvas, *a, plateOfA, "A", theme);
    }
}

}  // namespace

void paintScatter(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    paintFrame(canvas, picture.frame, scatterFrameParts(picture.values, theme), theme);
    canvas.clip(picture.frame.plot);
    paintLimit(canvas, picture, theme);
    paintPoints(canvas, picture, theme);
    paintFront(canvas, picture, theme);
    paintPicks(canvas, picture, theme);
    canvas.unclip();
}

}  // namespace fabricast
