#include "gui/models/failure_view.h"

#include "planner/base/quantity_text.h"
#include "planner/report/durations.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

std::string changeText(double healthy, double failed) {
    if (healthy <= 0.0 || failed == healthy) {
        return "";
    }
    return fmt::format("{:+.1f} %", 100.0 * (failed / healthy - 1.0));
}

/// Rows of what is compared.
class FailureRows {
public:
    Table table{{{"with what has failed"},
                 {"healthy", Align::Right},
                 {"failed", Align::Right},
                 {"change", Align::Right}},
                {}};

    void addRate(std::string name, BytesPerSecond healthy, BytesPerSecond failed) {
        add(std::move(name),
            shortText(healthy),
            shortText(failed),
            changeText(healthy.count(), failed.count()));
    }
    void addTime(std::string name, Seconds healthy, Seconds failed) {
        add(std::move(name),
            durationText(healthy),
            durationText(failed),
            changeText(healthy.count(), failed.count()));
    }
    void add(std::string name, std::string healthy, std::string failed, std::string change) {
        table.rows.push_back(
            {std::move(name), std::move(healthy), std::move(failed), std::move(change)});
    }
};

void addReach(const TopologyFacts& facts, FailureRows& rows) {
    const OutageEffect& outage = *facts.outage;
    const auto gpus =
        static_cast<std::int64_t>(facts.count[static_cast<std::size_t>(DeviceKind::Gpu)]);
    const auto left = static_cast<std::int64_t>(outage.reach.largest);
    rows.add("GPUs that reach each other",
             grouped(gpus),
             grouped(left),
             changeText(static_cast<double>(gpus), static_cast<double>(left)));
    if (facts.nodes > 1) {
        rows.addRate("half of the GPUs to the others",
                     facts.bisection.bandwidth,
                     outage.bisection.bandwidth);
    }
    if (!outage.node.empty()) {
        rows.addRate(outage.node + " to all others", outage.nodeBefore, outage.nodeAfter);
    }
}

void addStep(const NetworkStep& healthy, const NetworkStep& failing, FailureRows& rows) {
    rows.addTime("simulated step", healthy.step, failing.step);
    rows.add("tokens per second",
             grouped(std::llround(healthy.tokens)),
             grouped(std::llround(failing.tokens)),
             changeText(healthy.tokens, failing.tokens));
    rows.addTime("of it waiting for full links", healthy.waiting, failing.waiting);
}

std::string countText(std::size_t count) {
    return count == 1 ? "1 thing has failed" : std::to_string(count) + " things have failed";
}

}  // namespace

NetworkStep networkStep(const Simulation& simulation) {
    const Seconds step = seconds(simulation.step.run.makespan);
    const double tokens = static_cast<double>(simulation.scenario.workload.globalBatch) *
                          static_cast<double>(simulation.scenario.workload.sequence);
    return {.step = step,
            .waiting = seconds(simulation.step.slowed),
            .tokens = tokens / step.count(),
            .links = simulation.step.links};
}

const std::vector<LinkUse>& linksInUse(const NetworkState& state) {
    static const std::vector<LinkUse> kNone;
    if (state.failing) {
        return state.failing->links;
    }
    return state.healthy && !state.noStep ? state.healthy->links : kNone;
}

Table failureRows(const NetworkState& state) {
    if (!state.answer.facts.outage) {
        return {};
    }
    FailureRows rows;
    addReach(state.answer.facts, rows);
    if (state.healthy && state.failing) {
        addStep(*state.healthy, *state.failing, rows);
    } else if (state.healthy && state.noStep) {
        rows.add("simulated step", durationText(state.healthy->step), "does not end", "");
    }
    return std::move(rows.table);
}

std::string failureHeadline(const NetworkState& state) {
    const std::optional<OutageEffect>& outage = state.answer.facts.outage;
    if (!outage) {
        return "";
    }
    const std::string count = countText(outage->failed.size());
    const std::vector<DeviceIndex>& apart = outage->reach.apart;
    if (!apart.empty()) {
        const std::string first = state.answer.described.topology.devices()[apart.front()].name;
        return count + ": " + grouped(static_cast<std::int64_t>(apart.size())) +
               (apart.size() == 1 ? " GPU is" : " GPUs are") + " cut off (" + first +
               (apart.size() == 1 ? ")" : " first)") + ", so that no step ends.";
    }
    if (state.noStep) {
        return count + ". " + state.noStep->text();
    }
    if (!state.healthy || !state.failing) {
        return count + ": simulating the step …";
    }
    const double longer = state.failing->step / state.healthy->step - 1.0;
    constexpr double kShown = 0.0005;
    return count + ": all GPUs reach each other, and the step " +
           (longer < kShown ? std::string("takes as long as before.")
                            : fmt::format("takes {:.1f} % longer.", 100.0 * longer));
}

std::vector<std::string> failedAfterClick(const std::vector<std::string>& failed,
                                          const std::vector<std::string>& links) {
    const auto hasFailed = [&failed](const std::string& name) {
        return std::ranges::find(failed, name) != failed.end();
    };
    std::vector<std::string> after = failed;
    const auto next = std::ranges::find_if_not(links, hasFailed);
    if (next != links.end()) {
        after.push_back(*next);
        return after;
    }
    std::erase_if(after, [&links](const std::string& name) {
        return std::ranges::find(links, name) != links.end();
    });
    return after;
}

}  // namespace fabricast
