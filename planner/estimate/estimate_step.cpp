#include "planner/estimate/estimate_step.h"

#include "planner/estimate/data_parallel_tail.h"
#include "planner/estimate/model_time.h"
#include "planner/estimate/optimizer_time.h"
#include "planner/estimate/pipeline_time.h"
#include "planner/estimate/stage_time.h"
#include "planner/stack/software_name.h"
#include "planner/stack/stack.h"

#include <algorithm>
#include <vector>

namespace fabricast {

namespace {

struct PassSum {
    TimeByPart forward;
    TimeByPart backward;
};

PassSum sumOf(const StageTime& stage) {
    PassSum sum;
    for (const ChunkTime& chunk : stage.chunks) {
        sum.forward += chunk.forward;
        sum.backward += chunk.backward;
    }
    return sum;
}

}  // namespace

Result<StepEstimate> estimateStep(const Scenario& scenario, const TimingProfiles& profiles) {
    const auto& kernels = scenario.cluster.node.gpu.kernels;
    if (!kernels) {
        return fail(Error::Code::Unsupported,
                    "cluster.gpu",
                    "nobody has measured the kernels of " + scenario.cluster.node.gpu.name);
    }
    FABRICAST_ASSIGN(const Stack* stack, findStack(scenario.stack));
    const CollectiveLibrary& library = profiles.libraryOf(scenario.cluster.node.gpu);
    const auto software = profiles.software.find(softwareName(scenario.settings));
    if (software == profiles.software.end()) {
        return fail(Error::Code::NotFound,
                    "hardware_profiles/software",
                    "there is no profile of " + std::string(softwareName(scenario.settings)));
    }
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(scenario.cluster, library.model));
    const MeasuredPlace place = placeOf(scenario.cluster, links);
    CommClock clock(scenario,
                    rankOrderOf(*stack, scenario.settings),
                    {links, library.model, place, library.corrections});
    FABRICAST_ASSIGN(const ModelTime model, modelTime(scenario, *kernels));
    const StepContext context{scenario, *kernels, software->second, model, clock};
    std::vector<StageTime> stages;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        FABRICAST_ASSIGN(StageTime time, stageTime(context, stage));
        stages.push_back(std::move(time));
    }
    FABRICAST_ASSIGN(const PipelineTime pipeline, pipelineTime(scenario, stages));
    StepEstimate estimate;
    double slowest = -1.0;
    double tail = 0.0;
    double optimizer = 0.0;
    for (std::size_t i = 0; i < stages.size(); ++i) {
        const PassSum pass = sumOf(stages[i]);
        const double both = pass.forward.total() + pass.backward.total();
        if (both > slowest) {
            slowest = both;
            estimate.slowest = static_cast<std::int64_t>(i);
        }
        optimizer = std::max(optimizer, optimizerSeconds(context, stages[i]));
        tail = std::max(tail,
                        dataParallelTail(context,
                                         stages[i],
                                         {.slack = pipeline.slack[i],
                                          .firstForward = pipeline.firstForward[i]}));
    }
    const auto m = static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    const PassSum pass = sumOf(stages[static_cast<std::size_t>(estimate.slowest)]);
    estimate.parts = (pass.forward + pass.backward) * m;
    estimate.parts.of(TimePart::Bubble) = pipeline.span - pipeline.exchange - m * slowest;
    estimate.parts.of(TimePart::Stage) = pipeline.exchange;
    estimate.parts.of(TimePart::Shard) += tail;
    estimate.parts.of(TimePart::Optimizer) = optimizer;
    estimate.parts.of(TimePart::Host) +=
        software->second.step.count() + m * software->second.microBatch.count();
    estimate.step.value = Seconds(estimate.parts.total());
    const double tokens = static_cast<double>(scenario.workload.globalBatch) *
                          static_cast<double>(scenario.workload.sequence);
    estimate.tokensPerGpuSecond =
        tokens / estimate.step.value.count() / static_cast<double>(scenario.layout.world());
    return estimate;
}

}  // namespace fabricast
