#include "planner/memory/check_memory.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/outer_states.h"
#include "planner/memory/program/stage_program.h"
#include "planner/memory/reference_model.h"
#include "planner/memory/stage_walks.h"
#include "planner/memory/walk/step_walk.h"

#include <string>

namespace fabricast {

namespace {

/// Layers walked; about a second.
constexpr std::size_t kMostMarkedPasses = 400'000;

Error tooLong(std::size_t passes, std::size_t layers) {
    return {Error::Code::Unsupported,
            "simulate",
            "a step of " + std::to_string(passes) + " passes over " + std::to_string(layers) +
                " layers is too long to walk one by one",
            "a smaller global batch, or a larger micro-batch"};
}

}  // namespace

Result<MemoryMarks> walkMarks(const Scenario& scenario,
                              std::int64_t stage,
                              const std::vector<PipelineOrder>& orders) {
    FABRICAST_TRY(checkModelled(scenario));
    const PipelineOrder& order = orders.at(static_cast<std::size_t>(stage));
    FABRICAST_ASSIGN(const StageProgram program, stageProgram(scenario, stage));
    if (order.actions.size() > kMostMarkedPasses / program.segments.size()) {
        return tl::unexpected(tooLong(order.actions.size(), program.segments.size()));
    }
    Device device;
    device.keepEvents(false);
    FABRICAST_ASSIGN(const auto engine, makeEngine(scenario, device, program, {.stage = stage}));
    holdReference(scenario, program, device);
    holdOuter(scenario, program, device);
    StepWalk walk(device, *engine, program, scenario.settings.precision.autocast);
    walk.saveOnHost(scenario);
    MemoryMarks marks;
    walk.keepMarks(marks);
    FABRICAST_TRY(walk.run(order, *makeBoundary(scenario, device, program, order, stage, &orders)));
    return marks;
}

}  // namespace fabricast
