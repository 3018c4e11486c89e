#pragma once
#include <cstdint>
#include <string>

namespace fabricast {

/// A correction from a user's own runs: how fast the machine's GPUs and network are relative to the
/// profiles of such machines. Fitted by `fabricast backtest --fit`.
struct MachineCorrection {
    std::string title;
    std::string from;          ///< the runs it was fitted to
    std::string gpu;           ///< the profile whose kernels and nodes it corrects
    double clock = 1.0;        ///< rate of matrix products and attention
    double network = 1.0;      ///< rate of the NICs between nodes
    std::int64_t runs = 0;     ///< that were forecast
    double errorBefore = 0.0;  ///< the middle one of the runs' errors, without the factors
    double errorAfter = 0.0;   ///< with them
};

/// Bounds of the factors: beyond them it is not the same machine, or the row is wrong.
inline constexpr double kLeastCorrection = 0.4;
inline constexpr double kMostCorrection = 1.6;

}  // namespace fabricast
