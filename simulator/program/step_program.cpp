#include "simulator/program/step_program.h"

#include "planner/base/check.h"
#include "planner/estimate/data_parallel_tail.h"
#include "planner/stack/stack.h"
#include "simulator/program/pipeline_program.h"
#include "simulator/program/step_end.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

/// About 100 bytes each.
constexpr double kMostOps = 10e6;

/// How many ops there may be at most, before any is made.
Result<void> checkSize(const Scenario& scenario, std::size_t ranks, bool all) {
    constexpr double kOpsOfPass = 6.0;
    const double passes = 2.0 * static_cast<double>(scenario.layout.vpp) *
                          static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    if (kOpsOfPass * passes * static_cast<double>(ranks) <= kMostOps) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                all ? "--expand" : "simulate",
                std::to_string(ranks) + (all ? " ranks" : " stages") + " of " +
                    std::to_string(static_cast<long long>(passes)) +
                    " passes are too many to simulate one by one",
                all ? "leave --expand out: a rank of each stage then stands for all"
                    : "a smaller global batch, or a larger micro-batch");
}

}  // namespace

Result<StepProgram> stepProgram(const Scenario& scenario,
                                const StepPieces& pieces,
                                StepDetail detail) {
    const Layout& layout = scenario.layout;
    const bool all = detail.ranks == Ranks::All;
    FABRICAST_TRY(
        checkSize(scenario, static_cast<std::size_t>(all ? layout.world() : layout.pp), all));
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const RankOrder order = rankOrderOf(*stack, layout);
    StepFlows flows;
    if (detail.links == Links::Shared && layout.world() > 1) {
        const auto actors = all ? StepFlows::Actors::Ranks : StepFlows::Actors::Classes;
        FABRICAST_ASSIGN(flows, StepFlows::of(scenario, order, actors));
    }
    const StageRanks ranks = all ? StageRanks::all(layout, order) : StageRanks::classes(layout);
    SimProgram program({.actors = ranks.actors(), .contention = pieces.software.contention});
    StageOpWriter writer(program, ranks, flows);
    StepTransfers transfers(scenario, pieces, writer);
    FABRICAST_TRY(addPasses(scenario, pieces, detail.handOvers, writer, transfers));
    addStepEnd(scenario, pieces, writer, transfers);
    flows.finish(program);
    return StepProgram{std::move(program), std::move(flows)};
}

}  // namespace fabricast
