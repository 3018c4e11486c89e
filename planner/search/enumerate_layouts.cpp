#include "planner/schedule/framework_order.h"
#include "planner/search/layout_axes.h"
#include "planner/search/search_space.h"

#include <map>
#include <string>
#include <utility>

namespace fabricast {

namespace {

std::vector<PipelineWay> waysOf(const std::vector<Layout>& orders) {
    std::vector<PipelineWay> ways;
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

    Result<void> run() {
        const std::size_t before = space_.candidates.size();
        for (const Layout& ranks : axes_.ranks()) {
            for (const Layout& states : axes_.states(ranks)) {
                for (const Layout& experts : axes_.experts(states)) {
                    FABRICAST_TRY(addFamily(experts));
                }
            }
        }
        if (space_.candidates.size() == before) {
            space_.refused.push_back(
                {stack_, why_.empty() ? "no layout divides the ranks and the batch" : why_});
        }
        return {};
    }

private:
    Result<void> addFamily(const Layout& layout) {
        FABRICAST_TRY(learnSettings(layout));
        LayoutFamily family{.layout = layout, .stack = stack_};
        family.ways = listOf(
            waysByDepth_, layout.pp, space_.ways, [&] { return waysOf(axes_.orders(layout)); });
        family.microBatches = listOf(samplesByCopies_, layout.dp, space_.microBatches, [&] {
            return axes_.microBatches(layout);
        });
        const auto index = static_cast<std::uint32_t>(space_.families.size());
        space_.families.push_back(family);
        const std::size_t ways = space_.ways[family.ways].size();
        const std::size_t samples = space_.microBatches[family.microBatches].size();
        for (std::uint16_t way = 0; way < ways; ++way) {
            for (std::uint16_t samplesAt = 0; samplesAt < samples; ++samplesAt) {
                if (layout.pp == 1 || runsOrder(family, way, samplesAt)) {
                    for (std::uint32_t kind = 0; kind < space_.recomputes[stack_].size(); ++kind) {
                        space_.candidates.push_back({index, way, samplesAt, kind});
                    }
                }
            }
        }
        return {};
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

    template <class Make>
    static std::uint32_t listOf(std::map<std::int64_t, std::uint32_t>& known,
                                std::int64_t key,
                                auto& lists,
                                const Make& make) {
        const auto [at, isNew] = known.emplace(key, static_cast<std::uint32_t>(lists.size()));
        if (isNew) {
            lists.push_back(make());
        }
        return at->second;
    }

    /// Whether the framework has an order for so many microbatches.
    bool runsOrder(const LayoutFamily& family, std::uint16_t way, std::uint16_t samplesAt) {
        const std::int64_t samples = space_.microBatches[family.microBatches][samplesAt];
        const std::int64_t count = task_.base.workload.globalBatch / (family.layout.dp * samples);
        const auto [at, isNew] = orders_.emplace(std::tuple(family.ways, way, count), false);
        if (isNew) {
            const Result<void> allowed =
                checkOrder(family.layout.pp, space_.ways[family.ways][way], count);
            at->second = allowed.has_value();
            if (!allowed && why_.empty()) {
                why_ = allowed.error().why;
            }
        }
        return at->second;
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
    std::map<std::int64_t, std::uint32_t> waysByDepth_;
    std::map<std::int64_t, std::uint32_t> samplesByCopies_;
    std::map<std::tuple<std::uint32_t, std::uint16_t, std::int64_t>, bool> orders_;
};

}  // namespace

Layout SearchSpace::layoutOf(const Candidate& candidate) const {
    const LayoutFamily& family = familyOf(candidate);
    const PipelineWay& way = ways[family.ways][candidate.way];
    Layout layout = family.layout;
    layout.schedule = way.schedule;
    layout.vpp = way.vpp;
    layout.scheduleGroup = way.group;
    layout.microBatch = microBatches[family.microBatches][candidate.microBatch];
    return layout;
}

Result<SearchSpace> enumerateLayouts(const SearchTask& task) {
    SearchSpace space;
    for (std::uint32_t stack = 0; stack < task.stacks.size(); ++stack) {
        FABRICAST_TRY(StackLayouts(task, stack, space).run());
        space.recomputes.resize(stack + 1);
    }
    return space;
}

}  // namespace fabricast
