#include "planner/search/plan_search.h"

#include "planner/memory/estimate_memory.h"
#include "planner/search/plan_of.h"

#include <algorithm>

namespace fabricast {

PlanSearch::PlanSearch(const SearchTask& task,
                       const SearchSpace& space,
                       const SearchOptions& options,
                       LayoutForecast forecast)
    : task_(task),
      space_(space),
      options_(options),
      forecast_(std::move(forecast)),
      scenarios_(task, space),
      blocks_(task, space, forecast_.estimator()),
      memory_(task, space),
      time_(task, space, forecast_.estimator().host()),
      capacity_(task.base.cluster.node.gpu.capacity().value->count()),
      limit_(capacity_) {}

Result<PlanReport> PlanSearch::run() {
    report_.question = task_.base;
    report_.objective = options_.objective;
    for (const RefusedStack& refused : space_.refused) {
        report_.rejections.push_back(
            {std::string(task_.stacks[refused.stack].stack->name), 0, refused.why});
    }
    FABRICAST_TRY(fillQueue());
    while (report_.plans.size() < options_.top && advance()) {
    }
    if (report_.plans.empty()) {
        findMisses();
    }
    report_.pareto = paretoOf(report_.plans);
    report_.wholeFront = options_.pareto;
    if (options_.pareto && !report_.plans.empty()) {
        extendFront();
    }
    addRefusals();
    return std::move(report_);
}

/// Looks closer at what comes first; false where nothing waits any more.
bool PlanSearch::advance() {
    if (queue_.empty()) {
        return false;
    }
    if (queue_.top().look == Look::Bounded) {
        estimateNext();
        return true;
    }
    const Waiting next = queue_.top();
    queue_.pop();
    lookCloser(next);
    return true;
}

/// Slower layouts that need less memory, each a sixty-fourth of the GPU's less than all before.
void PlanSearch::extendFront() {
    const std::size_t plans = report_.plans.size();
    const auto tighten = [this](const Plan& leanest) {
        limit_ = leanest.memory.peak.value.count() - capacity_ / 64;
    };
    tighten(report_.pareto.back());
    while (advance()) {
        if (report_.plans.size() > plans) {
            report_.pareto.push_back(std::move(report_.plans.back()));
            report_.plans.pop_back();
            tighten(report_.pareto.back());
        }
    }
}

/// A stack that refuses all its layouts says why.
std::vector<bool> PlanSearch::stacksThatRun() {
    std::vector<bool> runs(task_.stacks.size(), false);
    std::vector<std::string> why(task_.stacks.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        const std::uint32_t stack = space_.families[family].stack;
        if (runs[stack]) {
            continue;
        }
        for (const Candidate& candidate : space_.candidatesOf(family)) {
            const auto allowed = scenarios_.allowed(candidate);
            if (allowed) {
                runs[stack] = true;
                break;
            }
            why[stack] = why[stack].empty() ? allowed.error().why : why[stack];
        }
    }
    for (std::size_t stack = 0; stack < runs.size(); ++stack) {
        if (!runs[stack] && !why[stack].empty()) {
            report_.rejections.push_back(
                {std::string(task_.stacks[stack].stack->name), 0, why[stack]});
        }
    }
    return runs;
}

/// How many sizes of the micro-batch leave room for states and inputs: larger ones leave less.
Result<std::size_t> PlanSearch::roomySizes(std::uint32_t family) {
    const std::vector<MicroBatchSize>& sizes = space_.sizesOf(family);
    const Candidate first{.family = family};
    FABRICAST_ASSIGN(const Settings* usual,
                     scenarios_.usual(space_.families[family].stack, space_.layoutOf(first)));
    std::size_t roomy = 0;
    while (roomy < sizes.size() && memory_.fitsHost(family, *usual)) {
        const Candidate candidate{.family = family, .size = static_cast<std::uint16_t>(roomy)};
        if (memory_.fromCounts(candidate, *usual) > capacity_) {
            break;
        }
        const std::size_t placements = space_.families[family].swaps ? 2 : 1;
        report_.feasible += static_cast<std::int64_t>(placements * sizes[roomy].ways.size() *
                                                      space_.recomputesOf(family).size());
        ++roomy;
    }
    return roomy;
}

/// What follows the passes where the CPUs step the optimizer.
double PlanSearch::hostStep(const Candidate& candidate) {
    if (space_.families[candidate.family].layout.offload == Offload::None) {
        return 0.0;
    }
    const auto scenario = scenarios_.of(candidate);
    return scenario ? time_.hostStep(**scenario) : 0.0;
}

Result<void> PlanSearch::fillQueue() {
    const std::vector<bool> runs = stacksThatRun();
    std::vector<Waiting> waiting;
    roomy_.resize(space_.families.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        report_.candidates += space_.count(family);
        if (space_.sizesOf(family).empty()) {
            continue;
        }
        FABRICAST_ASSIGN(roomy_[family], roomySizes(family));
        const std::uint32_t stack = space_.families[family].stack;
        const double after = roomy_[family] > 0 ? hostStep({.family = family}) : 0.0;
        for (std::size_t kind = 0; kind < space_.recomputes[stack].size(); ++kind) {
            const Candidate first{.family = family, .recompute = static_cast<std::uint16_t>(kind)};
            if (roomy_[family] > 0 && runs[stack]) {
                FABRICAST_ASSIGN(const Settings* usual,
                                 scenarios_.usual(stack, space_.layoutOf(first)));
                const bool all = space_.recomputes[stack][kind].kind == Checkpointing::Full;
                const double value =
                    leastMemory()
                        ? static_cast<double>(memory_.fromCounts(first, *usual))
                        : time_.fromFlops(*usual, all, forecast_.estimator().leastPerFlop(*usual)) +
                              after;
                waiting.push_back({value, first, Look::Counted});
            }
        }
    }
    queue_ = std::priority_queue<Waiting>({}, std::move(waiting));
    return {};
}

void PlanSearch::accept(const Candidate& candidate) {
    const auto scenario = scenarios_.of(candidate);
    if (scenario) {
        Result<MemoryBreakdown> memory = judgeFullest(**scenario, Bytes(limit_));
        if (!memory) {
            refuse(candidate, memory.error().why);
        } else if (memory->verdict != Verdict::DoesNotFit && isLean(*memory)) {
            Plan plan{**scenario, std::move(known_.at(candidate)), *std::move(memory)};
            if (plan.fitsHost()) {
                report_.plans.push_back(std::move(plan));
            }
        }
    }
    known_.erase(candidate);
}

void PlanSearch::refuse(const Candidate& candidate, const std::string& why) {
    ++refusals_[{space_.families[candidate.family].stack, why}];
}

void PlanSearch::addRefusals() {
    for (const auto& [what, layouts] : refusals_) {
        report_.rejections.push_back(
            {std::string(task_.stacks[what.first].stack->name), layouts, what.second});
    }
}

}  // namespace fabricast
