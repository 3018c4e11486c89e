#include "simulator/program/step_program.h"

#include "planner/base/check.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/stack/stack.h"
#include "simulator/program/pipeline_program.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// About 100 bytes each.
constexpr double kMostOps = 10e6;

/// A global batch that is simulated whatever the layers are made of, and played again if need be.
std::int64_t surelyFewSamples(const Scenario& scenario) {
    constexpr std::int64_t kMostOpsOfLayer = 100;  // of both passes, and each played again
    const std::int64_t batches = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(kMostPassOps) / kMostOpsOfLayer / scenario.model.layers);
    return batches * scenario.layout.microBatch * scenario.layout.dp;
}

/// How many ops there may be at most, before any is made.
Result<void> checkSize(const Scenario& scenario, std::size_t ranks, bool all) {
    constexpr double kOpsOfPass = 6.0;
    const double ofBatch =
        kOpsOfPass * 2.0 * static_cast<double>(scenario.layout.vpp) * static_cast<double>(ranks);
    const std::int64_t batches = std::max<std::int64_t>(1, scenario.microBatches());
    if (ofBatch * static_cast<double>(batches) <= kMostOps) {
        return {};
    }
    const std::string why = std::to_string(ranks) + (all ? " ranks" : " stages") + " of " +
                            std::to_string(2 * scenario.layout.vpp * batches) +
                            " passes are too many to simulate one by one";
    if (all) {
        return fail(Error::Code::Unsupported,
                    "--expand",
                    why,
                    "without --expand one rank represents each stage");
    }
    return fail(Error::Code::Unsupported,
                "workload.global_batch",
                why,
                "--global-batch " + std::to_string(surelyFewSamples(scenario)) +
                    ", or a larger micro_batch");
}

/// At most as many times as long: what is slower has stopped.
constexpr double kMostSlow = 1000.0;

Result<void> checkFactor(double factor) {
    if (!(factor >= 1.0 && factor <= kMostSlow)) {
        return fail(Error::Code::BadInput,
                    "--stragglers",
                    "a slowdown must be from 1 to 1000",
                    "--stragglers 1.3@stage0");
    }
    return {};
}

Result<void> checkSlow(const SlowGpu& gpu, const Layout& layout) {
    FABRICAST_TRY(checkFactor(gpu.factor));
    if (gpu.stage >= static_cast<std::size_t>(layout.pp)) {
        return fail(Error::Code::BadInput,
                    "--stragglers",
                    "unknown stage " + std::to_string(gpu.stage) + "; the last stage is " +
                        std::to_string(layout.pp - 1),
                    "--stragglers 1.3@stage" + std::to_string(layout.pp - 1));
    }
    return {};
}

Result<StepFlows> stepFlows(const Scenario& scenario, const StepDetail& detail) {
    const bool alone =
        scenario.layout.world() == 1 && detail.slowLinks.empty() && detail.failed.empty();
    if (detail.links == Links::Unlimited || alone) {
        return StepFlows();
    }
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const auto actors =
        detail.ranks == Ranks::All ? StepFlows::Actors::Ranks : StepFlows::Actors::Classes;
    FABRICAST_ASSIGN(
        StepFlows flows,
        StepFlows::of(scenario, rankOrderOf(*stack, scenario.layout), actors, detail.failed));
    for (const SlowLink& slow : detail.slowLinks) {
        FABRICAST_TRY(checkFactor(slow.factor));
        FABRICAST_TRY(flows.slow(slow.link, slow.factor));
    }
    return flows;
}

}  // namespace

Result<StageRanks> ranksOf(const Scenario& scenario, const StepDetail& detail) {
    const Layout& layout = scenario.layout;
    const bool all = detail.ranks == Ranks::All;
    const bool twice = !all && !detail.slow.empty() && layout.dp > 1;
    for (const SlowGpu& gpu : detail.slow) {
        FABRICAST_TRY(checkSlow(gpu, layout));
    }
    FABRICAST_TRY(checkSize(scenario,
                            static_cast<std::size_t>(all     ? layout.world()
                                                     : twice ? 2 * layout.pp
                                                             : layout.pp),
                            all));
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    StageRanks ranks = all                   ? StageRanks::all(layout, rankOrderOf(*stack, layout))
                       : detail.slow.empty() ? StageRanks::classes(layout)
                                             : StageRanks::withSlowReplica(layout);
    for (const SlowGpu& gpu : detail.slow) {
        ranks.slow(gpu.stage, gpu.factor);
    }
    return ranks;
}

Result<StepProgram> stepProgram(const Scenario& scenario,
                                const StepPieces& pieces,
                                const StepDetail& detail,
                                const std::stop_token& stop) {
    FABRICAST_ASSIGN(const StageRanks ranks, ranksOf(scenario, detail));
    FABRICAST_TRY(checkPasses(scenario, pieces, ranks, detail.mostOps));
    FABRICAST_ASSIGN(StepFlows flows, stepFlows(scenario, detail));
    // Kernels that a measurement has standing still get on by next to nothing.
    constexpr double kMostContention = 0.999;
    SimProgram program({.actors = ranks.actors(),
                        .contention = std::min(pieces.software.contention, kMostContention)});
    StageOpWriter writer(program, ranks, flows);
    StepTransfers transfers(scenario, pieces, writer);
    FABRICAST_TRY(addPasses({scenario, pieces, detail.handOvers, stop}, writer, transfers));
    addStepEnd(scenario, pieces, writer, transfers);
    flows.finish(program);
    return StepProgram{std::move(program), std::move(flows)};
}

}  // namespace fabricast
