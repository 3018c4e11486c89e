#pragma once
#include "planner/result/plan_report.h"
#include "planner/search/block_costs.h"
#include "planner/search/distinct_plans.h"
#include "planner/search/family_refusals.h"
#include "planner/search/find_plans.h"
#include "planner/search/known_work.h"
#include "planner/search/layout_forecast.h"
#include "planner/search/memory_bound.h"
#include "planner/search/time_bound.h"
#include "planner/search/walks_ahead.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {

/// This takes layouts in the order of a value that they cannot beat. What comes up is looked at
/// more closely and waits again, until what comes up is known: it is the best of all that are left.
/// At first whole groups wait: the layouts whose blocks do the same work, then those of them that
/// have one size of the micro-batch.
///     PlanSearch(task, space, options, std::move(forecast), watch).run()
class PlanSearch {
public:
    PlanSearch(const SearchTask& task,
               const SearchSpace& space,
               const SearchOptions& options,
               LayoutForecast forecast,
               const Watch& watch);

    Result<PlanReport> run();

private:
    /// How closely it has been looked at: a group three times, those of it with one micro-batch
    /// twice, and a layout five times.
    enum class Look : std::uint8_t {
        Counted,
        Linked,
        Sampled,
        Sized,
        Timed,
        Ordered,
        Ended,
        Closed,
        Bounded,
        Known
    };
    /// What the orders of a group's pipelines are asked for room with.
    struct OrderRoom {
        LayersKept kept;  ///< of each sample, at least
        std::int64_t limit = 0;
    };
    /// Families whose blocks do the same work.
    struct Block {
        std::vector<std::uint32_t> families;  ///< those that may fit, ascending
        /// By what is recomputed: the first family that the stack does not refuse.
        std::vector<std::size_t> first;
        std::vector<LayerWaits> waits;
        std::vector<OrderRoom> orders;
        /// Likewise, of each family: sizes of the micro-batch that may fit.
        std::vector<std::vector<std::size_t>> room;
    };
    using GroupKey = std::tuple<std::uint32_t,
                                std::int64_t,
                                std::int64_t,
                                std::int64_t,
                                std::int64_t,
                                CpKind,
                                Shard,
                                bool,
                                bool,
                                bool,
                                bool>;
    struct Waiting {
        double value = 0.0;
        Candidate candidate;  ///< of a group, the first
        Look look = Look::Counted;

        /// The smallest comes first; of equals the one that stands first in the space.
        friend bool operator<(const Waiting& a, const Waiting& b) {
            return a.value != b.value ? a.value > b.value : a.candidate > b.candidate;
        }
    };

    Result<void> search();
    /// Of what it may walk, or look at: what it has more of.
    [[nodiscard]] std::int64_t used() const { return std::max(report_.walked, looked_); }
    [[nodiscard]] bool isTired() const { return used() >= most_; }
    [[nodiscard]] bool leastMemory() const { return options_.objective == PlanObjective::Memory; }
    [[nodiscard]] bool isLean(const MemoryBreakdown& memory) const {
        return limit_ == capacity_ || memory.peak.value.count() <= limit_;
    }
    [[nodiscard]] std::int64_t mostCounted(const Scenario& scenario);
    bool hasNoRoomLeft(const Candidate& candidate, const Scenario& scenario);
    bool isPassedOver(const Candidate& candidate, std::int64_t looksToCome);
    std::optional<Bytes> mostWalked(const Candidate& candidate, const Scenario& scenario);
    void enqueue(const Waiting& waiting);
    Result<void> findTop();
    [[nodiscard]] bool isSettled() const;
    [[nodiscard]] bool isTooSlow() const;
    void lookFurther();
    void showPlans();
    Result<void> checkWatch();
    void leaveRoom();
    [[nodiscard]] bool isHidden(const Plan& plan) const;
    void takeRows();
    bool advance();
    Result<void> extendFront();
    Result<void> tryLeanest();
    void sayWhatIsLeft();
    [[nodiscard]] bool isUnmodelled(std::uint32_t family, const Error& refusal) const;
    void refuseUnmodelled(std::uint32_t family, std::int64_t layouts);
    Result<std::vector<bool>> stacksThatRun();
    Result<void> fillQueue();
    Result<void> count(std::uint32_t family);
    Result<std::size_t> roomySizes(std::uint32_t family);
    void lookCloser(const Waiting& waiting);
    [[nodiscard]] std::size_t orderOf(const Candidate& candidate) const {
        return firstOrder_[candidate.family] + candidate.way;
    }
    [[nodiscard]] std::uint16_t& leastTooLarge(const Candidate& candidate) {
        return tooLarge_[orderOf(candidate) * kinds_ + candidate.recompute];
    }
    /// Of its family, its order and what it recomputes larger micro-batches keep as much or more.
    [[nodiscard]] bool isTooLarge(const Candidate& candidate) {
        return candidate.size >= leastTooLarge(candidate);
    }
    void addToBlock(std::uint32_t family);
    Result<void> waitByCount();
    void link(const Waiting& waiting);
    void sample(const Waiting& waiting);
    void fit(const Waiting& waiting);
    Result<double> timeOfSamples(const Candidate& most);
    void refuseGroup(const Waiting& waiting, const Error& refusal);
    std::optional<Candidate> largestFitting(const Waiting& waiting);
    void split(const Waiting& waiting);
    void time(const Waiting& waiting);
    void open(const Waiting& waiting);
    Result<LayerWaits> leastWaits(const Candidate& candidate);
    std::optional<Candidate> largest(const Candidate& group) const;
    Result<double> timeOfPasses(const Candidate& candidate);
    void wait(const Candidate& candidate, double atLeast);
    void end(const Waiting& waiting);
    void close(const Waiting& waiting);
    void bound(const Waiting& waiting);
    Result<void> findRoom(const Candidate& group);
    bool fitsInOrder(const Candidate& candidate, const Settings& usual);
    std::size_t roomInOrder(Candidate candidate, std::size_t room);
    /// Of a bound by the speeds of the machine: own runs stretch no step by less.
    [[nodiscard]] double stretched(double atLeast) {
        return atLeast * forecast_.estimator().leastStretch();
    }
    Result<double> closestTime(const Candidate& candidate);
    double tailOf(const Candidate& candidate);
    double leastTail(const Candidate& candidate);
    void estimateNext();
    std::vector<Result<MemoryBreakdown>> memoriesOf(const std::vector<Estimated>& batch);
    Result<MemoryBreakdown> walked(const Candidate& candidate,
                                   const Scenario& scenario,
                                   Bytes most);
    void countWalk(const MemoryBreakdown& memory);
    void countLook();
    void countEstimate(const Scenario& scenario);
    void countFamilies();
    void countAsked();
    void accept(const Candidate& candidate, double value);
    Result<void> findMisses();
    [[nodiscard]] std::size_t missesWanted() const;
    using Sized = std::pair<std::int64_t, Candidate>;  ///< with the least bytes that it needs
    Result<std::vector<Sized>> smallest();
    Result<std::vector<Sized>> leanest();
    std::vector<Sized> leastInOrder(std::vector<Sized> found, std::size_t most);
    Result<std::vector<Sized>> leastPeaks(const std::vector<Sized>& bounded);
    void refuse(const Candidate& candidate, const std::string& why);
    void refuseTaken(const Candidate& candidate, const Error& refusal);
    void addRefusals();

    const SearchTask& task_;
    const SearchSpace& space_;
    const SearchOptions& options_;
    const Watch& watch_;
    LayoutForecast forecast_;
    CandidateScenarios scenarios_;
    FamilyRefusals asked_;
    std::vector<BorrowedWork> known_;  ///< by stack
    WalksAhead ahead_;
    BlockCosts blocks_;
    MemoryBound memory_;
    TimeBound time_;
    std::int64_t capacity_;
    std::int64_t limit_;             ///< of the memory that a plan may need
    DistinctPlans rows_;             ///< where plans are to differ
    std::size_t nextShown_ = 0;      ///< plans found, when they are shown again
    std::optional<double> settled_;  ///< beyond, none changes the rows wanted
    PlanReport report_;
    std::vector<std::size_t> roomy_;  ///< by family: sizes of the micro-batch that may fit
    std::vector<Block> groups_;
    std::map<GroupKey, std::uint32_t> groupOfKey_;
    std::vector<std::uint32_t> groupOf_;   ///< by family
    std::vector<std::size_t> firstOrder_;  ///< by family: its place among the orders of all
    /// By order and what is recomputed: the smallest micro-batch known not to fit.
    std::vector<std::uint16_t> tooLarge_;
    std::vector<std::optional<double>> tails_;                         ///< by order
    std::map<std::pair<std::uint32_t, Layout>, double> tailOfLayout_;  ///< by stack
    std::size_t kinds_ = 0;  ///< the most that a stack has of what is recomputed
    std::priority_queue<Waiting> queue_;
    bool isSlowLeft_ = false;  ///< layouts that are too slow do not wait
    std::int64_t layoutsWalked_ = 0;
    /// What came up when layouts began to be passed over that leave too little room.
    std::optional<double> passedOver_;
    std::int64_t looked_ = 0;  ///< in events
    std::int64_t most_;        ///< to be walked or looked at
    std::map<std::pair<std::uint32_t, std::string>, std::int64_t> refusals_;
};

}  // namespace fabricast
