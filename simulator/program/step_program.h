#pragma once
#include "planner/base/result.h"
#include "planner/estimate/step_estimator.h"
#include "planner/spec/scenario.h"
#include "simulator/engine/sim_program.h"
#include "simulator/links/step_flows.h"
#include "simulator/program/stage_ranks.h"

#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricast {

/// Whether one rank represents each stage, or every rank is an actor.
enum class Ranks : std::uint8_t { Classes, All };

/// How stage transfers are modelled: as in the forecast, with a delay of the output; or by the
/// framework's own send and receive calls, which wait for each other.
enum class HandOvers : std::uint8_t { Forecast, Framework };

/// Whether transfers that use the same links of the cluster slow each other.
enum class Links : std::uint8_t { Unlimited, Shared };

/// A link of the cluster's graph that takes `factor` times as long for a byte of any sender.
struct SlowLink {
    std::string link;  ///< "node0/nic2-leaf4"
    double factor = 1.0;
};
/// A GPU of a stage whose kernels take `factor` times as long.
struct SlowGpu {
    std::size_t stage = 0;
    double factor = 1.0;
};

/// Ops of passes that are made one by one: about 170 bytes each, and a million a second.
inline constexpr std::size_t kMostPassOps = 5'000'000;

struct StepDetail {
    Ranks ranks = Ranks::Classes;
    HandOvers handOvers = HandOvers::Forecast;
    Links links = Links::Shared;
    /// All in one data-parallel replica; of those of one stage the slowest counts.
    std::vector<SlowGpu> slow{};
    std::vector<SlowLink> slowLinks{};
    std::vector<std::string> failed{};   ///< links, devices or nodes, as linksDown() takes them
    std::size_t mostOps = kMostPassOps;  ///< of the passes of all ranks: more are refused

    [[nodiscard]] bool disturbed() const {
        return !slow.empty() || !slowLinks.empty() || !failed.empty();
    }
};

/// A rank of each stage, or every rank, as such a step is simulated.
Result<StageRanks> ranksOf(const Scenario& scenario, const StepDetail& detail);

/// One training step as a program: every microbatch in the order that the stack runs it, stage
/// transfers between stages, what data parallelism transfers, the optimizer, the training loop.
/// Takes what the forecast takes for each piece; when they run is for the engine to find out.
///     FABRICAST_ASSIGN(const StepPieces pieces, stepPieces(scenario, timing));
///     FABRICAST_ASSIGN(const StepProgram step, stepProgram(scenario, pieces, {}));
///     FABRICAST_ASSIGN(const SimRun run, simulate(step.program));
struct StepProgram {
    SimProgram program;
    StepFlows flows;  ///< the meaning of its ops' flows
};
Result<StepProgram> stepProgram(const Scenario& scenario,
                                const StepPieces& pieces,
                                const StepDetail& detail,
                                const std::stop_token& stop = {});

}  // namespace fabricast
