#include "planner/estimate/stage_time.h"

#include "planner/compute/kernel_times.h"
#include "planner/estimate/chunk_comm.h"
#include "planner/estimate/data_parallel_time.h"
#include "planner/estimate/offload_time.h"
#include "planner/ops/expert_layers.h"
#include "planner/spec/dtype.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace fabricast {

namespace {

/// Layers of one kind, of which backward does not run the `plain` ones again.
SegmentTime alike(const SegmentTime& one, std::int64_t layers, std::int64_t plain) {
    SegmentTime sum = one * static_cast<double>(layers);
    if (plain > 0) {
        sum.recompute = (one * static_cast<double>(layers - plain)).recompute;
    }
    return sum;
}

/// Compute of all segments of a chunk in one direction.
SegmentTime segmentsOf(const ModelTime& model, const ChunkView& chunk) {
    SegmentTime sum;
    sum += alike(model.dense, chunk.layers - chunk.sparse, chunk.plain - chunk.plainSparse);
    sum += alike(model.sparse, chunk.sparse, chunk.plainSparse);
    if (chunk.first) {
        sum += model.embedding;
    }
    if (chunk.last) {
        sum += model.norm;
        sum += model.head;
    }
    return sum;
}

class StageClock {
public:
    StageClock(const StepContext& context, const StageView& view)
        : context_(context), scenario_(context.scenario), view_(view) {}

    Result<StageTime> run() {
        FABRICAST_ASSIGN(calls_, stepCalls(view_));
        StageTime stage;
        for (const ChunkView& chunk : view_.chunks) {
            const SegmentTime segments = segmentsOf(context_.model, chunk);
            stage.chunks.push_back(chunkTime(chunk, segments));
            stage.trained += segments.trained;
            stage.trainedExperts += segments.trainedExperts;
            stage.newtonSchulz += segments.newtonSchulz;
            stage.newtonSchulzExperts += segments.newtonSchulzExperts;
        }
        addStepCalls(scenario_, calls_, context_.clock, stage);
        stage.calls = std::move(calls_);
        stage.gatherCopies = gatherCopySeconds(context_, view_, stage);
        return stage;
    }

    ChunkTime layersAlone(const ChunkView& chunk) {
        calls_ = layerCalls(view_, chunk);
        return chunkTime(chunk, segmentsOf(context_.model, chunk));
    }

private:
    struct PassWork {
        PassTime pass;
        double expertLayers = 0.0;  ///< of the host's
        double weightSeconds = 0.0;
        double hostCopies =
            0.0;              ///< seconds of copies to and from host memory, overlapping the rest
        double packed = 0.0;  ///< bytes of what autograd saves that are copied
        double layerShare = 0.0;  ///< of the pass, one layer's kernels, where any are
        double trained = 0.0;     ///< parameters of the chunk
    };

    struct PassParts {
        TimeByPart time;
        PassComm comm;
    };

    static TimeByPart kernelTime(const WorkSeconds& device) {
        TimeByPart time;
        time.of(TimePart::Gemm) = device.gemm;
        time.of(TimePart::Attention) = device.attention;
        time.of(TimePart::MemoryBound) = device.memory;
        return time;
    }

    /// Kernels, what is waited for of transfers, and then for the host.
    PassParts passTime(const PassWork& work, const ChunkView& chunk, Way way) {
        const SoftwareTiming& software = context_.software;
        ChunkComm comm = chunkComm(scenario_, software, calls_, chunk.index, way, context_.clock);
        const KeptWork kept =
            keptWork(scenario_, work.trained, static_cast<double>(chunk.layers), way);
        comm.copyBytes += kept.bytes;
        comm.units += kept.units;
        TimeByPart time = kernelTime(work.pass.device);
        if (comm.copyBytes > 0) {
            time.of(TimePart::MemoryBound) +=
                memoryTime(context_.kernels, MemoryOp::Copy, comm.copyBytes, {}).count();
        }
        const CommSeconds exposed = exposedComm(scenario_,
                                                software,
                                                comm,
                                                {.way = way,
                                                 .device = time.total(),
                                                 .attention = work.pass.device.attention,
                                                 .weight = work.weightSeconds,
                                                 .layers = static_cast<double>(chunk.layers)});
        time.of(TimePart::Tensor) = exposed.tensor + exposed.regather + exposed.shared;
        time.of(TimePart::Context) = exposed.context;
        time.of(TimePart::Expert) = exposed.expert;
        time.of(TimePart::Shard) = exposed.blockGather + exposed.blockReduce + exposed.endGather +
                                   exposed.endReduce + exposed.buffers;
        const double host = hostTime(work, comm, way);
        time.of(TimePart::Host) = std::max(0.0, host - time.total()) + syncTime(chunk, way);
        time.of(TimePart::Shard) += std::max(0.0, work.hostCopies - time.total());
        time.of(TimePart::MemoryBound) +=
            packedSeconds(scenario_,
                          context_.host,
                          {work.packed, work.layerShare * time.total(), way == Way::Forward});
        return {time, {.moved = comm, .exposed = exposed}};
    }

    /// Whether the host has the experts' rows before the router ran: a capacity that is filled up.
    [[nodiscard]] bool knowsRows() const {
        const KernelSettings& kernels = scenario_.settings.kernels;
        return kernels.padToCapacity || (usesDeepSpeedMoe(scenario_) && kernels.capacityFactor > 0);
    }

    /// Of issuing a pass. Graphs of layers end before routed experts, whose number of rows is not
    /// known yet.
    double hostTime(const PassWork& work, const ChunkComm& comm, Way way) const {
        const SoftwareTiming& software = context_.software;
        const KernelSettings& kernels = scenario_.settings.kernels;
        const bool inGraph = kernels.cudaGraphs && kernels.graphExperts;
        const double layers = knowsRows() ? 0.0 : work.expertLayers;
        const double experts = inGraph ? 0.0
                                       : work.pass.experts * software.expert.count() +
                                             layers * software.expertLayer.count();
        const double calls = comm.calls * software.collective.count();
        if (kernels.cudaGraphs) {
            return experts > 0 ? experts + calls : 0.0;
        }
        const Seconds launch =
            way == Way::Forward ? software.forwardLaunch : software.backwardLaunch;
        return work.pass.launches * launch.count() + linearTime(work, way) + experts + calls +
               comm.units * software.unit.count();
    }

    /// Of the modules around products, beside their launches.
    double linearTime(const PassWork& work, Way way) const {
        const SoftwareTiming& software = context_.software;
        const LinearHost& host =
            way == Way::Forward ? software.forwardLinear : software.backwardLinear;
        return scenario_.settings.kernels.linearHost *
               ((work.pass.linears - work.pass.quantised) * host.plain.count() +
                work.pass.quantised * host.quantised.count());
    }

    /// A dropless router's counts come to the host before it can issue the exchange and the
    /// products.
    double syncTime(const ChunkView& chunk, Way way) const {
        const KernelSettings& kernels = scenario_.settings.kernels;
        const bool waits = way == Way::Forward && !knowsRows() && !kernels.graphExperts;
        return waits ? static_cast<double>(chunk.sparse) * context_.software.sync.count() : 0.0;
    }

    [[nodiscard]] SegmentTime layersOf(ChunkView chunk) const {
        chunk.first = false;
        chunk.last = false;
        return segmentsOf(context_.model, chunk);
    }

    static PassTime backwardOf(const SegmentTime& segments) {
        PassTime backward = segments.recompute;
        backward += segments.input;
        backward += segments.weight;
        return backward;
    }

    /// Of the kernels of a pass, those of one of the chunk's layers.
    static double shareOf(const PassTime& layers, const PassTime& pass, const ChunkView& chunk) {
        const double all = pass.device.total() * static_cast<double>(chunk.layers);
        return all > 0.0 ? layers.device.total() / all : 0.0;
    }

    ChunkTime chunkTime(const ChunkView& chunk, const SegmentTime& segments) {
        const PassTime backward = backwardOf(segments);
        const double weight = segments.weight.device.total();
        const HostCopies copies = hostCopies(scenario_, context_.host, segments);
        const double trained = segments.trained + segments.trainedExperts;
        const SegmentTime layers = segments.packed > 0.0 ? layersOf(chunk) : SegmentTime();
        PassTime forward = segments.forward;
        if (scenario_.settings.timesReference()) {
            forward += segments.forward;  // the reference runs each microbatch too
        }
        const PassParts there = passTime({.pass = forward,
                                          .expertLayers = static_cast<double>(chunk.sparse),
                                          .hostCopies = copies.forward,
                                          .packed = segments.packed,
                                          .layerShare = shareOf(layers.forward, forward, chunk),
                                          .trained = trained},
                                         chunk,
                                         Way::Forward);
        const PassParts back = passTime({.pass = backward,
                                         .expertLayers = static_cast<double>(chunk.sparse),
                                         .weightSeconds = weight,
                                         .hostCopies = copies.backward,
                                         .packed = segments.packed,
                                         .layerShare = shareOf(backwardOf(layers), backward, chunk),
                                         .trained = trained},
                                        chunk,
                                        Way::Backward);
        ChunkTime time{.forward = there.time,
                       .backward = back.time,
                       .recompute = kernelTime(segments.recompute.device),
                       .weightSeconds = weight,
                       .forwardComm = there.comm,
                       .backwardComm = back.comm};
        addSends(calls_, context_.clock, time);
        return time;
    }

    const StepContext& context_;
    const Scenario& scenario_;
    const StageView& view_;
    std::vector<CommCall> calls_;
};

bool alike(const ChunkView& a, const ChunkView& b) {
    return a.first == b.first && a.last == b.last && a.layers == b.layers && a.sparse == b.sparse &&
           a.predictions == b.predictions;
}

bool alike(const StageView& a, const StageView& b) {
    return std::equal(a.chunks.begin(),
                      a.chunks.end(),
                      b.chunks.begin(),
                      b.chunks.end(),
                      [](const ChunkView& x, const ChunkView& y) { return alike(x, y); });
}

}  // namespace

/// What is sent, and what is gathered of its parts: the slowest call of each.
void addSends(std::span<const CommCall> calls, CommClock& clock, ChunkTime& chunk) {
    for (const CommOp op : {CommOp::Send, CommOp::AllGather}) {
        double near = 0.0;
        double far = 0.0;
        for (const CommCall& call : calls) {
            if (call.use == CommUse::StageExchange && call.op == op) {
                near = std::max(near, clock.nearSeconds(call));
                far = std::max(far, clock.seconds(call));
            }
        }
        chunk.sendSeconds += near;
        chunk.farSeconds += far;
    }
}

ChunkTime layersTime(const StepContext& context, const StageView& view, const ChunkView& chunk) {
    return StageClock(context, view).layersAlone(chunk);
}

void addTrained(const ModelTime& model, const ChunkView& chunk, StageTime& stage) {
    const SegmentTime segments = segmentsOf(model, chunk);
    stage.trained += segments.trained;
    stage.trainedExperts += segments.trainedExperts;
    stage.newtonSchulz += segments.newtonSchulz;
    stage.newtonSchulzExperts += segments.newtonSchulzExperts;
}

void addStepCalls(const Scenario& scenario,
                  const std::vector<CommCall>& calls,
                  CommClock& clock,
                  StageTime& stage) {
    for (const CommCall& call : calls) {
        if (isPerMicroBatch(scenario, call) || call.use == CommUse::StageExchange) {
            continue;
        }
        const double all = clock.seconds(call) * static_cast<double>(call.count());
        switch (call.use) {
            case CommUse::ParameterGather:
                stage.parameterGather += all;
                break;
            case CommUse::GradientReduce:
                stage.gradientReduce += all;
                break;
            case CommUse::SharedGradient:
                stage.sharedGradients += all;
                break;
            default:
                stage.bookkeeping += all;
        }
    }
}

Result<StageTime> stageTime(const StepContext& context, const StageView& view) {
    return StageClock(context, view).run();
}

Result<std::vector<StageTime>> stageTimes(const StepContext& context, WeightLists& lists) {
    const std::int64_t count = context.scenario.layout.pp;
    std::vector<StageTime> times;
    std::vector<StageView> views;
    for (std::int64_t stage = 0; stage < count; ++stage) {
        FABRICAST_ASSIGN(StageView view, stageView(context.scenario, {.stage = stage}));
        // The first and last stage have transfers on one side only: they are kept separately.
        const bool inside = stage > 1 && stage + 1 < count;
        const auto known =
            inside ? std::find_if(views.begin() + 1,
                                  views.end(),
                                  [&view](const StageView& other) { return alike(other, view); })
                   : views.end();
        if (known != views.end()) {
            times.push_back(times[static_cast<std::size_t>(known - views.begin())]);
        } else {
            view.layerLists = std::move(lists);
            FABRICAST_ASSIGN(StageTime time, stageTime(context, view));
            lists = std::move(view.layerLists);
            times.push_back(std::move(time));
        }
        views.push_back(std::move(view));
    }
    return times;
}

namespace {

OptimizerTerms deviceTerms(const StepContext& context, const StageTime& stage, double here) {
    const Settings& settings = context.scenario.settings;
    const Shard shard = context.scenario.layout.shard;
    const bool isSharded = shard == Shard::Fsdp || shard == Shard::Zero3 || shard == Shard::Hsdp;
    const MemoryFit& fit = context.kernels.fit(MemoryOp::Optimizer);
    return {
        .held = isSharded ? here : stage.trained + stage.trainedExperts,
        .stepped = here,
        .gradientBytes = static_cast<double>(bytesPerElement(settings.precision.gradients)),
        .updateBytes = optimizerBytes(settings),
        .rate = context.kernels.memoryBandwidth * fit.efficiency,
        .launch = fit.launch,
        .products = steppedHere(context.scenario, stage.newtonSchulz, stage.newtonSchulzExperts)};
}

/// Gradients are cleared, and read for the norm; scaled where they are stepped.
double deviceSeconds(const StepContext& context, const OptimizerTerms& terms) {
    const double bytes = terms.held * 2.0 * terms.gradientBytes +
                         terms.stepped * 2.0 * terms.gradientBytes +
                         terms.stepped * terms.updateBytes;
    return memoryTime(context.kernels, MemoryOp::Optimizer, bytes, {}).count() + terms.products;
}

}  // namespace

OptimizerTerms optimizerTerms(const StepContext& context, const StageTime& stage) {
    const double here = steppedHere(context.scenario, stage.trained, stage.trainedExperts);
    return stepsOnHost(context.scenario) ? OptimizerTerms{.onHost = true, .stepped = here}
                                         : deviceTerms(context, stage, here);
}

double optimizerSeconds(const StepContext& context, const StageTime& stage) {
    const OptimizerTerms terms = optimizerTerms(context, stage);
    if (!terms.onHost) {
        return deviceSeconds(context, terms);
    }
    const double onHost = hostStepSeconds(context.scenario, context.host, terms.stepped);
    const double onDevice = 1.0 - steppedOnHost(context.scenario);
    return onDevice <= 0.0
               ? onHost  // the device steps its part beside it
               : std::max(
                     onHost,
                     deviceSeconds(context, deviceTerms(context, stage, onDevice * terms.stepped)));
}

}  // namespace fabricast
