#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/memory/device/device.h"
#include "planner/memory/device/replay.h"
#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/program/stage_program.h"
#include "planner/result/memory_breakdown.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <memory>

namespace fabricast {

/// One rank of one pipeline stage, walked through a step: its peak is known, and how that came
/// about can be asked for. A stop ends a walk, and a replay, within a millisecond or two.
///     FABRICAST_ASSIGN(const WalkedStage walked, WalkedStage::of(scenario, {.stage = 0}));
///     if (walked.peak().requested <= limit) return walked.replayed();
class WalkedStage {
public:
    static Result<WalkedStage> of(const Scenario& scenario,
                                  const StageRank& where,
                                  const Watch& watch = {});

    /// Nothing is said of what the peak is made of, nor of what the allocator reserves: `allocated`
    /// counts only its rounding.
    [[nodiscard]] const StageMemory& peak() const { return memory_; }
    /// With what the peak is made of.
    [[nodiscard]] StageMemory inParts() const;
    /// With what the allocator reserves as well.
    [[nodiscard]] Result<StageMemory> replayed(const Watch& watch = {}) const;

private:
    WalkedStage() = default;

    std::unique_ptr<StageProgram> program_;     ///< whose names the device's events have
    std::unique_ptr<StageProgram> evaluation_;  ///< likewise
    Device device_;
    std::size_t statesEnd_ = 0;
    std::size_t stepEnd_ = 0;
    bool loads_ = false;
    Engine engine_ = Engine::Local;
    AllocatorRules allocator_;
    StageMemory memory_;
};

/// All of it.
Result<StageMemory> walkStage(const Scenario& scenario, const StageRank& where);
/// Its peak alone.
Result<StageMemory> peakOfStage(const Scenario& scenario,
                                const StageRank& where,
                                const Watch& watch = {});

}  // namespace fabricast
