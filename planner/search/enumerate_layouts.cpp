#include "planner/estimate/offload_time.h"
#include "planner/ops/quantized_linear.h"
#include "planner/schedule/framework_order.h"
#include "planner/search/layout_axes.h"
#include "planner/search/search_space.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

std::vector<PipelineWay> waysOf(const std::vector<Layout>& orders) {
    std::vector<PipelineWay> ways;
    ways.reserve(orders.size());
    for (const Layout& order : orders) {
        ways.push_back({order.schedule, order.vpp, order.scheduleGroup});
    }
    return ways;
}

/// The layouts of one stack, axis by axis.
class StackLayouts {
public:
    StackLayouts(const SearchTask& task, std::uint32_t stack, SearchSpace& space)
        : task_(task),
          how_(task.stacks[stack]),
          axes_(task.base, *how_.stack, task.rules),
          stack_(stack),
          space_(space) {}

    Result<void> run(const Watch& watch) {
        std::int64_t found = 0;
        const Result<Settings> usual = how_.settingsFor({});
        quantized_ = usual && usual->tuning == Tuning::Lora && isQuantized(usual->lora.base);
        for (const Layout& ranks : axes_.ranks()) {
            FABRICAST_TRY(watch.check());
            for (const Layout& states : axes_.states(ranks, quantized_)) {
                if (!isForecast(states)) {
                    continue;
                }
                for (const Layout& experts : axes_.experts(states)) {
                    FABRICAST_ASSIGN(const bool isAdded, addFamily(experts));
                    const std::size_t families = space_.families.size();
                    found += isAdded ? space_.count(static_cast<std::uint32_t>(families - 1)) : 0;
                }
            }
        }
        if (found == 0) {
            space_.refused.push_back({stack_, why_.empty() ? noDivision() : why_});
        }
        return {};
    }

private:
    /// The numbers that do not divide, or the keys that are held.
    [[nodiscard]] std::string noDivision() const {
        const std::int64_t gpus = task_.base.cluster.gpus();
        const std::string of =
            "no layout of " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
        LayoutRules free = task_.rules;
        free.fixed.said.clear();
        if (task_.rules.forbidden.empty() && !leavesAny(free)) {
            return of + " has a dp that divides a global batch of " +
                   std::to_string(task_.base.workload.globalBatch);
        }
        return of + " is left" + heldText() + forbiddenText();
    }

    /// Whether some layout obeys the rules.
    [[nodiscard]] bool leavesAny(const LayoutRules& rules) const {
        const LayoutAxes axes(task_.base, *how_.stack, rules);
        const auto isWhole = [&](const Layout& layout) {
            return !axes.orders(layout).empty() && !axes.microBatches(layout).empty();
        };
        for (const Layout& ranks : axes.ranks()) {
            for (const Layout& states : axes.states(ranks, quantized_)) {
                if (std::ranges::any_of(axes.experts(states), isWhole)) {
                    return true;
                }
            }
        }
        return false;
    }

    /// Keys, with their values, that leave nothing beside those that were given before them.
    [[nodiscard]] std::string heldText() const {
        std::string text;
        LayoutRules held = task_.rules;
        held.fixed.said.clear();
        if (!leavesAny(held)) {
            return text;  // whatever is given
        }
        for (const std::string& key : task_.rules.fixed.said) {
            const auto added = held.fixed.said.insert(key).first;
            if (!leavesAny(held)) {
                held.fixed.said.erase(added);
                text += (text.empty() ? " with " : ", ") + key + "=" + held.fixed.text(key);
            }
        }
        return text;
    }

    [[nodiscard]] std::string forbiddenText() const {
        std::string left;
        for (const ForbiddenValue& rule : task_.rules.forbidden) {
            left += (left.empty() ? ", without " : ", ") + rule.key +
                    (rule.value.empty() ? "" : "=" + rule.value);
        }
        return left;
    }

    /// False where the keys that are held leave no order of the pipeline: chunks without one.
    Result<bool> addFamily(const Layout& layout) {
        FABRICAST_TRY(learnSettings(layout));
        const std::uint32_t ways = listOf(
            waysByDepth_, layout.pp, space_.ways, [&] { return waysOf(axes_.orders(layout)); });
        if (space_.ways[ways].empty()) {
            return false;
        }
        const std::uint32_t sizes =
            listOf(sizesByRanks_, std::pair(layout.pp, layout.dp), space_.sizes, [&] {
                return sizesOf(layout, space_.ways[ways]);
            });
        space_.families.push_back({.layout = layout,
                                   .swaps = axes_.swaps(layout),
                                   .stack = stack_,
                                   .ways = ways,
                                   .sizes = sizes});
        return true;
    }

    /// Offload that has no step time has no layouts: they would be looked at in vain.
    bool isForecast(const Layout& layout) {
        if (layout.offload == Offload::None) {
            return true;
        }
        const std::tuple key{layout.offload, layout.shard, layout.dp > 1};
        const auto [at, isNew] = isForecast_.emplace(key, false);
        if (isNew) {
            const Result<void> forecast = checkForecast(layout);
            at->second = forecast.has_value();
            if (!forecast && why_.empty()) {
                why_ = forecast.error().why;
            }
        }
        return at->second;
    }

    [[nodiscard]] Result<void> checkForecast(const Layout& layout) const {
        Scenario scenario{.cluster = task_.base.cluster, .layout = layout};
        FABRICAST_ASSIGN(scenario.settings, how_.settingsFor(layout));
        return checkOffload(scenario);
    }

    std::vector<MicroBatchSize> sizesOf(const Layout& layout,
                                        const std::vector<PipelineWay>& ways) {
        std::vector<MicroBatchSize> sizes;
        for (const std::int64_t samples : axes_.microBatches(layout)) {
            MicroBatchSize size{.samples = samples};
            const std::int64_t count = task_.base.workload.globalBatch / (layout.dp * samples);
            for (std::size_t way = 0; way < ways.size(); ++way) {
                if (layout.pp == 1 || runsOrder(layout.pp, ways[way], count)) {
                    size.ways.push_back(static_cast<std::uint16_t>(way));
                }
            }
            sizes.push_back(std::move(size));
        }
        return sizes;
    }

    /// What the stack's settings say whatever the layout.
    Result<void> learnSettings(const Layout& layout) {
        if (space_.recomputes.size() > stack_) {
            return {};
        }
        FABRICAST_ASSIGN(const Settings usual, how_.settingsFor(layout));
        expertOverlap_ = usual.megatron.expertOverlap;
        space_.recomputes.resize(stack_ + 1);
        space_.recomputes[stack_] = axes_.recomputes(usual);
        return {};
    }

    template <class Key, class List>
    static std::uint32_t listOf(std::map<Key, std::uint32_t>& known,
                                const Key& key,
                                std::vector<List>& lists,
                                const auto& make) {
        const auto [at, isNew] = known.emplace(key, static_cast<std::uint32_t>(lists.size()));
        if (isNew) {
            lists.push_back(make());
        }
        return at->second;
    }

    /// Whether the framework has an order for so many microbatches.
    bool runsOrder(std::int64_t ranks, const PipelineWay& way, std::int64_t count) {
        const Result<void> allowed = checkOrder(ranks, way, count);
        if (!allowed && why_.empty()) {
            why_ = allowed.error().why;
        }
        return allowed.has_value();
    }

    [[nodiscard]] Result<void> checkOrder(std::int64_t ranks,
                                          const PipelineWay& way,
                                          std::int64_t count) const {
        FABRICAST_ASSIGN(const Framework framework, frameworkOf(how_.stack->name));
        FABRICAST_TRY(frameworkOrder({.framework = framework,
                                      .schedule = way.schedule,
                                      .expertOverlap = expertOverlap_ && way.vpp > 1,
                                      .shape = {.ranks = ranks,
                                                .chunks = way.vpp,
                                                .microBatches = count,
                                                .group = way.group > 0 ? way.group : ranks}}));
        return {};
    }

    const SearchTask& task_;
    const StackSettings& how_;
    LayoutAxes axes_;
    std::uint32_t stack_;
    SearchSpace& space_;
    std::string why_;
    bool expertOverlap_ = false;
    bool quantized_ = false;  ///< what adapters are trained of
    std::map<std::tuple<Offload, Shard, bool>, bool> isForecast_;
    std::map<std::int64_t, std::uint32_t> waysByDepth_;
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint32_t> sizesByRanks_;
};

}  // namespace

Layout SearchSpace::layoutOf(const Candidate& candidate) const {
    const LayoutFamily& family = families[candidate.family];
    const PipelineWay& way = ways[family.ways][candidate.way];
    Layout layout = family.layout;
    layout.schedule = way.schedule;
    layout.vpp = way.vpp;
    layout.scheduleGroup = way.group;
    layout.microBatch = samplesOf(candidate);
    layout.placement = candidate.swapped ? RankPlacement::PpInside : layout.placement;
    return layout;
}

std::int64_t SearchSpace::count(std::uint32_t family) const {
    std::size_t count = 0;
    for (const MicroBatchSize& size : sizesOf(family)) {
        count += size.ways.size() * recomputesOf(family).size();
    }
    return static_cast<std::int64_t>(families[family].swaps ? 2 * count : count);
}

std::vector<Candidate> SearchSpace::candidatesOf(std::uint32_t family) const {
    std::vector<Candidate> found;
    const std::vector<MicroBatchSize>& mine = sizesOf(family);
    const auto add = [&](std::size_t size, std::uint16_t way, std::size_t kind) {
        Candidate candidate{.family = family,
                            .way = way,
                            .size = static_cast<std::uint16_t>(size),
                            .recompute = static_cast<std::uint16_t>(kind)};
        found.push_back(candidate);
        if (families[family].swaps) {
            candidate.swapped = true;
            found.push_back(candidate);
        }
    };
    for (std::size_t size = 0; size < mine.size(); ++size) {
        for (const std::uint16_t way : mine[size].ways) {
            for (std::size_t kind = 0; kind < recomputesOf(family).size(); ++kind) {
                add(size, way, kind);
            }
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

Result<SearchSpace> enumerateLayouts(const SearchTask& task, const Watch& watch) {
    SearchSpace space;
    for (std::uint32_t stack = 0; stack < task.stacks.size(); ++stack) {
        FABRICAST_TRY(StackLayouts(task, stack, space).run(watch));
        space.recomputes.resize(stack + 1);
    }
    return space;
}

}  // namespace fabricast
