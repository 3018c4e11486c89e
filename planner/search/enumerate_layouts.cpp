#include "planner/estimate/drive_time.h"
#include "planner/estimate/offload_time.h"
#include "planner/estimate/reference_time.h"
#include "planner/memory/check_memory.h"
#include "planner/ops/quantized_linear.h"
#include "planner/schedule/framework_order.h"
#include "planner/search/batch_steps.h"
#include "planner/search/held_keys.h"
#include "planner/search/layout_axes.h"
#include "planner/search/search_space.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

bool isNeutral(const ForbiddenValue& rule) {
    return !rule.value.empty() && rule.value == PartialLayout{}.text(rule.key);
}

/// " with tp=8", and more words behind it: ", cp other than 1", or " without pp".
std::string joined(const std::string& before, std::string_view word, const std::string& more) {
    if (more.empty()) {
        return before;
    }
    const bool goesOn = before.starts_with(" " + std::string(word) + " ");
    return before + (goesOn ? ", " : " " + std::string(word) + " ") + more;
}

struct Modelled {
    std::optional<std::uint32_t> reason{};  ///< of the space's, why it is not
    bool isRefused = false;                 ///< what was asked makes no sense
};

/// The layouts of one stack, axis by axis.
class StackLayouts {
public:
    StackLayouts(const SearchTask& task, std::uint32_t stack, SearchSpace& space)
        : task_(task),
          how_(task.stacks[stack]),
          axes_(task.base, *how_.stack, task.rules),
          stack_(stack),
          space_(space),
          asked_(task.base) {
        asked_.stack = std::string(how_.stack->name);
    }

    Result<void> run(const Watch& watch) {
        if (const Result<void> any = checkRun(); !any) {
            space_.refused.push_back({stack_, any.error().why, false});
            return {};
        }
        std::int64_t found = 0;
        const Result<Settings> usual = how_.settingsFor({});
        quantized_ = usual && usual->tuning == Tuning::Lora && isQuantized(usual->lora.base);
        const std::int64_t apart =
            usual && usual->outer.steps > 0 ? task_.base.cluster.sites.count : 1;
        for (const Layout& ranks : axes_.ranks()) {
            FABRICAST_TRY(watch.check());
            if (ranks.dp % apart != 0) {  // each site trains a whole model
                continue;
            }
            for (const Layout& states : axes_.states(ranks, quantized_)) {
                FABRICAST_ASSIGN(const bool taken, isTaken(states));
                if (!taken) {
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
            // What was refused of a layout is no reason where none is left to be refused.
            const bool isLeft = lacksMethod_ || leavesAny(task_.rules);
            std::string why = why_.empty() || !isLeft ? noDivision() : why_;
            if (isLeft && !why_.empty() && !lacksMethod_) {
                FABRICAST_ASSIGN(why, reasonWithBatch(task_, stack_, why_, watch));
            }
            space_.refused.push_back({stack_, std::move(why), lacksMethod_});
        }
        return {};
    }

private:
    [[nodiscard]] Result<void> checkRun() const {
        return how_.stack->checkRun == nullptr ? Result<void>() : how_.stack->checkRun(task_.base);
    }

    /// The batch where another one would leave a layout, and otherwise the keys that are held.
    [[nodiscard]] std::string noDivision() const {
        const std::int64_t gpus = task_.base.cluster.gpus();
        const std::string of =
            "no layout of " + std::to_string(gpus) + (gpus == 1 ? " GPU" : " GPUs");
        LayoutRules free = task_.rules;
        free.fixed.said.clear();
        free.forbidden.clear();
        Scenario divided = task_.base;
        divided.workload.globalBatch = gpus;
        if (!leavesAny(free) || leavesAny(task_.rules, divided)) {
            return of + heldText() + " has a dp that divides a global batch of " +
                   std::to_string(task_.base.workload.globalBatch);
        }
        const std::string kept = joined(heldText(), "with", otherThanText());
        const std::string why = whyNotDivided(task_.rules, task_.base);
        return of + " is left" + joined(kept, "without", forbiddenText()) +
               (why.empty() ? "" : ": " + why);
    }

    /// Whether some layout obeys the rules.
    [[nodiscard]] bool leavesAny(const LayoutRules& rules) const {
        return leavesAny(rules, task_.base);
    }

    [[nodiscard]] bool leavesAny(const LayoutRules& rules, const Scenario& base) const {
        const LayoutAxes axes(base, *how_.stack, rules);
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

    /// "cp other than 1": the neutral value is forbidden, which is no "without".
    [[nodiscard]] std::string otherThanText() const {
        std::string text;
        for (const ForbiddenValue& rule : task_.rules.forbidden) {
            if (isNeutral(rule)) {
                text += (text.empty() ? "" : ", ") + rule.key + " other than " + rule.value;
            }
        }
        return text;
    }

    [[nodiscard]] std::string forbiddenText() const {
        std::string text;
        for (const ForbiddenValue& rule : task_.rules.forbidden) {
            if (!isNeutral(rule)) {
                text += (text.empty() ? "" : ", ") + rule.key +
                        (rule.value.empty() ? "" : "=" + rule.value);
            }
        }
        return text;
    }

    /// False where the keys that are held leave no order of the pipeline: chunks without one.
    Result<bool> addFamily(const Layout& layout) {
        FABRICAST_TRY(learnSettings(layout));
        FABRICAST_ASSIGN(const Modelled kind, modelled(layout));
        if (kind.isRefused) {
            return false;
        }
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
                                   .sizes = sizes,
                                   .unmodelled = kind.reason});
        return true;
    }

    /// Whether layouts of this kind are modelled, or make no sense.
    Result<Modelled> modelled(const Layout& layout) {
        const ModelledKind kind{layout.shard,
                                layout.offload,
                                layout.dp > 1,
                                layout.replicas() > 1,
                                layout.tp > 1,
                                layout.pp > 1,
                                layout.cp > 1,
                                layout.ep > 1};
        const auto [at, isNew] = modelled_.emplace(kind, Modelled());
        if (isNew) {
            FABRICAST_ASSIGN(at->second, askedIfModelled(layout));
        }
        return at->second;
    }

    Result<Modelled> askedIfModelled(const Layout& layout) {
        asked_.layout = layout;
        FABRICAST_ASSIGN(asked_.settings, how_.settingsFor(layout));
        Result<void> known = checkModelled(asked_);
        known = known ? checkOffload(asked_) : known;
        known = known ? checkReferenceTime(asked_.settings) : known;
        if (known) {
            return Modelled();
        }
        if (known.error().code != Error::Code::Unsupported) {
            why_ = why_.empty() ? known.error().why : why_;
            return Modelled{.isRefused = true};
        }
        space_.reasons.push_back(known.error().why);
        return Modelled{.reason = static_cast<std::uint32_t>(space_.reasons.size() - 1)};
    }

    /// Whether states, or what backward needs, have to lie on the host.
    [[nodiscard]] bool asksForHost() const {
        return !task_.rules.take("offload", &Layout::offload, Offload::None);
    }

    /// Ways to train that the stack does not have have no layouts, and neither has offload without
    /// a step time, which would be looked at in vain: where it is asked for it is not modelled.
    Result<bool> isTaken(const Layout& layout) {
        const std::tuple key{layout.offload, layout.shard, layout.dp > 1};
        const auto [at, isNew] = isTaken_.emplace(key, false);
        if (isNew) {
            Scenario scenario{.cluster = task_.base.cluster, .layout = layout};
            FABRICAST_ASSIGN(scenario.settings, how_.settingsFor(layout));
            const Result<void> taken = checkTaken(std::move(scenario));
            at->second = taken.has_value();
            if (!taken && why_.empty()) {
                why_ = taken.error().why;
            }
        }
        return at->second;
    }

    Result<void> checkTaken(Scenario scenario) {
        const Result<void> timed = checkOffload(scenario);
        const bool isNotModelled = asksForHost() && checkDrives(scenario) && !timed &&
                                   timed.error().code == Error::Code::Unsupported;
        if (!timed && !isNotModelled) {
            return timed;
        }
        scenario.settings.recompute = {};  // each layout says its own
        const Result<void> has =
            checkMethods(how_.stack->name, how_.stack->methods, scenario.settings);
        lacksMethod_ = lacksMethod_ || !has;
        return has;
    }

    std::vector<MicroBatchSize> sizesOf(const Layout& layout,
                                        const std::vector<PipelineWay>& ways) {
        std::vector<MicroBatchSize> sizes;
        for (const std::int64_t samples : axes_.microBatches(layout)) {
            const std::int64_t count = task_.base.workload.globalBatch / (layout.dp * samples);
            sizes.push_back({.samples = samples, .ways = waysThatRun(layout.pp, ways, count)});
        }
        return sizes;
    }

    /// The same for all dp and micro-batches that leave so many microbatches.
    const std::vector<std::uint16_t>& waysThatRun(std::int64_t ranks,
                                                  const std::vector<PipelineWay>& ways,
                                                  std::int64_t count) {
        const auto [at, isNew] = waysByCount_.try_emplace({ranks, count});
        for (std::size_t way = 0; isNew && way < ways.size(); ++way) {
            if (ranks == 1 || runsOrder(ranks, ways[way], count)) {
                at->second.push_back(static_cast<std::uint16_t>(way));
            }
        }
        return at->second;
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
    Scenario asked_;  ///< with the layout in question: a copy of the cluster takes long
    std::string why_;
    bool expertOverlap_ = false;
    bool quantized_ = false;  ///< what adapters are trained of
    bool lacksMethod_ = false;
    std::map<std::tuple<Offload, Shard, bool>, bool> isTaken_;
    /// What of a layout says whether it is modelled.
    using ModelledKind = std::tuple<Shard, Offload, bool, bool, bool, bool, bool, bool>;
    std::map<ModelledKind, Modelled> modelled_;
    std::map<std::int64_t, std::uint32_t> waysByDepth_;
    /// By ranks and microbatches.
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint16_t>> waysByCount_;
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

std::int64_t SearchSpace::count(std::uint32_t family, std::size_t most) const {
    std::size_t count = 0;
    const std::vector<MicroBatchSize>& mine = sizesOf(family);
    for (std::size_t size = 0; size < std::min(most, mine.size()); ++size) {
        count += mine[size].ways.size() * recomputesOf(family).size();
    }
    return static_cast<std::int64_t>(families[family].swaps ? 2 * count : count);
}

std::vector<Candidate> SearchSpace::candidatesOf(std::uint32_t family) const {
    std::vector<Candidate> found;
    found.reserve(static_cast<std::size_t>(count(family)));
    const std::vector<MicroBatchSize>& mine = sizesOf(family);
    const auto add = [&](std::uint16_t way, std::uint16_t size) {
        for (std::size_t kind = 0; kind < recomputesOf(family).size(); ++kind) {
            Candidate candidate{.family = family,
                                .way = way,
                                .size = size,
                                .recompute = static_cast<std::uint16_t>(kind)};
            found.push_back(candidate);
            if (families[family].swaps) {
                candidate.swapped = true;
                found.push_back(candidate);
            }
        }
    };
    for (std::size_t way = 0; way < ways[families[family].ways].size(); ++way) {
        for (std::size_t size = 0; size < mine.size(); ++size) {
            if (std::ranges::binary_search(mine[size].ways, way)) {
                add(static_cast<std::uint16_t>(way), static_cast<std::uint16_t>(size));
            }
        }
    }
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
