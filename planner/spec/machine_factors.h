#pragma once
#include "planner/spec/like_runs.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What one's own machine can be faster or slower at than the profiles of such machines.
enum class MachineFactor {
    Clock,
    Bf16,
    Fp8,
    Fp4,
    Attention,
    Experts,
    Memory,
    Host,
    Node,
    NodeLatency,
    Network,
    NetworkLatency,
    Dispatch
};
inline constexpr std::size_t kMachineFactors = 13;

/// As a correction file names it.
inline constexpr std::string_view nameOf(MachineFactor factor) {
    constexpr std::string_view kNames[kMachineFactors] = {"clock",
                                                          "bf16",
                                                          "fp8",
                                                          "fp4",
                                                          "attention",
                                                          "experts",
                                                          "memory",
                                                          "host",
                                                          "node",
                                                          "node_latency",
                                                          "network",
                                                          "network_latency",
                                                          "dispatch"};
    return kNames[static_cast<std::size_t>(factor)];
}

/// The speed of each over the profiles'; 1: as they say.
struct MachineFactors {
    std::array<double, kMachineFactors> speeds{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

    [[nodiscard]] double of(MachineFactor factor) const {
        return speeds[static_cast<std::size_t>(factor)];
    }
    double& of(MachineFactor factor) { return speeds[static_cast<std::size_t>(factor)]; }

    friend bool operator==(const MachineFactors&, const MachineFactors&) = default;
};

/// Four of five own runs of a class of evidence were measured between these times their forecast,
/// each with runs like it left out.
struct OwnInterval {
    std::string evidence;  ///< "all/torch-eager/dense"
    double below = 1.0;
    double above = 1.0;
    std::int64_t runs = 0;

    friend bool operator==(const OwnInterval&, const OwnInterval&) = default;
};

/// The correction in use of a machine's forecasts, by its own runs.
struct OwnSpeed {
    std::string name;  ///< of the file; empty: none
    std::string date;  ///< of its fit
    MachineFactors factors;
    std::vector<OwnInterval> intervals;
    OwnLikeness like;

    friend bool operator==(const OwnSpeed&, const OwnSpeed&) = default;
};

}  // namespace fabricast
