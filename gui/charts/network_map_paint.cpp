#include "gui/charts/network_map.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// How far letters shrink before a label is shortened.
constexpr double kSmallLetters = 0.78;

void paintPods(Canvas& canvas, const NetworkMapLayout& layout, const ChartTheme& theme) {
    for (const MapPodPlace& pod : layout.pods) {
        canvas.fill(pod.area, {theme.plot});
        canvas.outline(pod.area, {.colour = theme.grid});
        canvas.text(
            {pod.area.left() + theme.textSize * 0.6, pod.area.bottom() - theme.textSize * 0.5},
            "pod " + std::to_string(pod.pod),
            {.colour = theme.faint, .size = theme.textSize});
    }
}

/// The most loaded last, so that they are not hidden.
std::vector<const MapLinkPlace*> byLoad(const NetworkMapValues& values,
                                        const NetworkMapLayout& layout) {
    std::vector<const MapLinkPlace*> links;
    for (const MapLinkPlace& link : layout.links) {
        links.push_back(&link);
    }
    std::ranges::stable_sort(
        links, {}, [&](const MapLinkPlace* link) { return values.links[link->link].load; });
    return links;
}

/// A mark on what is full, and its load on the fullest.
void paintFullLinks(Canvas& canvas,
                    const NetworkMapValues& values,
                    const std::vector<const MapLinkPlace*>& links,
                    const QRectF& page,
                    const ChartTheme& theme) {
    for (const MapLinkPlace* link : links) {
        const double load = values.links[link->link].load;
        const QPointF middle = (link->from + link->to) / 2;
        if (load >= kFullLink) {
            canvas.marker(middle, {MarkerShape::Diamond, theme.bad, link->width + 7.0});
        }
    }
    if (links.empty()) {
        return;
    }
    const MapLinkPlace& fullest = *links.back();
    const std::string text = valueText(AxisUnit::Percent, values.links[fullest.link].load);
    const double size = theme.textSize;
    const QPointF middle = (fullest.from + fullest.to) / 2;
    const double wide = roughTextWidth(text, size) + size * 0.4;
    const bool right = middle.x() + size * 0.8 + wide <= page.right();
    const QRectF plate(right ? middle.x() + size * 0.8 : middle.x() - size * 0.8 - wide,
                       middle.y() - size * 0.75,
                       wide,
                       size * 1.5);
    canvas.fill(plate, {theme.page});
    canvas.outline(plate, {.colour = theme.axis});
    canvas.text({plate.center().x(), plate.center().y() + size * 0.36},
                text,
                {.colour = theme.text, .size = size, .anchor = TextAnchor::Middle});
}

/// A cross on what has failed: on a link that several make up too, as fewer of them are left.
void paintFailed(Canvas& canvas,
                 const NetworkMapValues& values,
                 const NetworkMapLayout& layout,
                 const ChartTheme& theme) {
    const double size = theme.textSize;
    for (const MapLinkPlace& link : layout.links) {
        if (values.links[link.link].failed > 0) {
            // Beside the middle, where loads stand.
            const QPointF at = link.from + (link.to - link.from) * 0.25;
            canvas.marker(at, {MarkerShape::Cross, theme.bad, size});
        }
    }
    for (const MapBoxPlace& box : layout.boxes) {
        if (values.boxes[box.box].failed) {
            canvas.outline(box.area, {.colour = theme.bad, .width = 2.5});
            canvas.marker(box.area.topRight(), {MarkerShape::Cross, theme.bad, size});
        }
    }
}

/// Nothing goes over links that have all failed.
Stroke strokeOf(const MapLink& link, double width, const ChartTheme& theme) {
    const bool allFailed = link.failed > 0 && link.failed >= link.count;
    return allFailed ? Stroke{.colour = theme.bad, .dashed = true}
                     : Stroke{.colour = loadColour(link.load, theme), .width = width};
}

/// "server 12" as "12" where there is no room for the whole.
std::string boxWords(const std::string& label, double room, double textSize) {
    const std::size_t space = label.rfind(' ');
    const bool fits = roughTextWidth(label, textSize) <= room;
    return fits || space == std::string::npos ? shortened(label, room, textSize)
                                              : shortened(label.substr(space + 1), room, textSize);
}

void paintBoxes(Canvas& canvas,
                const NetworkMapValues& values,
                const NetworkMapLayout& layout,
                const ChartTheme& theme) {
    const double size = theme.textSize;
    for (const MapBoxPlace& place : layout.boxes) {
        const MapBox& box = values.boxes[place.box];
        const bool isSwitch = box.level != MapLevel::Node;
        canvas.fill(place.area, {mixed(theme.page, theme.axis, isSwitch ? 0.28 : 0.12)});
        canvas.outline(place.area, {.colour = theme.axis, .width = box.count > 1 ? 2.5 : 1.0});
        const double room = place.area.width() - size * 0.4;
        const double needed = std::max(roughTextWidth(box.label, size), 1.0);
        const double letters = size * std::clamp(room / needed, kSmallLetters, 1.0);
        canvas.text({place.area.center().x(), place.area.center().y() + letters * 0.36},
                    boxWords(box.label, room, letters),
                    {.colour = theme.text, .size = letters, .anchor = TextAnchor::Middle});
    }
}

void paintLoadScale(Canvas& canvas, const QRectF& box, const ChartTheme& theme) {
    const double size = theme.textSize;
    const double base = box.bottom() - size * 0.4;
    const std::string words = "load of a link; thickness is its capacity";
    canvas.text({box.left(), base}, words, {.colour = theme.faint, .size = size});
    const QRectF bar(box.left() + roughTextWidth(words, size) + size * 3.0,
                     base - size * 0.9,
                     std::min(size * 12, box.width() * 0.25),
                     size);
    if (bar.right() + size * 4 > box.right()) {
        return;
    }
    constexpr int kSteps = 24;
    for (int step = 0; step < kSteps; ++step) {
        canvas.fill({bar.left() + bar.width() * step / kSteps,
                     bar.top(),
                     bar.width() / kSteps,
                     bar.height()},
                    {loadColour((step + 0.5) / kSteps, theme)});
    }
    canvas.text({bar.left() - size * 0.4, base},
                "0 %",
                {.colour = theme.faint, .size = size, .anchor = TextAnchor::End});
    canvas.text({bar.right() + size * 0.4, base}, "100 %", {.colour = theme.faint, .size = size});
}

}  // namespace

QColor loadColour(double load, const ChartTheme& theme) {
    // Through colours whose brightness also tells them apart.
    const QColor idle = mixed(theme.page, theme.axis, 0.45);
    const QColor half =
        theme.isDark ? mixed(theme.page, theme.seriesColour(1), 0.75) : theme.seriesColour(1);
    const double level = std::clamp(load, 0.0, 1.0);
    return level < 0.5 ? mixed(idle, half, level * 2.0) : mixed(half, theme.bad, level * 2.0 - 1.0);
}

void paintLinksOf(Canvas& canvas,
                  const NetworkMapValues& values,
                  const NetworkMapLayout& layout,
                  int item,
                  const ChartTheme& theme) {
    for (const std::size_t place : mapLinksOf(values, layout, item)) {
        const MapLinkPlace& link = layout.links[place];
        canvas.line(link.from, link.to, {.colour = theme.page, .width = link.width + 4.0});
        canvas.line(link.from, link.to, {.colour = theme.accent, .width = link.width + 1.0});
    }
}

void paintNetworkMap(Canvas& canvas,
                     const NetworkMapValues& values,
                     const NetworkMapLayout& layout,
                     const ChartTheme& theme) {
    paintPods(canvas, layout, theme);
    const std::vector<const MapLinkPlace*> links = byLoad(values, layout);
    for (const MapLinkPlace* link : links) {
        canvas.line(link->from, link->to, strokeOf(values.links[link->link], link->width, theme));
    }
    paintBoxes(canvas, values, layout, theme);
    paintFullLinks(canvas, values, links, layout.scale, theme);
    paintFailed(canvas, values, layout, theme);
    paintLoadScale(canvas, layout.scale, theme);
}

}  // namespace fabricast
