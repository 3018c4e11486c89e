#pragma once
#include "planner/base/result.h"
#include "planner/estimate/step_estimator.h"
#include "planner/schedule/comm_program.h"
#include "simulator/program/pass_writer.h"
#include "simulator/program/step_program.h"
#include "simulator/program/step_transfers.h"

#include <stop_token>

namespace fabricast {

/// What one rank hands to another for a microbatch.
struct HandOver {
    SimTime duration;
    Bytes bytes;
    SimTime far;                ///< the duration between sites
    std::size_t siteRanks = 0;  ///< pipeline ranks in a row at one site; 0: all

    /// From one stage to another.
    [[nodiscard]] SimOp op(std::size_t from, std::size_t to, StepFlows& flows) const;
};

/// How many ops the passes have on all ranks, before any is made.
Result<std::size_t> countPassOps(const Scenario& scenario,
                                 const StepPieces& pieces,
                                 const StageRanks& ranks);
/// Whether they are few enough to be made one by one.
Result<void> checkPasses(const Scenario& scenario,
                         const StepPieces& pieces,
                         const StageRanks& ranks,
                         std::size_t most);

/// What is written, and how the caller stops it.
struct PassesAsk {
    const Scenario& scenario;
    const StepPieces& pieces;
    HandOvers handOvers = HandOvers::Forecast;
    std::stop_token stop{};
};

/// The passes of every microbatch in the stack's own order, with transfers between stages:
/// concurrent with the receiver's passes, or in front of them where the stack's receives block; or
/// by the framework's own calls.
Result<void> addPasses(const PassesAsk& ask, StageOpWriter& writer, StepTransfers& transfers);

/// The passes of every rank with the communication calls that its framework really makes: a
/// transfer begins when both sides have called it, a blocking call ends with its transfers, and
/// what was posted is waited for later. A transfer that only one side calls is an error.
Result<void> addCalls(const CommProgram& calls,
                      HandOver handOver,
                      StageOpWriter& writer,
                      PassWriter& passes);

/// What comes after the passes: reductions that nothing hid, shared gradients, the gradient norm
/// that all ranks wait for, the optimizer, gathers of what it stepped, and the training loop.
void addStepEnd(const Scenario& scenario,
                const StepPieces& pieces,
                StageOpWriter& writer,
                const StepTransfers& transfers);

}  // namespace fabricast
