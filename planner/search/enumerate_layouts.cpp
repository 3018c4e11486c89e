#include "planner/schedule/framework_order.h"
#include "planner/search/layout_axes.h"
#include "planner/search/search_space.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

/// The layouts of one stack, axis by axis; the stack's own rules have the last word on each.
class StackLayouts {
public:
    StackLayouts(const SearchTask& task, std::uint32_t stack, SearchSpace& space)
        : how_(task.stacks[stack]),
          axes_(task.base, *how_.stack, task.rules),
          index_(stack),
          space_(space),
          scenario_(task.base) {
        scenario_.stack = std::string(how_.stack->name);
    }

    Result<void> run() {
        const std::size_t before = space_.candidates.size();
        for (const Layout& ranks : axes_.ranks()) {
            for (const Layout& states : axes_.states(ranks)) {
                for (const Layout& experts : axes_.experts(states)) {
                    for (const Layout& order : axes_.orders(experts)) {
                        FABRICAST_TRY(addMicroBatches(order));
                    }
                }
            }
        }
        if (space_.candidates.size() == before) {
            space_.refused.push_back(
                {index_, why_.empty() ? "no layout divides the ranks and the batch" : why_});
        }
        return {};
    }

private:
    Result<void> addMicroBatches(Layout layout) {
        for (const std::int64_t samples : axes_.microBatches(layout)) {
            layout.microBatch = samples;
            FABRICAST_ASSIGN(const std::vector<std::uint32_t> settings, settingsFor(layout));
            for (std::uint32_t way = 0; way < settings.size(); ++way) {
                if (accepts(layout, settings[way])) {
                    space_.candidates.push_back({layout, index_, settings[way], way});
                }
            }
        }
        return {};
    }

    bool accepts(const Layout& layout, std::uint32_t settings) {
        scenario_.layout = layout;
        scenario_.settings = space_.settings[settings];
        Result<void> allowed = how_.stack->check(scenario_);
        if (allowed && layout.pp > 1) {
            allowed = checkOrder(layout);
        }
        if (!allowed && why_.empty()) {
            why_ = allowed.error().why;
        }
        return allowed.has_value();
    }

    [[nodiscard]] Result<void> checkOrder(const Layout& layout) const {
        FABRICAST_ASSIGN(const Framework framework, frameworkOf(scenario_.stack));
        FABRICAST_TRY(frameworkOrder(
            {.framework = framework,
             .schedule = layout.schedule,
             .expertOverlap = scenario_.settings.megatron.expertOverlap && layout.vpp > 1,
             .shape = {.ranks = layout.pp,
                       .chunks = layout.vpp,
                       .microBatches = scenario_.microBatches(),
                       .group = layout.scheduleGroup > 0 ? layout.scheduleGroup : layout.pp}}));
        return {};
    }

    /// One for each way to recompute.
    Result<std::vector<std::uint32_t>> settingsFor(const Layout& layout) {
        const SettingsKey key{
            layout.shard, layout.dp > 1, layout.replicas() > 1, layout.pp, layout.vpp, layout.sp};
        if (const auto known = settings_.find(key); known != settings_.end()) {
            return known->second;
        }
        FABRICAST_ASSIGN(const Settings usual, how_.settingsFor(layout));
        std::vector<std::uint32_t>& made = settings_[key];
        for (const RecomputeSettings& recompute : axes_.recomputes(usual)) {
            made.push_back(static_cast<std::uint32_t>(space_.settings.size()));
            space_.settings.push_back(usual);
            space_.settings.back().recompute = recompute;
        }
        return made;
    }

    using SettingsKey = std::tuple<Shard, bool, bool, std::int64_t, std::int64_t, bool>;

    const StackSettings& how_;
    LayoutAxes axes_;
    std::uint32_t index_;
    SearchSpace& space_;
    Scenario scenario_;
    std::string why_;
    std::map<SettingsKey, std::vector<std::uint32_t>> settings_;
};

}  // namespace

Scenario SearchSpace::scenarioOf(const SearchTask& task, const Candidate& candidate) const {
    Scenario scenario = task.base;
    scenario.stack = std::string(task.stacks[candidate.stack].stack->name);
    scenario.layout = candidate.layout;
    scenario.settings = settings[candidate.settings];
    return scenario;
}

Result<SearchSpace> enumerateLayouts(const SearchTask& task) {
    SearchSpace space;
    for (std::uint32_t stack = 0; stack < task.stacks.size(); ++stack) {
        FABRICAST_TRY(StackLayouts(task, stack, space).run());
    }
    return space;
}

}  // namespace fabricast
