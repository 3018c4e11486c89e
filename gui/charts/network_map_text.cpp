#include "gui/charts/network_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

namespace fabricast {
namespace {

std::string boxName(const NetworkMapValues& values, std::uint32_t id) {
    const auto box = std::ranges::find(values.boxes, id, &MapBox::id);
    return box == values.boxes.end() ? std::string() : box->label;
}

std::string counted(std::ptrdiff_t count, const std::string& one, const std::string& several) {
    return grouped(count) + " " + (count == 1 ? one : several);
}

std::string ends(const NetworkMapValues& values, const MapLink& link) {
    return boxName(values, link.from) + " \u2013 " + boxName(values, link.to);
}

}  // namespace

std::string mapLinkText(const NetworkMapValues& values, std::size_t link) {
    const MapLink& each = values.links[link];
    std::string text = ends(values, each) + "\n" + valueText(AxisUnit::Percent, each.load) +
                       " of " + valueText(AxisUnit::BytesPerSecond, each.capacity);
    if (each.count > 1) {
        text += "\n" + grouped(each.count) + " links";
    }
    if (each.failed > 0) {
        text += "\n" + (each.count == 1 ? "failed" : grouped(each.failed) + " of them failed");
    }
    return each.note.empty() ? text : text + "\n" + each.note;
}

std::string mapBoxText(const NetworkMapValues& values, std::size_t box) {
    constexpr std::array<std::string_view, 4> kLevelNames = {"node", "leaf", "spine", "core"};
    const MapBox& each = values.boxes[box];
    std::string text =
        each.label + "\n" + std::string(kLevelNames.at(static_cast<std::size_t>(each.level)));
    if (each.pod >= 0) {
        text += " of pod " + std::to_string(each.pod);
    }
    text += each.failed ? "\nfailed" : "";
    return each.count > 1 ? text + "\n" + grouped(each.count) + " of them" : text;
}

std::string describeNetworkMap(const NetworkMapValues& values) {
    std::string text = titleIntro(values.title) +
                       counted(std::ssize(values.boxes), "node or switch", "nodes and switches") +
                       ", " + counted(std::ssize(values.links), "link", "links") + ".";
    const auto busiest = std::ranges::max_element(values.links, {}, &MapLink::load);
    if (busiest != values.links.end()) {
        text += " The most loaded link, " + ends(values, *busiest) + ", is used by " +
                valueText(AxisUnit::Percent, busiest->load) + " of " +
                valueText(AxisUnit::BytesPerSecond, busiest->capacity) + ".";
        const auto full = std::ranges::count_if(
            values.links, [](const MapLink& link) { return link.load >= kFullLink; });
        text += " " + counted(full, "link", "links") + (full == 1 ? " is" : " are") +
                " used by 90 % or more.";
    }
    const auto failed =
        std::ranges::count_if(values.links, [](const MapLink& link) { return link.failed > 0; });
    if (failed > 0) {
        text += " " + counted(failed, "has", "have") + " failed links.";
    }
    return text;
}

Table networkMapTable(const NetworkMapValues& values) {
    Table table{{{"from"},
                 {"to"},
                 {"links", Align::Right},
                 {"capacity (B/s)", Align::Right},
                 {exactCaption("load", AxisUnit::Percent), Align::Right},
                 {"failed", Align::Right},
                 {"traffic"}},
                {}};
    for (const MapLink& link : values.links) {
        table.rows.push_back({boxName(values, link.from),
                              boxName(values, link.to),
                              std::to_string(link.count),
                              exactNumber(link.capacity),
                              exactNumber(link.load),
                              std::to_string(link.failed),
                              link.note});
    }
    return table;
}

}  // namespace fabricast
