#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Counts in which a run is compared with another, as a correction file names them.
inline constexpr std::array<std::string_view, 10> kTraitCounts = {"tp",
                                                                  "pp",
                                                                  "cp",
                                                                  "ep",
                                                                  "micro_batch",
                                                                  "samples_per_gpu",
                                                                  "sequence",
                                                                  "gpus",
                                                                  "hidden",
                                                                  "layers"};
/// Shares of its forecast step, as answers in JSON name the parts.
inline constexpr std::array<std::string_view, 11> kTraitShares = {"gemm",
                                                                  "attention",
                                                                  "memory_bound",
                                                                  "tensor",
                                                                  "context",
                                                                  "expert",
                                                                  "shard",
                                                                  "stage",
                                                                  "bubble",
                                                                  "optimizer",
                                                                  "host"};

/// What makes runs alike: how they are set, how large they are, and what their steps go to.
struct RunTraits {
    std::string settings;  ///< "torch-eager bf16 none full fsdp": equal or not
    std::array<double, kTraitCounts.size()> counts{};
    std::array<double, kTraitShares.size()> shares{};

    friend bool operator==(const RunTraits&, const RunTraits&) = default;
};

/// One of a machine's own runs, and how much it says of runs like it.
struct LikeRun {
    std::string id;
    RunTraits traits;
    double weight = 0.0;

    friend bool operator==(const LikeRun&, const LikeRun&) = default;
};

/// What steps take beside the speeds of their machine, by own runs (likeness.h).
struct OwnLikeness {
    std::vector<LikeRun> runs;
    double least = 0.0;  ///< logarithms of what a step is stretched by
    double most = 0.0;

    friend bool operator==(const OwnLikeness&, const OwnLikeness&) = default;
};

}  // namespace fabricast
