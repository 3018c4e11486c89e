#include "planner/search/find_plans.h"

#include "planner/base/parallel_map.h"
#include "planner/memory/estimate_memory.h"
#include "planner/search/layout_forecast.h"
#include "planner/search/memory_bound.h"
#include "planner/search/plan_of.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <utility>

namespace fabricast {

namespace {

/// Candidates estimated at once, for each thread.
constexpr std::size_t kBatch = 16;
/// Layouts walked where nothing fits.
constexpr std::size_t kMostMisses = 3;
constexpr std::size_t kMissesWalked = 12;

/// A candidate waiting for its turn: by a bound, or by what it was found to be.
struct Waiting {
    double value = 0.0;
    bool exact = false;
    std::uint32_t candidate = 0;

    /// The smallest comes first; of equals the one that stands first in the space.
    friend bool operator<(const Waiting& a, const Waiting& b) {
        return std::tuple(b.value, b.candidate, b.exact) <
               std::tuple(a.value, a.candidate, a.exact);
    }
};

class PlanSearch {
public:
    PlanSearch(const SearchTask& task,
               const SearchSpace& space,
               const SearchOptions& options,
               LayoutForecast forecast)
        : task_(task),
          space_(space),
          options_(options),
          forecast_(std::move(forecast)),
          bound_(task, space),
          capacity_(task.base.cluster.node.gpu.capacity().value->count()) {}

    Result<PlanReport> run() {
        report_.question = task_.base;
        report_.objective = options_.objective;
        report_.candidates = static_cast<std::int64_t>(space_.candidates.size());
        for (const RefusedStack& refused : space_.refused) {
            report_.rejections.push_back(
                {std::string(task_.stacks[refused.stack].stack->name), 0, refused.why});
        }
        const std::vector<std::uint32_t> roomy = thatMayFit();
        BlockCosts blocks(task_, space_, forecast_.estimator(), options_.threads);
        blocks.add(roomy);
        fillQueue(roomy, blocks);
        takeBest(blocks);
        if (report_.plans.empty()) {
            findMisses();
        }
        addRefusals();
        report_.pareto = paretoOf(report_.plans);
        return std::move(report_);
    }

private:
    /// Those whose states and inputs alone leave room.
    std::vector<std::uint32_t> thatMayFit() {
        std::vector<std::uint32_t> roomy;
        for (std::uint32_t i = 0; i < space_.candidates.size(); ++i) {
            const std::int64_t least = bound_.bytes(space_.candidates[i]);
            leastBytes_.push_back(least);
            if (least <= capacity_) {
                roomy.push_back(i);
            }
        }
        return roomy;
    }

    void fillQueue(const std::vector<std::uint32_t>& roomy, const BlockCosts& blocks) {
        for (const std::uint32_t index : roomy) {
            const Candidate& candidate = space_.candidates[index];
            const Result<BlockCost>& cost = blocks.of(candidate);
            if (!cost) {
                refuse(candidate, cost.error().why);
                continue;
            }
            leastBytes_[index] = bound_.bytes(candidate, *cost);
            if (leastBytes_[index] > capacity_) {
                continue;
            }
            ++report_.feasible;
            queue_.push({boundOf(candidate, *cost, leastBytes_[index]), false, index});
        }
    }

    /// What the objective of a candidate cannot be below.
    [[nodiscard]] double boundOf(const Candidate& candidate,
                                 const BlockCost& cost,
                                 std::int64_t bytes) const {
        if (options_.objective == PlanObjective::Memory) {
            return static_cast<double>(bytes);
        }
        const Layout& layout = candidate.layout;
        const std::int64_t count =
            task_.base.workload.globalBatch / (layout.dp * layout.microBatch);
        return cost.compute * static_cast<double>(count) / static_cast<double>(layout.pp);
    }

    void takeBest(const BlockCosts& blocks) {
        while (!queue_.empty() && report_.plans.size() < options_.top) {
            if (queue_.top().exact) {
                accept(queue_.top().candidate);
                queue_.pop();
            } else {
                estimateNext(blocks);
            }
        }
    }

    /// The first few that wait by their bound, and nothing behind one that is known.
    void estimateNext(const BlockCosts& blocks) {
        std::vector<std::uint32_t> batch;
        while (!queue_.empty() && !queue_.top().exact &&
               batch.size() < kBatch * std::max<std::size_t>(1, options_.threads)) {
            batch.push_back(queue_.top().candidate);
            queue_.pop();
        }
        const std::vector<Result<StepEstimate>> steps = forecast_.steps(batch, blocks);
        const std::vector<Bytes> peaks = peaksOf(batch);
        for (std::size_t i = 0; i < batch.size(); ++i) {
            if (!steps[i]) {
                refuse(space_.candidates[batch[i]], steps[i].error().why);
                continue;
            }
            known_.emplace(batch[i], *steps[i]);
            const double value = options_.objective == PlanObjective::Memory
                                     ? static_cast<double>(peaks[i].count())
                                     : steps[i]->step.value.count();
            queue_.push({value, true, batch[i]});
        }
    }

    /// Where the objective is memory: what the walk finds.
    std::vector<Bytes> peaksOf(const std::vector<std::uint32_t>& batch) {
        if (options_.objective != PlanObjective::Memory) {
            return {};
        }
        const auto peak = [this](std::uint32_t index) {
            const auto memory = judgeMemory(space_.scenarioOf(task_, space_.candidates[index]));
            return memory ? memory->peak.value : Bytes{};
        };
        return *parallelMap(batch, peak, {.threads = options_.threads});
    }

    void accept(std::uint32_t index) {
        const Candidate& candidate = space_.candidates[index];
        Scenario scenario = space_.scenarioOf(task_, candidate);
        Result<MemoryBreakdown> memory = judgeMemory(scenario);
        if (!memory) {
            refuse(candidate, memory.error().why);
        } else if (memory->verdict != Verdict::DoesNotFit) {
            report_.plans.push_back(
                {std::move(scenario), std::move(known_.at(index)), *std::move(memory)});
        }
        known_.erase(index);
    }

    void findMisses() {
        std::vector<std::uint32_t> order(space_.candidates.size());
        for (std::uint32_t i = 0; i < order.size(); ++i) {
            order[i] = i;
        }
        const std::size_t walked = std::min(order.size(), kMissesWalked);
        std::partial_sort(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(walked),
                          order.end(),
                          [&](std::uint32_t a, std::uint32_t b) {
                              return std::pair(leastBytes_[a], a) < std::pair(leastBytes_[b], b);
                          });
        order.resize(walked);
        std::vector<Plan> misses;
        for (const std::uint32_t index : order) {
            Scenario scenario = space_.scenarioOf(task_, space_.candidates[index]);
            if (Result<MemoryBreakdown> memory = judgeMemory(scenario)) {
                misses.push_back({std::move(scenario), {}, *std::move(memory)});
            }
        }
        std::stable_sort(misses.begin(), misses.end(), [](const Plan& a, const Plan& b) {
            return a.memory.peak.value < b.memory.peak.value;
        });
        misses.resize(std::min(misses.size(), kMostMisses));
        if (!misses.empty()) {
            addFixes(misses.front());
        }
        report_.misses = std::move(misses);
    }

    void refuse(const Candidate& candidate, const std::string& why) {
        ++refusals_[{candidate.stack, why}];
    }

    void addRefusals() {
        for (const auto& [what, layouts] : refusals_) {
            report_.rejections.push_back(
                {std::string(task_.stacks[what.first].stack->name), layouts, what.second});
        }
    }

    const SearchTask& task_;
    const SearchSpace& space_;
    const SearchOptions& options_;
    LayoutForecast forecast_;
    MemoryBound bound_;
    std::int64_t capacity_;
    PlanReport report_;
    std::vector<std::int64_t> leastBytes_;
    std::priority_queue<Waiting> queue_;
    std::map<std::uint32_t, StepEstimate> known_;
    std::map<std::pair<std::uint32_t, std::string>, std::int64_t> refusals_;
};

}  // namespace

Result<PlanReport> findPlans(const SearchTask& task,
                             const TimingProfiles& profiles,
                             const SearchOptions& options) {
    const GpuSpec& gpu = task.base.cluster.node.gpu;
    if (!gpu.capacity().value) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "nobody has said how much memory " + gpu.name + " has");
    }
    FABRICAST_ASSIGN(const SearchSpace space, enumerateLayouts(task));
    FABRICAST_ASSIGN(LayoutForecast forecast,
                     LayoutForecast::make(task, space, profiles, options.threads));
    return PlanSearch(task, space, options, std::move(forecast)).run();
}

}  // namespace fabricast
