#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Where a part of a parameter's state lives.
enum class StatePlace { Device, Host, Nvme };

/// One part of what a stack keeps for each parameter.
struct StatePart {
    std::string_view name;  ///< "weights", "gradients", "master", "moments", …
    double bytes = 0;       ///< per parameter, all ranks that share it together
    bool sharded = false;   ///< split over the shard group
    StatePlace place = StatePlace::Device;
};

/// This is a stack's state per trained parameter: "16 bytes per parameter", taken apart.
///     const BytesPerParameter state = stateBytes(settings, layout);
///     state.formula()  →  "2 weights + 4 gradients + (4 master + 8 moments)/d"
///     state.perRank(64) · parameters  →  bytes of one of 64 ranks
struct BytesPerParameter {
    std::vector<StatePart> parts;

    /// Sums over one place: of the parts on every rank, of those split, and of both.
    [[nodiscard]] double replicated(StatePlace place = StatePlace::Device) const;
    [[nodiscard]] double sharded(StatePlace place = StatePlace::Device) const;
    [[nodiscard]] double whole(StatePlace place = StatePlace::Device) const;
    /// replicated + sharded / ranks
    [[nodiscard]] double perRank(double ranks, StatePlace place = StatePlace::Device) const;
    [[nodiscard]] double of(std::string_view name) const;
    /// "2 weights + (4 master + 8 moments)/d", what lies elsewhere after it.
    [[nodiscard]] std::string formula() const;
};

/// Parameters that are trained: all of them, or LoRA's adapters. Between the end of backward and
/// the optimizer step, when everything is there; transients (gathered parameters, communication
/// buffers) are the memory engine's.
BytesPerParameter stateBytes(const Settings& settings, const Layout& layout);

/// What the optimizer keeps for one element of a large matrix: moments and their scales.
double momentBytes(const Settings& settings);

}  // namespace fabricast
