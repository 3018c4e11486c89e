#pragma once
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"

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
};

/// So many nodes of one kind on one network, with the best plan of each job.
struct SizedCluster {
    std::string box;     ///< as typed
    std::string fabric;  ///< instead of the box's own; empty: its own
    std::int64_t nodes = 0;
    std::int64_t gpus = 0;
    std::optional<Watts> power;  ///< of all nodes at most, as sold or estimated
    bool powerEstimated = false;
    std::vector<Plan> plans;  ///< one for each job; empty: see `why`
    std::string why;
    double tokensPerSecond = 0.0;  ///< of the slowest job
    /// Of all jobs one after another, with failures; without tokens, of a million of each.
    double seconds = 0.0;
    /// Of the jobs; where a job's tokens are not known, of an hour of the cluster.
    std::optional<double> usd;
    bool fits = false;          ///< surely, or it may and that is allowed
    bool meetsTargets = false;  ///< and fits
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
};

/// Nodes that stand by, so that a failed one is replaced at once.
struct Spares {
    double failuresPerMonth = 0.0;  ///< of nodes that have to be repaired
    double inRepair = 0.0;          ///< on average
    std::int64_t nodes = 0;
    double enough = 0.0;  ///< share of the time in which so many are enough
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

/// This is the answer to "how much hardware?"
struct SizeAnswer {
    std::vector<std::string> jobs;  ///< what is trained: the model of each
    std::vector<SizeTarget> targets;
    SizeAim aim = SizeAim::Cost;
    bool hasTokens = false;  ///< of all jobs: then money and time are those of the runs
    PriceKind priceKind = PriceKind::OnDemand;
    std::optional<SizedCluster> pick;
    std::optional<SizedCluster> oneNode;  ///< another cluster of one node that will do
    std::optional<SizedCluster> nearest;  ///< where nothing reaches the targets
    /// Of the clusters that reach the targets those that no other beats in money, time and power.
    std::vector<SizedCluster> front;
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
    std::int64_t searched = 0;
    std::int64_t ruledOut = 0;  ///< by a bound that they cannot beat
    std::vector<std::string> notes;
    bool stopped = false;
};

}  // namespace fabricast
