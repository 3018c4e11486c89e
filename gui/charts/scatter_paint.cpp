#include "gui/charts/scatter.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

namespace fabricast {
namespace {

constexpr double kPickSize = 18.0;
/// Points are painted band by band from top to bottom: the pixels of a band stay in the processor's
/// cache.
constexpr double kBandHeight = 16.0;
/// Of a band, so many at a time, each time with another group last: none hides all the others.
constexpr std::size_t kSlice = 96;

/// Smaller where there are many.
double markerSize(std::size_t points) {
    constexpr double kFew = 1'000.0;
    constexpr double kMany = 20'000.0;
    const double share = std::log(static_cast<double>(points + 1) / kFew) / std::log(kMany / kFew);
    return 8.0 - 4.0 * std::clamp(share, 0.0, 1.0);
}

struct PlacedPoint {
    QPointF at;
    std::uint8_t group = 0;
    bool fits = true;
    bool dimmed = false;
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
          bands_(static_cast<std::size_t>(picture.frame.plot.height() / kBandHeight) + 1) {}

    void paint() {
        for (const ScatterPoint& point : picture_.values.points) {
            place(point);
        }
        std::size_t turn = 0;
        for (const bool dimmed : {true, false}) {
            for (const std::vector<PlacedPoint>& band : bands_) {
                paintUnfit(band, dimmed);
                for (std::size_t first = 0; first < band.size(); first += kSlice) {
                    const std::size_t count = std::min(kSlice, band.size() - first);
                    paintSlice(std::span(band).subspan(first, count), ++turn, dimmed);
                }
            }
        }
    }

private:
    void place(const ScatterPoint& point) {
        const PlotFrame& frame = picture_.frame;
        if (!frame.xRange.contains(point.x) || !frame.yRange.contains(point.y)) {
            return;
        }
        const QPointF at = frame.placeOf(point.x, point.y);
        const auto band = static_cast<std::size_t>((at.y() - frame.plot.top()) / kBandHeight);
        bands_[std::min(band, bands_.size() - 1)].push_back(
            {.at = at,
             .group = static_cast<std::uint8_t>(std::min<std::size_t>(point.group, groups_ - 1)),
             .fits = point.fits,
             .dimmed = !selected_.empty() && !selected_.contains(point.id)});
    }

    void paintUnfit(const std::vector<PlacedPoint>& band, bool dimmed) {
        places_.clear();
        for (const PlacedPoint& point : band) {
            if (!point.fits && point.dimmed == dimmed) {
                places_.push_back(point.at);
            }
        }
        canvas_.markers(places_,
                        MarkerShape::Cross,
                        mixed(theme_.plot, theme_.faint, dimmed ? 0.2 : 0.55),
                        size_ - 1.0);
    }

    void paintSlice(std::span<const PlacedPoint> slice, std::size_t turn, bool dimmed) {
        for (std::size_t step = 0; step < groups_; ++step) {
            const std::size_t group = (turn + step) % groups_;
            places_.clear();
            for (const PlacedPoint& point : slice) {
                if (point.fits && point.group == group && point.dimmed == dimmed) {
                    places_.push_back(point.at);
                }
            }
            const QColor colour = theme_.seriesColour(group);
            canvas_.markers(places_,
                            seriesMarker(group),
                            dimmed ? mixed(theme_.plot, colour, 0.25) : colour,
                            size_);
        }
    }

    Canvas& canvas_;
    const ScatterPicture& picture_;
    const ChartTheme& theme_;
    std::unordered_set<std::uint32_t> selected_;
    std::size_t groups_;
    double size_;
    std::vector<std::vector<PlacedPoint>> bands_;
    std::vector<QPointF> places_;
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
