#include "planner/report/plan_views.h"
#include "planner/report/size_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>

namespace fabricast {
namespace {

constexpr std::int64_t kShownTimes = 8;  ///< the nodes of the pick

bool isShown(const SizeAnswer& answer, std::int64_t nodes) {
    return answer.targets.empty() || !answer.pick || nodes <= kShownTimes * answer.pick->nodes;
}

}  // namespace

/// Each box at its cheapest, and behind them what more or fewer nodes of one give.
std::vector<SizedCluster> shownOfFront(const SizeAnswer& answer) {
    std::vector<SizedCluster> shown;
    std::vector<SizedCluster> more;
    std::set<std::string> boxes;
    for (const SizedCluster& one : answer.front) {
        if (isShown(answer, one.nodes)) {
            (boxes.insert(sizedBoxText(one)).second ? shown : more).push_back(one);
        }
    }
    std::ranges::move(more, std::back_inserter(shown));
    return shown;
}

std::string largerText(const SizeAnswer& answer) {
    std::int64_t larger = 0;
    std::int64_t most = 0;
    for (const SizedCluster& one : answer.front) {
        larger += isShown(answer, one.nodes) ? 0 : 1;
        most = std::max(most, one.nodes);
    }
    return larger == 0 ? ""
                       : fmt::format("and {} with more nodes, up to {}: -f csv lists {}\n",
                                     grouped(larger),
                                     grouped(most),
                                     larger == 1 ? "it" : "them");
}

std::vector<ScalingPoint> shownOfScaling(const SizeAnswer& answer) {
    std::vector<ScalingPoint> shown;
    std::ranges::copy_if(answer.scaling, std::back_inserter(shown), [&](const ScalingPoint& point) {
        return isShown(answer, point.nodes);
    });
    return shown;
}

std::string beatenText(const SizeAnswer& answer) {
    std::string text;
    for (const SizeBeaten& one : answer.beaten) {
        const std::string best =
            one.best ? sizedClusterText(*one.best) + ", " + sizedNumbersText(*one.best, answer)
                     : one.box;
        text += "not listed: " + best + ": " + one.why + "\n";
    }
    return text;
}

}  // namespace fabricast
