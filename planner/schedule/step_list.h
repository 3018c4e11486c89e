#pragma once
#include "planner/base/result.h"
#include "planner/result/stage_action.h"
#include "planner/schedule/action_order.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricast {

/// The most that a rank holds at once, in microbatches of a stage; the forward of a pair counts
/// before its backward.
struct InFlight {
    std::int64_t peak = 0;  ///< forward done, weight gradient not: what activations are kept for
    std::int64_t untilInput = 0;      ///< forward done, input gradient not
    std::int64_t pendingWeights = 0;  ///< input gradient done, weight gradient not

    friend bool operator==(const InFlight&, const InFlight&) = default;
};
InFlight inFlight(const StageActions& actions);

/// How the two halves of an overlapped pair run: as one, which starts when both inputs have arrived
/// and has both outputs at its end (no time is saved); or one after the other.
enum class PairMode : std::uint8_t { Atomic, Sequential };

/// One thing that a rank does, and what it waits for. Numbers of steps start at 1; step 0 means
/// "nothing", and ends at time 0.
struct OrderStep {
    std::array<std::uint32_t, 2> after{};  ///< steps whose outputs it takes
    std::array<std::uint32_t, 2> times{};  ///< what it takes: see timeIndex
    std::uint16_t rank = 0;
    std::array<bool, 2> remote{};  ///< an output comes from another rank
    /// To which rank its activations and its gradients go; its own: to none.
    std::array<std::uint16_t, 2> to{};
};

constexpr std::size_t timeIndex(std::size_t stage, Pass pass) {
    return stage * kPasses + static_cast<std::size_t>(pass);
}

/// This is an order made ready for timing: its steps sorted so that each one comes after what it
/// waits for, which no durations can change. Make it once, time it often.
///     FABRICAST_ASSIGN(const StepList steps, sortSteps(order, PairMode::Atomic));
struct StepList {
    struct Share {
        std::uint32_t time = 0;  ///< a timeIndex
        std::int64_t count = 0;  ///< how often a rank spends it
    };

    std::int64_t ranks = 0;
    std::int64_t stages = 0;
    bool pairs = false;                              ///< some step has two halves
    std::vector<OrderStep> steps;                    ///< steps[0] is step 1
    std::vector<std::uint32_t> lastOfRank;           ///< step numbers
    std::vector<std::uint32_t> lastGradientOfStage;  ///< where its weight gradients are complete
    std::vector<std::uint32_t> firstForwardOfStage;
    std::vector<std::vector<Share>> work;  ///< of each rank
    std::vector<InFlight> inFlight;        ///< of each rank
};

/// An error names a rank and the action that never starts, for an order that waits for itself.
Result<StepList> sortSteps(const ActionOrder& order, PairMode mode);

}  // namespace fabricast
