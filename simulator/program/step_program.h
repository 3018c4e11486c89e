#pragma once
#include "planner/base/result.h"
#include "planner/estimate/step_pieces.h"
#include "planner/spec/scenario.h"
#include "simulator/engine/sim_program.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// Whether a rank of each stage stands for all that do the same, or every rank is an actor.
enum class Ranks : std::uint8_t { Classes, All };

/// How stages hand over: as the forecast has it, an output being there so much later; or by the
/// framework's own send and receive calls, which wait for each other.
enum class HandOvers : std::uint8_t { Forecast, Framework };

/// A GPU of a stage whose kernels take `factor` times as long.
struct SlowGpu {
    std::size_t stage = 0;
    double factor = 1.0;
};

struct StepDetail {
    Ranks ranks = Ranks::Classes;
    HandOvers handOvers = HandOvers::Forecast;
    /// All in one data-parallel replica; those of one stage multiply.
    std::vector<SlowGpu> slow{};
};

/// One training step as a program: every microbatch in the order that the stack runs it, hand-overs
/// between stages, what data parallelism transfers, the optimizer, the training loop. Takes what
/// the forecast takes for each piece; when they run is for the engine to find out.
///     FABRICAST_ASSIGN(const StepPieces pieces, stepPieces(scenario, timing));
///     FABRICAST_ASSIGN(const SimProgram program, stepProgram(scenario, pieces, {}));
Result<SimProgram> stepProgram(const Scenario& scenario,
                               const StepPieces& pieces,
                               const StepDetail& detail);

}  // namespace fabricast
