#pragma once
#include "planner/base/units.h"
#include "planner/evidence/price_profile.h"
#include "planner/evidence/site_profile.h"
#include "planner/result/evidence.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// One cycle of work and checkpoint, and what a failure in it costs.
struct CheckpointCycle {
    Seconds mtbf;      ///< between the failures that it recovers from; infinite: there are none
    Seconds interval;  ///< of useful work between two checkpoints
    Seconds blocking;  ///< that a checkpoint stops the run
    Seconds recovery;  ///< from a failure to useful work, work lost since the checkpoint aside
    double goodput = 1.0;
    bool isLonger = false;  ///< the interval, than was asked for: a step or a write takes that long
};

/// The share of a run's time that is useful work, and why it is not all.
struct Goodput {
    Headline<double> share;  ///< over the range that the MTBF of a GPU is known to
    Seconds mtbf;            ///< of the whole job
    Bytes checkpoint;        ///< all ranks together
    Seconds snapshot;        ///< to copy a rank's share to host memory
    Seconds write;           ///< to write it to storage
    /// The cycles that `share` is the product of: with two levels, memory and then storage.
    std::array<CheckpointCycle, 2> cycles{};
    std::size_t count = 1;
};

/// What a GPU-hour costs, and what it is made of.
struct GpuHour {
    std::optional<UsdPerHour> price;  ///< empty: not known
    UsdPerHour hardware{};            ///< the rent, or what is written off
    UsdPerHour electricity{};         ///< of an owned GPU
};

/// What a node and a GPU with its share of the node draw.
struct RunPower {
    std::optional<Headline<Watts>> perGpu;  ///< with its share of node and building
    Watts nodeRated{};                      ///< at most, as sold or estimated
    bool nodeEstimated = false;
    std::string nodeLike;  ///< the node whose share of power that is; empty: its own
    double busy = 1.0;     ///< share of the step in which kernels run
};

/// Of a run with a number of tokens.
struct RunTotals {
    Headline<Seconds> wall;
    Headline<Seconds> gpuTime;
    std::optional<Headline<Usd>> price;
    std::optional<Headline<Joules>> energy;
    double failures = 0.0;  ///< expected
};

/// This is the answer to "what does training cost?": numbers only, so that a search may ask it of
/// every layout. Intervals carry over from the step time and the MTBF.
struct RunCost {
    Goodput goodput;
    GpuHour gpuHour;
    RunPower power;
    double tokensPerSecond = 0.0;  ///< while it runs
    /// Of a million tokens; empty where no price (or no power) is known, or it never gets on.
    std::optional<Headline<Usd>> perMtok;
    std::optional<Headline<Joules>> energyPerMtok;
    std::optional<RunTotals> run;  ///< if a number of tokens was given
};

/// The basis of a cost, shown with its numbers.
struct CostBasis {
    std::string priceProfile;
    std::string priceTitle;
    std::string priceDate;
    PriceKind kind = PriceKind::OnDemand;
    std::string priceNote;             ///< of the GPU's price: its range and source
    std::optional<double> ownedYears;  ///< that an owned GPU is written off over
    double utilisation = 1.0;          ///< share of these years in which it is used
    std::string why;                   ///< without a price
    std::string hint;                  ///< and what to type
    std::string site;
    std::string siteTitle;
    bool mtbfTyped = false;  ///< failures come as was typed, not as at the site
    CheckpointMode checkpoint = CheckpointMode::Async;
    std::int64_t gpus = 0;
    std::optional<Tokens> tokens;
    std::vector<std::string> assumed;
};

}  // namespace fabricast
