#include "gui/charts/scatter.h"

#include <algorithm>
#include <unordered_set>

namespace fabricast {
namespace {

constexpr double kMarkerSize = 8.0;

/// The places of the points that share a marker.
struct MarkerBatch {
    std::vector<QPointF> bright;
    std::vector<QPointF> dimmed;
};

struct ScatterBatches {
    std::vector<MarkerBatch> groups;
    MarkerBatch unfit;
};

ScatterBatches batchesOf(const ScatterPicture& picture) {
    const ScatterValues& values = picture.values;
    const std::unordered_set<std::uint32_t> selected(picture.marks.selected.begin(),
                                                     picture.marks.selected.end());
    ScatterBatches batches{.groups = std::vector<MarkerBatch>(values.groups.size() + 1)};
    for (const ScatterPoint& point : values.points) {
        if (!picture.frame.xRange.contains(point.x) || !picture.frame.yRange.contains(point.y)) {
            continue;
        }
        const std::size_t group = std::min<std::size_t>(point.group, values.groups.size());
        MarkerBatch& batch = point.fits ? batches.groups[group] : batches.unfit;
        const bool dimmed = !selected.empty() && !selected.contains(point.id);
        (dimmed ? batch.dimmed : batch.bright).push_back(picture.frame.placeOf(point.x, point.y));
    }
    return batches;
}

void paintPoints(Canvas& canvas, const ScatterBatches& batches, const ChartTheme& theme) {
    const QColor faded = mixed(theme.plot, theme.faint, 0.55);
    canvas.markers(batches.unfit.dimmed, MarkerShape::Cross, theme.grid, kMarkerSize - 1.0);
    for (std::size_t group = 0; group < batches.groups.size(); ++group) {
        canvas.markers(batches.groups[group].dimmed,
                       seriesMarker(group),
                       mixed(theme.plot, theme.seriesColour(group), 0.25),
                       kMarkerSize);
    }
    canvas.markers(batches.unfit.bright, MarkerShape::Cross, faded, kMarkerSize - 1.0);
    for (std::size_t group = 0; group < batches.groups.size(); ++group) {
        canvas.markers(batches.groups[group].bright,
                       seriesMarker(group),
                       theme.seriesColour(group),
                       kMarkerSize);
    }
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
    canvas.markers(places, MarkerShape::Ring, theme.text, kMarkerSize + 4.0);
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

/// A ring with a letter on a plate beside it.
void paintPick(Canvas& canvas,
               const ScatterPicture& picture,
               std::optional<std::uint32_t> id,
               std::string_view letter,
               const ChartTheme& theme) {
    const auto point = std::ranges::find_if(
        picture.values.points, [id](const ScatterPoint& each) { return id && each.id == *id; });
    if (point == picture.values.points.end() || !picture.frame.xRange.contains(point->x) ||
        !picture.frame.yRange.contains(point->y)) {
        return;
    }
    const QPointF at = picture.frame.placeOf(point->x, point->y);
    canvas.markers({&at, 1}, MarkerShape::Ring, theme.accent, kMarkerSize + 10.0);
    const double size = theme.textSize;
    const QRectF plate(at.x() + kMarkerSize + 2.0, at.y() - size * 1.5, size * 1.4, size * 1.4);
    canvas.fill(plate, {theme.accent});
    canvas.text({plate.center().x(), plate.center().y() + size * 0.37},
                letter,
                {.colour = readableOn(theme.accent),
                 .size = size,
                 .anchor = TextAnchor::Middle,
                 .bold = true});
}

}  // namespace

void paintScatter(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    paintFrame(canvas, picture.frame, scatterFrameParts(picture.values, theme), theme);
    canvas.clip(picture.frame.plot);
    paintLimit(canvas, picture, theme);
    paintPoints(canvas, batchesOf(picture), theme);
    paintFront(canvas, picture, theme);
    paintPick(canvas, picture, picture.marks.b, "B", theme);
    paintPick(canvas, picture, picture.marks.a, "A", theme);
    canvas.unclip();
}

}  // namespace fabricast
