#include "planner/estimate/stage_time.h"

#include "planner/compute/memory_time.h"
#include "planner/estimate/chunk_comm.h"

#include <algorithm>

namespace fabricast {

namespace {

class StageClock {
public:
    StageClock(const StepContext& context, std::int64_t stage)
        : context_(context), scenario_(context.scenario), stage_(stage) {}

    Result<StageTime> run() {
        FABRICAST_ASSIGN(const StageView view, stageView(scenario_, {.stage = stage_}));
        FABRICAST_ASSIGN(calls_, stepCalls(scenario_, {.stage = stage_}));
        StageTime stage;
        for (const ChunkView& chunk : view.chunks) {
            const SegmentTime segments = segmentsOf(chunk);
            stage.chunks.push_back(chunkTime(chunk, segments));
            stage.trained += segments.trained;
            stage.trainedExperts += segments.trainedExperts;
        }
        addStepCalls(stage);
        return stage;
    }

private:
    ChunkComm commOf(const ChunkView& chunk, Way way) {
        return chunkComm(scenario_, calls_, chunk.index, way, context_.clock);
    }

    /// Compute of all segments of a chunk in one direction.
    SegmentTime segmentsOf(const ChunkView& chunk) const {
        const ModelTime& model = context_.model;
        SegmentTime sum;
        const auto add = [&sum](const SegmentTime& time, double count) {
            const auto scaled = [count](PassTime pass) {
                pass.device = pass.device * count;
                pass.launches *= count;
                return pass;
            };
            sum.forward += scaled(time.forward);
            sum.recompute += scaled(time.recompute);
            sum.input += scaled(time.input);
            sum.weight += scaled(time.weight);
            sum.trained += time.trained * count;
            sum.trainedExperts += time.trainedExperts * count;
        };
        add(model.dense, static_cast<double>(chunk.layers - chunk.sparse));
        add(model.sparse, static_cast<double>(chunk.sparse));
        if (chunk.first) {
            add(model.embedding, 1.0);
        }
        if (chunk.last) {
            add(model.norm, 1.0);
            add(model.head, 1.0);
        }
        return sum;
    }

    /// What is left to wait for of a unit's transfers that run beside the units before it.
    static double exposedUnits(double transfer, double compute, double units) {
        return units > 0 ? std::max(0.0, transfer - compute * (units - 1) / units) : transfer;
    }

    TimeByPart passTime(const WorkSeconds& work,
                        double launches,
                        const ChunkComm& comm,
                        const ChunkView& chunk,
                        Way way,
                        double weightSeconds) const {
        const SoftwareTiming& software = context_.software;
        TimeByPart time;
        time.of(TimePart::Gemm) = work.gemm;
        time.of(TimePart::Attention) = work.attention;
        time.of(TimePart::MemoryBound) = work.memory;
        if (comm.copyBytes > 0) {
            time.of(TimePart::MemoryBound) +=
                memoryTime(context_.kernels, MemoryOp::Copy, comm.copyBytes, {}).count();
        }
        const MegatronSettings& megatron = scenario_.settings.megatron;
        double tensor = comm.tensor;
        double hidden = 0.0;
        if (megatron.tensorOverlap) {
            hidden += tensor * (1.0 - software.tensorExposed);
            tensor *= software.tensorExposed;
        } else if (way == Way::Backward && comm.regather > 0) {
            // Half of backward's transfers, and the inputs' gathers, run beside weight gradients.
            const double beside = std::min(0.5 * tensor, weightSeconds);
            tensor -= beside;
            hidden += beside;
        }
        hidden += comm.regather;
        time.of(TimePart::Tensor) = tensor + comm.other + software.contention * hidden;
        const double attention = work.attention;
        const bool ring = scenario_.layout.cpKind == CpKind::Ring;
        time.of(TimePart::Context) =
            ring ? std::max(0.1 * comm.context, comm.context - 0.9 * attention) : comm.context;
        time.of(TimePart::Expert) =
            comm.expert * (megatron.expertOverlap ? software.tensorExposed : 1.0);
        const double layers = static_cast<double>(chunk.layers);
        const double compute = time.total();
        const double transfer = comm.blockGather + comm.blockReduce;
        double shard = exposedUnits(transfer, compute, layers);
        shard = std::max(shard, layers > 0 ? (comm.blockGather + comm.blockReduce) / layers : 0.0);
        shard += way == Way::Forward ? comm.endGather : comm.endReduce;
        time.of(TimePart::Shard) = shard + software.contention * std::max(0.0, transfer - shard);
        const double perLaunch =
            (way == Way::Forward ? software.forwardLaunch : software.backwardLaunch).count();
        const double host = scenario_.settings.kernels.cudaGraphs
                                ? 0.0
                                : launches * perLaunch + comm.calls * software.collective.count() +
                                      comm.units * software.unit.count();
        time.of(TimePart::Host) = std::max(0.0, host - time.total());
        return time;
    }

    ChunkTime chunkTime(const ChunkView& chunk, const SegmentTime& segments) {
        ChunkTime time;
        time.forward = passTime(segments.forward.device,
                                segments.forward.launches,
                                commOf(chunk, Way::Forward),
                                chunk,
                                Way::Forward,
                                0.0);
        PassTime backward = segments.recompute;
        backward += segments.input;
        backward += segments.weight;
        time.weightSeconds = segments.weight.device.total();
        time.backward = passTime(backward.device,
                                 backward.launches,
                                 commOf(chunk, Way::Backward),
                                 chunk,
                                 Way::Backward,
                                 time.weightSeconds);
        for (const CommCall& call : calls_) {
            if (call.use == CommUse::StageExchange && call.op == CommOp::Send) {
                time.sendSeconds = std::max(time.sendSeconds, context_.clock.seconds(call));
            }
        }
        return time;
    }

    void addStepCalls(StageTime& stage) {
        for (const CommCall& call : calls_) {
            if (isPerMicroBatch(call) && call.use != CommUse::ParameterGather &&
                call.use != CommUse::GradientReduce) {
                continue;
            }
            const double all = context_.clock.seconds(call) * static_cast<double>(call.count());
            switch (call.use) {
                case CommUse::ParameterGather:
                    stage.parameterGather += isPerMicroBatch(call) ? 0.0 : all;
                    break;
                case CommUse::GradientReduce:
                    stage.gradientReduce += isPerMicroBatch(call) ? 0.0 : all;
                    break;
                case CommUse::SharedGradient:
                    stage.sharedGradients += all;
                    break;
                case CommUse::StageExchange:
                    break;
                default:
                    stage.bookkeeping += all;
            }
        }
    }

    const StepContext& context_;
    const Scenario& scenario_;
    std::int64_t stage_;
    std::vector<CommCall> calls_;
};

}  // namespace

Result<StageTime> stageTime(const StepContext& context, std::int64_t stage) {
    return StageClock(context, stage).run();
}

}  // namespace fabricast
