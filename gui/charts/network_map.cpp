#include "gui/charts/network_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kLevels = 4;
constexpr double kLinkReach = 3.0;  ///< pixels beside a link
constexpr double kThinnest = 1.2;
constexpr double kThickest = 7.0;

std::size_t levelIndex(MapLevel level) {
    return static_cast<std::size_t>(level);
}

bool isUsed(const NetworkMapValues& values, std::size_t level) {
    return std::ranges::any_of(
        values.boxes, [level](const MapBox& box) { return levelIndex(box.level) == level; });
}

/// The rows, the network on top: y of each level's middle, and how high its boxes are.
struct MapRows {
    std::array<double, kLevels> middle{};
    double boxHeight = 0.0;
};

MapRows rowsOf(const NetworkMapValues& values, const QRectF& area, double textSize) {
    std::vector<std::size_t> used;
    for (std::size_t level = kLevels; level-- > 0;) {
        if (isUsed(values, level)) {
            used.push_back(level);
        }
    }
    MapRows rows{.boxHeight = textSize * 2.0};
    const double above = rows.boxHeight / 2 + textSize * 0.4;
    const double below = rows.boxHeight / 2 + textSize * 2.6;
    const double room = area.height() - above - below;
    const double step = used.size() > 1 ? room / static_cast<double>(used.size() - 1) : 0.0;
    for (std::size_t row = 0; row < used.size(); ++row) {
        rows.middle[used[row]] = area.top() + above + step * static_cast<double>(row);
    }
    return rows;
}

/// The most boxes that a level of each pod has, by pod; the pods share the width accordingly.
std::map<std::int32_t, std::size_t> podWidths(const NetworkMapValues& values) {
    std::map<std::pair<std::int32_t, MapLevel>, std::size_t> counts;
    for (const MapBox& box : values.boxes) {
        if (box.pod >= 0) {
            ++counts[{box.pod, box.level}];
        }
    }
    std::map<std::int32_t, std::size_t> widths;
    for (const auto& [key, count] : counts) {
        widths[key.first] = std::max(widths[key.first], count);
    }
    return widths;
}

std::vector<MapPodPlace> podPlaces(const NetworkMapValues& values,
                                   const QRectF& area,
                                   const MapRows& rows,
                                   double textSize) {
    const std::map<std::int32_t, std::size_t> widths = podWidths(values);
    std::size_t all = 0;
    for (const auto& [pod, width] : widths) {
        all += width;
    }
    double top = std::numeric_limits<double>::infinity();
    double bottom = 0.0;
    for (const MapBox& box : values.boxes) {
        if (box.pod >= 0) {
            top = std::min(top, rows.middle[levelIndex(box.level)]);
            bottom = std::max(bottom, rows.middle[levelIndex(box.level)]);
        }
    }
    const double gap = textSize * 0.8;
    const double room = area.width() - gap * static_cast<double>(widths.size());
    const double high = rows.boxHeight / 2 + textSize * 0.6;
    std::vector<MapPodPlace> places;
    double left = area.left() + gap / 2;
    for (const auto& [pod, width] : widths) {
        const double wide = room * static_cast<double>(width) / static_cast<double>(all);
        places.push_back(
            {pod, QRectF(left, top - high, wide, bottom - top + 2 * high + textSize * 1.4)});
        left += wide + gap;
    }
    return places;
}

/// The boxes of one level in one pod, or in none, evenly over a width.
void placeBoxes(NetworkMapLayout& layout,
                const std::vector<std::size_t>& boxes,
                const QRectF& row,
                double textSize) {
    const double slot = row.width() / static_cast<double>(boxes.size());
    const double wide = std::min(slot * 0.88, textSize * 9.0);
    for (std::size_t index = 0; index < boxes.size(); ++index) {
        const double middle = row.left() + slot * (static_cast<double>(index) + 0.5);
        layout.boxes[boxes[index]] = {boxes[index],
                                      QRectF(middle - wide / 2, row.top(), wide, row.height())};
    }
}

void placeAllBoxes(NetworkMapLayout& layout,
                   const NetworkMapValues& values,
                   const QRectF& area,
                   const MapRows& rows,
                   double textSize) {
    std::map<std::pair<std::int32_t, MapLevel>, std::vector<std::size_t>> groups;
    for (std::size_t box = 0; box < values.boxes.size(); ++box) {
        groups[{std::max(values.boxes[box].pod, -1), values.boxes[box].level}].push_back(box);
    }
    layout.boxes.resize(values.boxes.size());
    for (const auto& [key, boxes] : groups) {
        const auto pod = std::ranges::find(layout.pods, key.first, &MapPodPlace::pod);
        const QRectF column = pod == layout.pods.end() ? area : pod->area;
        const double top = rows.middle[levelIndex(key.second)] - rows.boxHeight / 2;
        placeBoxes(layout, boxes, {column.left(), top, column.width(), rows.boxHeight}, textSize);
    }
}

/// Where a link leaves a box: its side towards the other, spread over its width as the others lie.
QPointF portOf(const QRectF& box, const QRectF& other, const QRectF& area) {
    const double share = std::clamp((other.center().x() - area.left()) / area.width(), 0.0, 1.0);
    const double x = box.left() + box.width() * (0.12 + 0.76 * share);
    if (std::abs(box.center().y() - other.center().y()) < box.height()) {
        return {box.center().x() < other.center().x() ? box.right() : box.left(), box.center().y()};
    }
    return {x, box.center().y() < other.center().y() ? box.bottom() : box.top()};
}

void placeLinks(NetworkMapLayout& layout, const NetworkMapValues& values, const QRectF& area) {
    double most = 0.0;
    std::map<std::uint32_t, std::size_t> byId;
    for (std::size_t box = 0; box < values.boxes.size(); ++box) {
        byId[values.boxes[box].id] = box;
    }
    for (const MapLink& link : values.links) {
        most = std::max(most, link.capacity);
    }
    for (std::size_t index = 0; index < values.links.size(); ++index) {
        const MapLink& link = values.links[index];
        const auto from = byId.find(link.from);
        const auto to = byId.find(link.to);
        if (from == byId.end() || to == byId.end()) {
            continue;
        }
        const QRectF& a = layout.boxes[from->second].area;
        const QRectF& b = layout.boxes[to->second].area;
        const double share = most > 0.0 ? std::sqrt(link.capacity / most) : 0.0;
        layout.links.push_back({index,
                                portOf(a, b, area),
                                portOf(b, a, area),
                                kThinnest + (kThickest - kThinnest) * share});
    }
}

double distanceToLine(const QPointF& place, const QPointF& from, const QPointF& to) {
    const QPointF way = to - from;
    const double length = QPointF::dotProduct(way, way);
    const double along =
        length > 0.0 ? std::clamp(QPointF::dotProduct(place - from, way) / length, 0.0, 1.0) : 0.0;
    const QPointF away = place - (from + way * along);
    return std::hypot(away.x(), away.y());
}

}  // namespace

NetworkMapLayout networkMapLayout(const NetworkMapValues& values,
                                  const QSizeF& size,
                                  const ChartTheme& theme) {
    const double letters = theme.textSize;
    QRectF area = belowTitle(size, values.title, letters);
    NetworkMapLayout layout;
    layout.scale = QRectF(area.left(), area.bottom() - letters * 2.6, area.width(), letters * 2.6);
    area.setBottom(layout.scale.top());
    const MapRows rows = rowsOf(values, area, letters);
    layout.pods = podPlaces(values, area, rows, letters);
    placeAllBoxes(layout, values, area, rows, letters);
    placeLinks(layout, values, area);
    return layout;
}

int mapLinkAt(const NetworkMapLayout& layout, const QPointF& place) {
    int nearest = -1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; index < layout.links.size(); ++index) {
        const MapLinkPlace& link = layout.links[index];
        const double away = distanceToLine(place, link.from, link.to) - link.width / 2;
        if (away <= kLinkReach && away < best) {
            best = away;
            nearest = static_cast<int>(index);
        }
    }
    return nearest;
}

int mapBoxAt(const NetworkMapLayout& layout, const QPointF& place) {
    const auto box = std::ranges::find_if(
        layout.boxes, [&](const MapBoxPlace& each) { return each.area.contains(place); });
    return box == layout.boxes.end() ? -1 : static_cast<int>(box - layout.boxes.begin());
}

std::vector<std::size_t> mapLinksOf(const NetworkMapValues& values,
                                    const NetworkMapLayout& layout,
                                    int item) {
    const auto index = static_cast<std::size_t>(item);
    if (index < layout.links.size()) {
        return {index};
    }
    const std::uint32_t box = values.boxes[layout.boxes[index - layout.links.size()].box].id;
    std::vector<std::size_t> links;
    for (std::size_t place = 0; place < layout.links.size(); ++place) {
        const MapLink& link = values.links[layout.links[place].link];
        if (link.from == box || link.to == box) {
            links.push_back(place);
        }
    }
    return links;
}

QRectF mapItemBox(const NetworkMapLayout& layout, int item) {
    const auto index = static_cast<std::size_t>(item);
    if (index >= layout.links.size()) {
        return layout.boxes[index - layout.links.size()].area;
    }
    const MapLinkPlace& link = layout.links[index];
    const QPointF middle = (link.from + link.to) / 2;
    const double half = link.width / 2 + 3.0;
    return {middle - QPointF(half, half), middle + QPointF(half, half)};
}

int mapItemBeside(const NetworkMapLayout& layout, int item, const QPointF& step) {
    const auto count = static_cast<int>(layout.links.size() + layout.boxes.size());
    if (item < 0) {
        return count > 0 ? 0 : -1;
    }
    const QPointF origin = mapItemBox(layout, item).center();
    int nearest = -1;
    double best = std::numeric_limits<double>::infinity();
    for (int other = 0; other < count; ++other) {
        const QPointF away = mapItemBox(layout, other).center() - origin;
        const double along = QPointF::dotProduct(away, step);
        const double aside = std::abs(away.x() * step.y() - away.y() * step.x());
        if (along > 0.5 && along + 2.0 * aside < best) {
            best = along + 2.0 * aside;
            nearest = other;
        }
    }
    return nearest;
}

}  // namespace fabricast
