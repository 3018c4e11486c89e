#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/evidence/price_profile.h"
#include "planner/evidence/site_profile.h"
#include "planner/request/typed_price.h"
#include "planner/spec/run_length.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A profile by name or by the path of a file, and where it was given.
struct ProfileWish {
    std::string name;  ///< empty: the usual one
    std::string where;
    bool typed = false;  ///< on the command line, not in a file
};

/// The part of a scenario about money and failures, before its names are looked up.
///     "workload": {"tokens": "15T" or "1000 steps"}, "price": {"profile": "market-2026-05",
///     "kind": "owned", "years": 3, "utilisation": 0.6}, "operation": {"site": "typical", "mtbf":
///     "50000 h", "checkpoint": "async",
///                   "checkpoint_interval": "20 min" or "500 steps"}
/// A price may be given directly: "price": "$2.10/h", or {"usd_per_gpu_hour": 2.10}; of several
/// GPUs "price": "h100=2.10,h200=3.50".
struct BudgetRequest {
    ProfileWish price;
    std::optional<UsdPerHour> perGpuHour;  ///< given directly, instead of a profile
    std::vector<PricedGpu> pricedGpus;     ///< the same of each of several GPUs
    PriceKind kind = PriceKind::OnDemand;
    std::optional<double> years;  ///< that owned GPUs are written off over; empty: the profile's
    double utilisation = 1.0;     ///< share of these years in which they are used
    ProfileWish site;
    CheckpointMode checkpoint = CheckpointMode::Async;
    std::optional<Seconds> interval;            ///< as a time, or
    std::optional<std::int64_t> intervalSteps;  ///< in steps
    std::optional<Seconds> gpuMtbf;             ///< infinite for "none"
    std::optional<RunLength> length;            ///< of the whole run
};

/// Of a whole scenario; keys that belong to other questions are not looked at.
Result<BudgetRequest> readBudgetRequest(const JsonValue& root);

}  // namespace fabricast
