#include "planner/estimate/step_bounds.h"

#include "planner/base/integers.h"
#include "planner/compute/gemm_time.h"
#include "planner/estimate/chunk_comm.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/schedule/span_bounds.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fabricast {

namespace {

void scale(SegmentTime& time, double share) {
    for (PassTime* pass : {&time.forward, &time.recompute, &time.input, &time.weight}) {
        pass->device = pass->device * share;
    }
}

/// Experts' rows are whole: a micro-batch has at most one more than its share, of so many at least.
double roundingOf(const Scenario& scenario) {
    constexpr double kWholeRows = 0.999;  // tokens of a rank, and the square roots of products
    if (!scenario.model.moe) {
        return kWholeRows;
    }
    const Layout& layout = scenario.layout;
    const double rows =
        asDouble(layout.microBatch * scenario.workload.sequence / (layout.cp * layout.tp)) *
        asDouble(scenario.model.moe->topK) / asDouble(scenario.model.moe->experts);
    return kWholeRows * rows / (rows + 1.0);
}

/// Sums are taken in another order than in the step itself.
constexpr double kSummation = 1.0 - 1e-12;

/// Of layers of which only some run again, the least is that none does.
void takeLeast(const Scenario& scenario, ChunkView& view) {
    if (scenario.settings.recompute.kind == Checkpointing::Block) {
        view.plain = view.layers;
        view.plainSparse = view.sparse;
    }
}

std::vector<ChunkView> viewsOf(const Scenario& scenario, std::span<const std::int64_t> layers) {
    std::vector<ChunkView> views(layers.size());
    std::int64_t begin = 0;
    for (std::size_t position = 0; position < layers.size(); ++position) {
        ChunkView& view = views[position];
        view.first = position == 0;
        view.last = position + 1 == layers.size();
        view.begin = begin;
        view.layers = layers[position];
        for (std::int64_t layer = begin; layer < begin + view.layers; ++layer) {
            view.sparse += scenario.model.isSparse(layer) ? 1 : 0;
        }
        const bool predicts = view.last && isMegatronCode(scenario.settings);
        view.predictions = predicts ? scenario.model.mtpDepth : 0;
        takeLeast(scenario, view);
        begin += view.layers;
    }
    return views;
}

const PassFloor& passFloor(const StepContext& context,
                           const StageView& stage,
                           const ChunkView& view,
                           PassFloors& known) {
    if (const PassFloor* const pass = known.find(view)) {
        return *pass;
    }
    const ChunkTime time = layersTime(context, stage, view);
    return known.add(view,
                     {kSummation * time.forward.total(),
                      kSummation * time.backward.total(),
                      kSummation * time.weightSeconds});
}

/// On the mean rank, which the one that takes longest is not below.
double optimizerFloor(const StepContext& context, const StageTime& all) {
    StageTime mean;
    const auto ranks = static_cast<double>(context.scenario.layout.pp);
    mean.trained = all.trained / ranks;
    mean.trainedExperts = all.trainedExperts / ranks;
    mean.newtonSchulz = all.newtonSchulz / ranks;
    mean.newtonSchulzExperts = all.newtonSchulzExperts / ranks;
    return optimizerSeconds(context, mean);
}

/// What could hide transfers hides as much of them as ever.
double leastWait(const Scenario& scenario,
                 const SoftwareTiming& software,
                 const CommSeconds& comm,
                 Way way) {
    constexpr double kEndless = std::numeric_limits<double>::max();
    const CommSeconds waited = exposedComm(
        scenario,
        software,
        comm,
        {.way = way, .device = 0.0, .attention = kEndless, .weight = kEndless, .layers = 1.0});
    return waited.tensor + waited.regather + waited.context + waited.expert;
}

/// Calls whose bytes follow the samples, over groups that are alike wherever the layer is.
bool followsSamples(const Scenario& scenario, const CommCall& call, const CommClock& clock) {
    const bool rows = call.use == CommUse::Activation || call.use == CommUse::InputRegather ||
                      call.use == CommUse::KeyValue || call.use == CommUse::Dispatch;
    return rows && isPerMicroBatch(scenario, call) && clock.isInsideBlock(call.group);
}

LayerWait leastWait(const StageView& stage,
                    bool sparse,
                    const SoftwareTiming& software,
                    CommClock& clock) {
    constexpr double kWholeRows = 0.999;  // shares of rows and bytes are not sent
    const Scenario& scenario = *stage.scenario;
    ChunkView layer;
    layer.layers = 1;
    layer.sparse = sparse ? 1 : 0;
    takeLeast(scenario, layer);
    CommSeconds forward;
    CommSeconds backward;
    for (const CommCall& call : layerCalls(stage, layer)) {
        if (followsSamples(scenario, call, clock)) {
            const auto count = static_cast<double>(call.each * call.parts);
            const double seconds = kWholeRows * count * clock.leastSeconds(call) /
                                   static_cast<double>(scenario.layout.microBatch);
            CommSeconds& sums = call.phase == CommPhase::Forward ? forward : backward;
            sums.*sumOf(call) += seconds;
        }
    }
    return {leastWait(scenario, software, forward, Way::Forward),
            leastWait(scenario, software, backward, Way::Backward)};
}

/// Where a pipeline's stages are at several sites, what they hand over is much of a step: that of
/// the first stage is not above the slowest.
Result<void> addSends(const StepContext& context, const StageView& first, StepFloor& floor) {
    FABRICAST_ASSIGN(floor.siteRanks, ranksAtSite(context.scenario));
    if (floor.siteRanks == 0) {
        return {};
    }
    FABRICAST_ASSIGN(const std::vector<CommCall> calls, tailCalls(first));
    StageTime stage;
    stage.chunks.emplace_back();
    addSends(calls, context.clock, stage.chunks.back());
    floor.sends = handOverTimes(context.scenario, {stage});
    floor.sends.near *= kSummation;
    floor.sends.far *= kSummation;
    floor.receive = receiveOf(context.scenario);
    return {};
}

}  // namespace

ChunkView wholeModel(const Scenario& scenario) {
    return viewsOf(scenario, {&scenario.model.layers, 1}).front();
}

/// The work of a kernel grows with the samples, and its time no faster.
Result<ModelTime> leastPerSample(const Scenario& scenario, const KernelProfile& smooth) {
    FABRICAST_TRY(checkTypes(scenario, smooth));
    FABRICAST_ASSIGN(const LayerOps layers, layerOps(scenario));
    return leastPerSample(scenario, modelTime(scenario, layers, smooth));
}

ModelTime leastPerSample(const Scenario& scenario, ModelTime time) {
    const double share = roundingOf(scenario) / asDouble(scenario.layout.microBatch);
    for (SegmentTime* segment :
         {&time.embedding, &time.dense, &time.sparse, &time.norm, &time.head}) {
        scale(*segment, share);
    }
    return time;
}

double leastPerFlop(const Settings& settings, const KernelProfile& limits) {
    double least = std::numeric_limits<double>::max();
    for (const bool quantised : {false, true}) {
        const Gemm large{.m = 1 << 14,
                         .n = 1 << 14,
                         .k = 1 << 14,
                         .type = gemmTypeOf(settings, quantised, limits),
                         .quantising = Quantising::Done};
        if (limits.supports(large.type)) {
            least = std::min(least, gemmTime(limits, large, {}).count() / large.flops().count());
        }
    }
    return least;
}

Result<LayerWaits> leastWaits(const Scenario& scenario,
                              const SoftwareTiming& software,
                              CommClock& clock) {
    FABRICAST_ASSIGN(const StageView stage, stageView(scenario, {}));
    const ModelSpec& model = scenario.model;
    LayerWaits waits;
    bool hasSparse = false;
    bool hasDense = false;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        (model.isSparse(layer) ? hasSparse : hasDense) = true;
    }
    if (hasDense) {
        waits.dense = leastWait(stage, false, software, clock);
    }
    if (hasSparse) {
        waits.sparse = leastWait(stage, true, software, clock);
    }
    return waits;
}

WeightLists& KnownTensors::of(const Scenario& scenario) {
    if (!scenario.settings.trainsAll()) {
        return others_ = WeightLists();
    }
    if (scenario.model != model_) {
        known_.clear();
        model_ = scenario.model;
    }
    const Layout& layout = scenario.layout;
    const KernelSettings& kernels = scenario.settings.kernels;
    std::vector<Known>& alike =
        known_[{layout.tp, layout.ep, layout.etp, scenario.settings.engine}];
    const auto found = std::ranges::find(alike, kernels, &Known::kernels);
    return found != alike.end() ? found->lists : alike.emplace_back(Known{kernels, {}}).lists;
}

Result<double> leastTail(const Scenario& scenario,
                         const SoftwareTiming& software,
                         CommClock& clock,
                         WeightLists& lists) {
    FABRICAST_ASSIGN(StageView view, stageView(scenario, {}));
    view.layerLists = std::move(lists);
    FABRICAST_ASSIGN(const std::vector<CommCall> calls, tailCalls(view));
    lists = std::move(view.layerLists);
    bool endsStep = true;
    if (scenario.layout.pp > 1) {
        FABRICAST_ASSIGN(const FrameworkOrder order, pipelineOrderOf(scenario));
        endsStep = endsWithFirstStage(order.kind);
    }
    StageTime stage;
    stage.chunks.resize(view.chunks.size());
    addStepCalls(scenario, calls, clock, stage);
    return kSummation * leastTail(scenario, software, stage, endsStep);
}

const PassFloor* PassFloors::find(const ChunkView& chunk) const {
    const auto found = std::ranges::find_if(known_, [&chunk](const Known& other) {
        return other.first == chunk.first && other.last == chunk.last &&
               other.layers == chunk.layers && other.sparse == chunk.sparse;
    });
    return found == known_.end() ? nullptr : &found->pass;
}

const PassFloor& PassFloors::add(const ChunkView& chunk, const PassFloor& pass) {
    known_.push_back({chunk.first, chunk.last, chunk.layers, chunk.sparse, pass});
    return known_.back().pass;
}

Result<PassFloor> modelFloor(const StepContext& context, PassFloors& known) {
    FABRICAST_ASSIGN(const StageView stage, stageView(context.scenario, {}));
    return passFloor(context, stage, wholeModel(context.scenario), known);
}

Result<StepFloor> stepFloor(const StepContext& context,
                            std::span<const std::int64_t> layers,
                            PassFloors& known) {
    const Scenario& scenario = context.scenario;
    FABRICAST_ASSIGN(const StageView stage, stageView(scenario, {}));
    StepFloor floor;
    for (const ChunkView& view : viewsOf(scenario, layers)) {
        floor.chunks.push_back(passFloor(context, stage, view, known));
    }
    FABRICAST_TRY(addSends(context, stage, floor));
    StageTime all;
    addTrained(context.model, wholeModel(scenario), all);
    floor.around = kSummation * (optimizerFloor(context, all) + context.software.step.count() +
                                 static_cast<double>(scenario.microBatches()) *
                                     context.software.microBatch.count());
    return floor;
}

}  // namespace fabricast
