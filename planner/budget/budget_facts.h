#pragma once
#include "planner/evidence/price_profile.h"
#include "planner/evidence/site_profile.h"
#include "planner/spec/run_length.h"

#include <cstdint>
#include <optional>

namespace fabricast {

/// What a run is paid, powered and interrupted by: the same for every layout of a search.
struct BudgetFacts {
    PriceProfile price;
    PriceKind kind = PriceKind::OnDemand;
    double utilisation = 1.0;  ///< share of the years of ownership in which an owned GPU is used
    std::optional<UsdPerHour> perGpuHour;  ///< given directly, instead of the profile
    SiteProfile site;
    CheckpointMode checkpoint = CheckpointMode::Async;
    std::optional<Seconds> interval;  ///< of useful work between checkpoints; empty: the best
    std::optional<std::int64_t> intervalSteps;  ///< the same in steps
    std::optional<Seconds> gpuMtbf;             ///< instead of the site's; infinite: nothing fails
    std::optional<RunLength> length;            ///< of the whole run
};

}  // namespace fabricast
