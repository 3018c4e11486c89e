#pragma once
#include "planner/spec/machine_factors.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fabricast {

/// One factor of a correction: a speed over that of the profiles.
struct FittedFactor {
    MachineFactor factor = MachineFactor::Clock;
    double speed = 1.0;
    double error = 0.0;     ///< standard error of its logarithm
    std::int64_t runs = 0;  ///< whose step it changes by at least a hundredth of its own change
};

/// A correction from a user's own runs: how fast the machine's GPUs, hosts and links are relative
/// to the profiles of such machines. Fitted by `fabricast backtest --fit`.
struct MachineCorrection {
    std::string title;
    std::string from;                  ///< the runs it was fitted to
    std::string date;                  ///< when; empty: not known
    std::string gpu;                   ///< the profile whose kernels and nodes it corrects
    std::vector<FittedFactor> fitted;  ///< the others are 1
    std::int64_t runs = 0;             ///< that were forecast
    std::int64_t groups = 0;           ///< of runs that are left out together
    double errorBefore = 0.0;          ///< the middle one of the runs' errors, without the factors
    double errorAfter = 0.0;           ///< with factors fitted to the other groups
    std::vector<OwnInterval> intervals;
    OwnLikeness like;  ///< of its runs, beside the factors

    [[nodiscard]] MachineFactors factors() const {
        MachineFactors all;
        for (const FittedFactor& one : fitted) {
            all.of(one.factor) = one.speed;
        }
        return all;
    }
};

/// Bounds of the factors: beyond them it is not the same machine, or the row is wrong.
inline constexpr double kLeastCorrection = 0.4;
inline constexpr double kMostCorrection = 1.6;
/// That a correction compares others with: more would make every forecast slow.
inline constexpr std::size_t kMostLikeRuns = 300;

}  // namespace fabricast
