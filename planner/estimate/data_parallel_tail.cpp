#include "planner/estimate/data_parallel_time.h"

#include <algorithm>
#include <functional>

namespace fabricast {

namespace {

/// Transfers of equal size, one for each chunk, that can begin while the chunk's last backward
/// still runs, layer by layer: how long after the pipeline the last one ends.
double reduceTail(double transfer,
                  const StageTime& stage,
                  std::vector<double> slack,
                  double layers) {
    const auto chunks = static_cast<double>(stage.chunks.size());
    const double each = transfer / chunks;
    double backward = 0.0;
    for (const ChunkTime& chunk : stage.chunks) {
        backward = std::max(backward, chunk.backward.total());
    }
    std::sort(slack.begin(), slack.end(), std::greater<>());
    double end = -slack.front() - backward;
    for (const double left : slack) {
        const double ready = -left - backward * (layers - 1) / layers;
        end = std::max(std::max(end, ready) + each, -left + each / layers);
    }
    return std::max(0.0, end);
}

/// How long the first forwards wait for parameters that are gathered chunk by chunk.
double gatherHead(double transfer,
                  const StageTime& stage,
                  std::vector<double> first,
                  double layers) {
    const auto chunks = static_cast<double>(stage.chunks.size());
    const double each = transfer / chunks;
    double forward = 0.0;
    for (const ChunkTime& chunk : stage.chunks) {
        forward = std::max(forward, chunk.forward.total());
    }
    std::sort(first.begin(), first.end());
    double wait = each / layers;
    double done = 0.0;
    for (const double start : first) {
        done += each;
        wait = std::max(wait, done - start - forward * (layers - 1) / layers);
    }
    return wait;
}

/// What is waited for, and the slowdown of kernels by the rest, which they hide.
double withContention(const SoftwareTiming& software, double all, double waited) {
    return waited + software.contention * std::max(0.0, all - waited);
}

}  // namespace

double layersOfChunk(const Scenario& scenario, std::size_t chunks) {
    return std::max(1.0,
                    static_cast<double>(scenario.model.layers) /
                        (static_cast<double>(scenario.layout.pp) * static_cast<double>(chunks)));
}

StageTail dataParallelTail(const StepContext& context,
                           const StageTime& stage,
                           const StageSlack& when) {
    const double layers = layersOfChunk(context.scenario, stage.chunks.size());
    const TailOverlap hidden = tailOverlap(context.scenario);
    const double reduce = hidden.reduce
                              ? reduceTail(stage.gradientReduce, stage, when.slack, layers)
                              : std::max(0.0, stage.gradientReduce - when.slack.front());
    const double gather = hidden.gather
                              ? gatherHead(stage.parameterGather, stage, when.firstForward, layers)
                              : stage.parameterGather;
    return {.reduce = withContention(context.software, stage.gradientReduce, reduce),
            .gather = withContention(context.software, stage.parameterGather, gather) +
                      stage.gatherCopies,
            .sharedGradients = stage.sharedGradients,
            .bookkeeping = stage.bookkeeping};
}

double leastTail(const Scenario& scenario,
                 const SoftwareTiming& software,
                 const StageTime& stage,
                 bool endsStep) {
    const TailOverlap hidden = tailOverlap(scenario);
    const std::size_t chunks = stage.chunks.size();
    // Of transfers that overlap layer by layer, those of the last layer, or of the first, do not.
    const double oneLayer = 1.0 / (static_cast<double>(chunks) * layersOfChunk(scenario, chunks));
    const double reduced = !endsStep ? 0.0 : hidden.reduce ? oneLayer : 1.0;
    const double gathered = hidden.gather ? oneLayer : 1.0;
    return withContention(software, stage.gradientReduce, reduced * stage.gradientReduce) +
           withContention(software, stage.parameterGather, gathered * stage.parameterGather) +
           stage.gatherCopies + stage.sharedGradients + stage.bookkeeping;
}

}  // namespace fabricast
