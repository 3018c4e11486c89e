#include "gui/charts/scatter.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace fabricast {
namespace {

constexpr double kPickSize = 18.0;
/// Points are painted band by band from top to bottom: the pixels of a band stay in the processor's
/// cache. In each band another group comes last, so that none hides all the others.
constexpr double kBandHeight = 16.0;

/// Smaller where there are many.
double markerSize(std::size_t points) {
    constexpr double kFew = 1'000.0;
    constexpr double kMany = 20'000.0;
    const double share = std::log(static_cast<double>(points + 1) / kFew) / std::log(kMany / kFew);
    return 8.0 - 4.0 * std::clamp(share, 0.0, 1.0);
}

/// The places of the points that share a marker.
struct MarkerBatch {
    std::vector<QPointF> bright;
    std::vector<QPointF> dimmed;
};

class PointPainter {
public:
    PointPainter(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme)
        : canvas_(canvas),
          picture_(picture),
          theme_(theme),
          selected_(picture.marks.selected.begin(), picture.marks.selected.end()),
          groups_(picture.values.groups.size() + 1),
          size_(markerSize(picture.values.points.size())),
          unfitColour_(mixed(theme.plot, theme.faint, 0.55)),
          unfit_(static_cast<std::size_t>(picture.frame.plot.height() / kBandHeight) + 1),
          bands_(unfit_.size(), std::vector<MarkerBatch>(groups_)) {}

    void paint() {
        for (const ScatterPoint& point : picture_.values.points) {
            add(point);
        }
        for (std::size_t band = 0; band < unfit_.size(); ++band) {
            paintUnfit(unfit_[band]);
        }
        for (std::size_t band = 0; band < bands_.size(); ++band) {
            for (std::size_t turn = 0; turn < groups_; ++turn) {
                const std::size_t group = (turn + band) % groups_;
                paintGroup(bands_[band][group], group);
            }
        }
    }

private:
    void add(const ScatterPoint& point) {
        const PlotFrame& frame = picture_.frame;
        if (!frame.xRange.contains(point.x) || !frame.yRange.contains(point.y)) {
            return;
        }
        const QPointF place = frame.placeOf(point.x, point.y);
        const auto band =
            std::min(static_cast<std::size_t>((place.y() - frame.plot.top()) / kBandHeight),
                     unfit_.size() - 1);
        const std::size_t group = std::min<std::size_t>(point.group, groups_ - 1);
        MarkerBatch& batch = point.fits ? bands_[band][group] : unfit_[band];
        const bool dimmed = !selected_.empty() && !selected_.contains(point.id);
        (dimmed ? batch.dimmed : batch.bright).push_back(place);
    }

    void paintUnfit(const MarkerBatch& batch) {
        canvas_.markers(batch.dimmed, MarkerShape::Cross, theme_.grid, size_ - 1.0);
        canvas_.markers(batch.bright, MarkerShape::Cross, unfitColour_, size_ - 1.0);
    }

    void paintGroup(const MarkerBatch& batch, std::size_t group) {
        const QColor colour = theme_.seriesColour(group);
        canvas_.markers(batch.dimmed, seriesMarker(group), mixed(theme_.plot, colour, 0.25), size_);
        canvas_.markers(batch.bright, seriesMarker(group), colour, size_);
    }

    Canvas& canvas_;
    const ScatterPicture& picture_;
    const ChartTheme& theme_;
    std::unordered_set<std::uint32_t> selected_;
    std::size_t groups_;
    double size_;
    QColor unfitColour_;
    std::vector<MarkerBatch> unfit_;               ///< by band
    std::vector<std::vector<MarkerBatch>> bands_;  ///< by band and group
};

void paintFront(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme) {
    std::vector<QPointF> places;
    for (const std::size_t index : picture.front) {
        const ScatterPoint& point = picture.values.points[index];
        places.push_back(picture.frame.placeOf(point.x, point.y));
    }
    if (places.size() > 1) {
        canvas.line(places, {.colour = theme.text, .width = 1.5});
    }
    canvas.markers(
        places, MarkerShape::Ring, theme.text, markerSize(picture.values.points.size()) + 4.0);
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
    canvas.markers({&at, 1}, MarkerShape::Ring, theme.accent, kPickSize);
    const double size = theme.textSize;
    const QRectF plate(at.x() + kPickSize / 2, at.y() - size * 1.5, size * 1.4, size * 1.4);
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
    PointPainter(canvas, picture, theme).paint();
    paintFront(canvas, picture, theme);
    paintPick(canvas, picture, picture.marks.b, "B", theme);
    paintPick(canvas, picture, picture.marks.a, "A", theme);
    canvas.unclip();
}

}  // namespace fabricast
