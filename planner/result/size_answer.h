#pragma once
#include "planner/result/check_report.h"
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What the hardware that is looked for has least of.
enum class SizeAim { Cost, Time, Power, Gpus };

/// What the hardware must reach: each job the rate, all jobs one after another the days and the
/// dollars.
enum class SizeMetric { TokensPerSecond, Days, Budget };
struct SizeTarget {
    SizeMetric metric = SizeMetric::TokensPerSecond;
    double wanted = 0.0;
    std::string typed{};  ///< "days=30"
};

/// The interval of a forecast.
struct SizedRange {
    double lo = 0.0;
    double hi = 0.0;
};

/// So many nodes of one kind, or some GPUs of one node, on one network, with the best plan of each
/// job. Numbers are the middle of the forecast; the ranges are its 80 % interval.
struct SizedCluster {
    std::string box;     ///< as typed
    std::string fabric;  ///< instead of the box's own; empty: its own
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    bool isPart = false;         ///< not all GPUs of its node
    std::optional<Watts> power;  ///< of all nodes at most, as sold or estimated
    bool powerEstimated = false;
    std::vector<Plan> plans;  ///< one for each job; empty: see `why`
    std::string why;
    double tokensPerSecond = 0.0;  ///< of the slowest job
    SizedRange tokensRange;
    /// Of all jobs one after another, with failures; without tokens, of a million of each.
    double seconds = 0.0;
    SizedRange secondsRange;
    /// Of the jobs; where a job's tokens are not known, of an hour of the cluster.
    std::optional<double> usd;
    std::optional<SizedRange> usdRange;
    bool fits = false;          ///< surely, or it may and that is allowed
    bool meetsTargets = false;  ///< and fits; by the middle of the forecast
    /// By target: whether the whole interval reaches it, none of it does, or a part.
    std::vector<CheckVerdict> verdicts;

    [[nodiscard]] bool isSure() const {
        return fits && std::ranges::all_of(verdicts, [](CheckVerdict verdict) {
                   return verdict == CheckVerdict::Holds;
               });
    }
};

/// The cluster that comes closest to a target which none reaches.
struct NearestCluster {
    SizeTarget target;
    SizedCluster cluster;
    double value = 0.0;  ///< in the target's unit
    double ratio = 1.0;  ///< how many times more tokens per second, or fewer days or dollars
};

/// A cluster beyond those that were asked about, which reaches the targets.
struct SizeWay {
    std::string what;  ///< "more nodes"
    SizedCluster cluster;
    std::string typed;  ///< what to type to have it answered
};

/// Why no plan of a kind of node fits, where none of any does.
struct SizeMisfit {
    std::string box;
    std::int64_t nodes = 0;
    std::string why;
};

/// A kind of node that was named and is not among the best: the best that it has, and why not.
struct SizeBeaten {
    std::string box;
    std::optional<SizedCluster> best;  ///< nothing: none of it fits
    std::string why;
};

/// Hardware that is not compared, or not at all: what is missing.
struct LeftOut {
    std::string what;
    std::string why;

    friend bool operator==(const LeftOut&, const LeftOut&) = default;
};

/// The cluster's price over some years, rented while it is used or bought.
struct RentOrBuyYear {
    double years = 0.0;
    Usd rent{};
    Usd buy{};  ///< the purchase, and electricity while it is used
};
struct RentOrBuy {
    CostBasis rental;                       ///< and why there is no price
    CostBasis purchase;                     ///< likewise
    std::optional<UsdPerHour> rent;         ///< of the cluster
    std::optional<Usd> whole;               ///< to buy it with server and network
    std::optional<UsdPerHour> electricity;  ///< of the cluster while it is used
    double utilisation = 1.0;               ///< share of the time in which it is used
    std::vector<RentOrBuyYear> years;
    std::optional<double> evenYears;  ///< after which buying is cheaper; nothing: never

    /// What a price of this kind comes from.
    [[nodiscard]] const CostBasis& basis(PriceKind kind) const {
        return kind == PriceKind::Owned ? purchase : rental;
    }
};

/// Nodes that stand by, so that a failed one is replaced at once.
struct Spares {
    double failuresPerMonth = 0.0;  ///< of nodes that have to be repaired
    double inRepair = 0.0;          ///< on average
    std::int64_t nodes = 0;
    double enough = 0.0;  ///< share of the time in which so many are enough
    /// What they add to the runs or, without tokens, to an hour; no other sum contains it.
    std::optional<double> usd;
};

/// Nodes of the pick's kind against tokens per second.
struct ScalingPoint {
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::string why;  ///< without a plan
    double tokensPerSecond = 0.0;
    /// What an added GPU brings, over what one brought at the point before; the first has none.
    std::optional<double> ofAdded;
};

/// Clusters of a box that may be of use and were not searched, as the others took too long.
struct NotSearched {
    std::string box;
    std::int64_t clusters = 0;
};

/// This is the answer to "how much hardware?"
struct SizeAnswer {
    std::vector<std::string> jobs;  ///< what is trained: the model of each
    std::vector<SizeTarget> targets;
    SizeAim aim = SizeAim::Cost;
    bool hasTokens = false;  ///< of all jobs: then money and time are those of the runs
    PriceKind priceKind = PriceKind::OnDemand;
    std::optional<SizedCluster> pick;
    std::string
        pickTyped;  ///< the question about the pick's plan, of the first job: "-c dgx-h100 …"
    std::optional<SizedCluster> oneNode;  ///< another cluster of one node that will do
    /// The cheapest that was searched and surely reaches the targets, where the pick may not.
    std::optional<SizedCluster> surest;
    std::vector<NearestCluster> nearest;  ///< by target, where nothing reaches all of them
    std::vector<SizeWay> ways;            ///< likewise
    std::vector<SizeMisfit> misfits;      ///< where nothing fits
    /// Of the clusters that reach the targets those that no other beats in money, time and power.
    std::vector<SizedCluster> front;
    std::vector<SizeBeaten> beaten;  ///< of the boxes that were named
    /// The cheapest cluster that is a tenth faster than the pick.
    std::optional<SizedCluster> tenthFaster;
    std::vector<ScalingPoint> scaling;
    std::optional<std::int64_t> mostUseful;  ///< nodes beyond which none is faster
    std::optional<RentOrBuy> rentOrBuy;
    std::optional<Spares> spares;
    /// What the clusters of the catalogue cannot beat, each number that of its best one.
    double mostTokensPerSecond = 0.0;
    double leastSeconds = 0.0;
    std::optional<double> leastUsd;
    std::vector<LeftOut> leftOut;
    std::int64_t clusters = 0;  ///< of the catalogue
    /// Numbers of nodes of those, where no pick is among them and none were asked for.
    std::vector<std::int64_t> counts;
    bool isCapped = false;  ///< by GPUs, racks or power
    std::int64_t searched = 0;
    std::int64_t ruledOut = 0;  ///< by a bound that they cannot beat
    std::vector<std::string> notes;
    bool stopped = false;
    bool cutShort = false;                 ///< the searches reached their limit of work
    std::vector<NotSearched> notSearched;  ///< then
    bool waysCutShort = false;             ///< the searches beyond the catalogue did
};

}  // namespace fabricast
