#pragma once
#include "planner/base/result.h"
#include "planner/result/plan_report.h"
#include "planner/result/run_cost.h"
#include "planner/spec/cluster_spec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What one GPU costs with its share of server and network.
struct GpuOffer {
    CostBasis rent;  ///< and why there is no price
    GpuHour rented;
    CostBasis purchase;
    GpuHour owned;
    std::optional<Usd> whole;  ///< to buy
    std::optional<double>
        months;  ///< of use by day and night, until buying is cheaper than renting
};

/// One kind of box, and the best that the model can do on it.
struct BoxAnswer {
    std::string name;  ///< as typed
    ClusterSpec cluster;
    std::optional<Plan> plan;  ///< priced as the question asks; empty: see `why`
    std::string why;
    std::optional<Error> refusal{};  ///< where the question cannot be asked of it
    std::optional<GpuOffer> offer;   ///< where there is a plan
};

/// This is the answer to "which hardware?": the same training on several boxes.
struct HardwareAnswer {
    std::string model;
    std::int64_t sequence = 0;
    std::vector<BoxAnswer> boxes;         ///< as typed
    std::optional<std::size_t> cheapest;  ///< per token, of those that surely fit
    std::optional<std::size_t> fastest;
    std::vector<std::string> notes;
    bool stopped = false;  ///< later boxes were not planned
};

}  // namespace fabricast
