#include "planner/base/quantity_text.h"
#include "planner/report/markup.h"
#include "planner/report/table.h"
#include "simulator/topology/topology_report.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace fabricast {
namespace {

// In pixels.
constexpr int kWidth = 1200;
constexpr int kLeft = 160;
constexpr int kRight = 900;
constexpr int kTop = 84;
constexpr int kRowHeight = 104;
constexpr int kBoxHeight = 36;
constexpr int kWidestBox = 110;
constexpr int kGap = 10;
constexpr int kArc = 34;
constexpr std::size_t kMostInSvgRow = 8;

constexpr std::array<const char*, kDeviceKinds> kSvgFills = {"#a6d96a",
                                                             "#d9efc1",
                                                             "#e6e6e6",
                                                             "#f0f0f0",
                                                             "#d0d0d0",
                                                             "#c6dbef",
                                                             "#9ecae1",
                                                             "#6baed6",
                                                             "#7fa8d9",
                                                             "#fdd0a2"};
constexpr std::array<const char*, kLinkKinds> kLines = {
    "#5aa02c", "#8c8c8c", "#8c8c8c", "#3182bd", "#e6872b"};

struct Box {
    int left = 0;
    int top = 0;
    int width = 0;
    std::size_t row = 0;
    [[nodiscard]] int middle() const { return left + width / 2; }
};

std::string label(int x, int y, const std::string& text, const char* more) {
    return "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" " + more + ">" +
           xmlEscaped(text) + "</text>\n";
}

std::string shortName(const std::string& name) {
    constexpr std::size_t kLongest = 12;
    const std::string last = name.substr(name.rfind('/') + 1);
    return last.size() <= kLongest ? last : last.substr(0, kLongest - 1) + "…";
}

class SvgDrawing {
public:
    SvgDrawing(const DescribedTopology& described, const TopologyFacts& facts)
        : described_(described),
          topology_(described.topology),
          facts_(facts),
          rows_(drawnRows(described.topology, kMostInSvgRow)) {
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            place(row);
        }
    }

    [[nodiscard]] std::string text() const {
        const int height = kTop + static_cast<int>(rows_.size() - 1) * kRowHeight + kBoxHeight + 24;
        std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" +
                           std::to_string(kWidth) + "\" height=\"" + std::to_string(height) +
                           "\" viewBox=\"0 0 " + std::to_string(kWidth) + " " +
                           std::to_string(height) +
                           "\" font-family=\"sans-serif\" font-size=\"13\" fill=\"#222\">\n"
                           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
        text += heading() + lines();
        for (std::size_t row = 0; row < rows_.size(); ++row) {
            text += drawn(row);
        }
        return text + "</svg>\n";
    }

private:
    void place(std::size_t row) {
        const int count = static_cast<int>(rows_[row].devices.size());
        const int width = std::min(kWidestBox, (kRight - kLeft - kGap * (count - 1)) / count);
        const int all = count * width + (count - 1) * kGap;
        int left = kLeft + (kRight - kLeft - all) / 2;
        for (const DeviceIndex device : rows_[row].devices) {
            boxes_[device] = {left, kTop + static_cast<int>(row) * kRowHeight, width, row};
            left += width + kGap;
        }
    }

    [[nodiscard]] std::string heading() const {
        const std::string half =
            facts_.bisection.bandwidth.count() > 0
                ? "bisection " + shortText(facts_.bisection.bandwidth) + ", weakest cut in orange"
                : "";
        std::string text = label(24, 30, described_.title, "font-size=\"18\" font-weight=\"bold\"");
        text += label(24, 52, half, "fill=\"#555\"");
        if (facts_.outage) {
            std::string failed = "failed, in red:";
            for (const std::string& name : facts_.outage->failed) {
                failed += " " + name;
            }
            text += label(24, 70, failed, "fill=\"#c00\"");
        }
        return text;
    }

    [[nodiscard]] std::string lines() const {
        const std::set<LinkIndex> cut(facts_.bisection.links.begin(), facts_.bisection.links.end());
        std::set<LinkIndex> down;
        if (facts_.outage) {
            down.insert(facts_.outage->down.begin(), facts_.outage->down.end());
        }
        std::string text;
        for (LinkIndex link = 0; link < topology_.links().size(); ++link) {
            const NetworkLink& at = topology_.links()[link];
            const auto from = boxes_.find(at.from);
            const auto to = boxes_.find(at.to);
            if (from == boxes_.end() || to == boxes_.end()) {
                continue;
            }
            const bool failed = down.contains(link);
            const char* color = failed               ? "#d00000"
                                : cut.contains(link) ? "#ff8c00"
                                                     : kLines[static_cast<std::size_t>(at.kind)];
            text += "<path d=\"" + path(from->second, to->second) + "\" fill=\"none\" stroke=\"" +
                    color + "\" stroke-width=\"" + (failed || cut.contains(link) ? "2.5" : "1.4") +
                    "\"" + (failed ? " stroke-dasharray=\"6 4\"" : "") + "><title>" +
                    xmlEscaped(topology_.linkName(link) + ": " + shortText(at.bandwidth)) +
                    "</title></path>\n";
        }
        return text;
    }

    [[nodiscard]] static std::string path(const Box& one, const Box& other) {
        const auto point = [](int x, int y) { return std::to_string(x) + " " + std::to_string(y); };
        if (one.row == other.row) {
            const int top = one.top;
            const int middle = (one.middle() + other.middle()) / 2;
            const int rise = kArc + std::abs(one.middle() - other.middle()) / 16;
            return "M" + point(one.middle(), top) + " Q" + point(middle, top - rise) + " " +
                   point(other.middle(), top);
        }
        const Box& upper = one.row < other.row ? one : other;
        const Box& lower = one.row < other.row ? other : one;
        return "M" + point(upper.middle(), upper.top + kBoxHeight) + " L" +
               point(lower.middle(), lower.top);
    }

    /// What joins this row to those below it, at its right.
    [[nodiscard]] std::string tiersAt(const DrawnRow& row, int top) const {
        std::string text;
        int line = 0;
        for (const LinkTier& tier : facts_.tiers) {
            if (upperOf(tier) != row.kinds.front() && upperOf(tier) != row.kinds.back()) {
                continue;
            }
            const std::string each = shortText(tier.most) + (tier.assumed ? "?" : "");
            text += label(kRight + 24,
                          top + 14 + 16 * line++,
                          std::string(deviceWord(tier.from)) + " to " +
                              std::string(deviceWord(tier.to)) + ": " + grouped(tier.links) +
                              " x " + each,
                          "font-size=\"12\" fill=\"#555\"");
        }
        return text;
    }

    /// The end of a tier that the picture has higher up.
    [[nodiscard]] DeviceKind upperOf(const LinkTier& tier) const {
        for (const DrawnRow& row : rows_) {
            for (const DeviceKind kind : row.kinds) {
                if (kind == tier.from || kind == tier.to) {
                    return kind;
                }
            }
        }
        return tier.to;
    }

    [[nodiscard]] std::string drawn(std::size_t number) const {
        const DrawnRow& row = rows_[number];
        const int top = kTop + static_cast<int>(number) * kRowHeight;
        std::string text;
        for (const DeviceIndex device : row.devices) {
            const Box& box = boxes_.at(device);
            const NetworkDevice& at = topology_.devices()[device];
            text += "<g><title>" + xmlEscaped(at.name) + "</title><rect x=\"" +
                    std::to_string(box.left) + "\" y=\"" + std::to_string(box.top) + "\" width=\"" +
                    std::to_string(box.width) + "\" height=\"" + std::to_string(kBoxHeight) +
                    "\" rx=\"5\" stroke=\"#666\" fill=\"" +
                    kSvgFills[static_cast<std::size_t>(at.kind)] + "\"/>";
            text += label(box.middle(),
                          top + kBoxHeight / 2 + 5,
                          shortName(at.name),
                          "text-anchor=\"middle\" font-size=\"12\"") +
                    "</g>\n";
        }
        const auto shown = static_cast<std::int64_t>(row.devices.size());
        text +=
            label(24, top + 15, std::string(deviceWord(row.kinds.front())), "font-weight=\"bold\"");
        text += label(
            24,
            top + 32,
            shown < row.all ? std::to_string(shown) + " of " + grouped(row.all) : grouped(row.all),
            "font-size=\"12\" fill=\"#555\"");
        return text + tiersAt(row, top);
    }

    const DescribedTopology& described_;
    const Topology& topology_;
    const TopologyFacts& facts_;
    std::vector<DrawnRow> rows_;
    std::map<DeviceIndex, Box> boxes_;
};

}  // namespace

std::string topologySvg(const DescribedTopology& described, const TopologyFacts& facts) {
    return SvgDrawing(described, facts).text();
}

}  // namespace fabricast
