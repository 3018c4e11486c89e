#include "planner/estimate/chunk_comm.h"

#include <algorithm>

namespace fabricast {

namespace {

ShardCopies copiesOf(const Scenario& scenario, const SoftwareTiming& software) {
    switch (scenario.settings.engine) {
        case Engine::Fsdp1:
            return software.fsdp1;
        case Engine::Fsdp2:
            return software.fsdp2;
        case Engine::MegatronFsdp:
            return software.megatronFsdp;
        case Engine::DeepSpeed:
            return scenario.layout.shard == Shard::Zero3 ? software.zero3 : ShardCopies{};
        default:
            return {};
    }
}

void addCall(const Scenario& scenario,
             const ShardCopies& copies,
             const CommCall& call,
             double seconds,
             ChunkComm& comm) {
    const auto microBatches =
        static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    const double count = static_cast<double>(call.count()) / microBatches;
    const double bytes = count * static_cast<double>(call.bytes());
    comm.calls += count;
    if (double CommSeconds::*const sum = sumOf(call)) {
        comm.*sum += seconds * count;
        const bool again = call.phase == CommPhase::Recompute && sum == &CommSeconds::tensor;
        comm.recomputed += again ? seconds * count : 0.0;
    }
    if (call.use == CommUse::ParameterGather) {
        comm.copyBytes += copies.gather * bytes;
        comm.units += count;
    }
    if (call.use == CommUse::GradientReduce) {
        comm.copyBytes += copies.reduce * bytes;
    }
}

/// Of a call between nodes, without its latency.
double networkSeconds(const Scenario& scenario, const CommCall& call, CommClock& clock) {
    const bool counts = scenario.layout.ep > 1 && sumOf(call) != nullptr;
    if (!counts || clock.shapeOf(call).nodes <= 1) {
        return 0.0;
    }
    const auto microBatches =
        static_cast<double>(std::max<std::int64_t>(1, scenario.microBatches()));
    return clock.leastSeconds(call) * static_cast<double>(call.count()) / microBatches;
}

/// Tensor parallelism: split into slices that overlap with products, or with gradients of weights,
/// or waited for.
void exposeTensor(const Scenario& scenario,
                  const SoftwareTiming& software,
                  const CommSeconds& comm,
                  const WorkBeside& work,
                  CommSeconds& exposed) {
    double hidden = 0.0;
    if (scenario.settings.megatron.tensorOverlap) {
        // Selective recomputation gathers for gradients of weights, which follow no slices.
        const Checkpointing kind = scenario.settings.recompute.kind;
        const bool again = kind == Checkpointing::Full || kind == Checkpointing::Block;
        const double forward = work.way == Way::Forward ? comm.tensor
                               : again                  ? comm.recomputed
                                                        : 0.0;
        hidden = forward * (1.0 - software.tensorExposed) +
                 (comm.tensor - forward) * (1.0 - software.gradientExposed);
    } else if (work.way == Way::Backward && comm.regather > 0) {
        // A part of backward's transfers, and the inputs' gathers, overlap with weight gradients.
        hidden = std::min(software.backwardHidden * comm.tensor, work.weight);
    }
    exposed.tensor = comm.tensor - hidden + software.contention * hidden;
    exposed.regather = software.contention * comm.regather;
    exposed.shared = comm.shared;
}

/// The exposed rest of transfers that overlap with the layers before their own.
double exposedLayers(double transfer, double beside, double layers) {
    if (layers <= 0) {
        return transfer;
    }
    const double left = std::max(0.0, transfer - beside * (layers - 1) / layers);
    return std::max(left, transfer / layers);
}

void exposeShards(const SoftwareTiming& software,
                  const CommSeconds& comm,
                  const WorkBeside& work,
                  double beside,
                  CommSeconds& exposed) {
    const double transfer = comm.blockGather + comm.blockReduce;
    exposed.endGather = work.way == Way::Forward ? comm.endGather : 0.0;
    exposed.endReduce = work.way == Way::Forward ? 0.0 : comm.endReduce;
    const double waited = exposedLayers(transfer, beside, work.layers);
    const double ends = exposed.endGather + exposed.endReduce;
    const double hidden = std::max(0.0, transfer - waited - ends);
    const double cost = waited + software.contention * hidden;
    if (transfer > 0) {
        exposed.blockGather = cost * comm.blockGather / transfer;
        exposed.blockReduce = cost * comm.blockReduce / transfer;
    }
}

/// Waiting for one transfer hides no other on the same network: a pass takes no less than all that
/// crosses it.
void exposeNetwork(const CommSeconds& comm, double beside, CommSeconds& exposed) {
    const double parameters =
        exposed.blockGather + exposed.blockReduce + exposed.endGather + exposed.endReduce;
    const double lack = comm.network - beside - parameters;
    if (lack <= 0.0) {
        return;
    }
    const double transfer = comm.blockGather + comm.blockReduce;
    if (transfer > 0.0) {
        exposed.blockGather += lack * comm.blockGather / transfer;
        exposed.blockReduce += lack * comm.blockReduce / transfer;
    } else {
        exposed.expert += lack;
    }
}

}  // namespace

double CommSeconds::*sumOf(const CommCall& call) {
    const bool block = call.place != CommPlace::Embedding && call.place != CommPlace::Head &&
                       call.place != CommPlace::Root;
    switch (call.use) {
        case CommUse::ParameterGather:
            return block ? &CommSeconds::blockGather : &CommSeconds::endGather;
        case CommUse::GradientReduce:
            return block ? &CommSeconds::blockReduce : &CommSeconds::endReduce;
        case CommUse::Activation:
        case CommUse::Loss:
            return &CommSeconds::tensor;
        case CommUse::InputRegather:
            return &CommSeconds::regather;
        case CommUse::KeyValue:
            return &CommSeconds::context;
        case CommUse::Dispatch:
        case CommUse::Routing:
            return &CommSeconds::expert;
        case CommUse::SharedGradient:
            return &CommSeconds::shared;
        case CommUse::Bookkeeping:
            return &CommSeconds::buffers;
        case CommUse::StageExchange:
            break;
    }
    return nullptr;
}

TailOverlap tailOverlap(const Scenario& scenario) {
    const MegatronSettings& megatron = scenario.settings.megatron;
    const Engine engine = scenario.settings.engine;
    if (engine == Engine::Megatron) {
        return {.reduce = megatron.overlapGradReduce, .gather = megatron.overlapParamGather};
    }
    return {.reduce = engine == Engine::Ddp, .gather = false};
}

bool isPerMicroBatch(const Scenario& scenario, const CommCall& call) {
    const TailOverlap hidden = tailOverlap(scenario);
    const bool inTail = (call.use == CommUse::GradientReduce && hidden.reduce) ||
                        (call.use == CommUse::ParameterGather && hidden.gather);
    if (inTail && call.times == 1 && scenario.microBatches() > 1) {
        return false;
    }
    return call.phase == CommPhase::Forward || call.phase == CommPhase::Backward ||
           call.phase == CommPhase::Recompute;
}

ChunkComm chunkComm(const Scenario& scenario,
                    const SoftwareTiming& software,
                    const std::vector<CommCall>& calls,
                    std::int32_t chunk,
                    Way way,
                    CommClock& clock) {
    const ShardCopies copies = copiesOf(scenario, software);
    ChunkComm comm;
    for (const CommCall& call : calls) {
        const bool forward = call.phase == CommPhase::Forward;
        if (call.chunk == chunk && isPerMicroBatch(scenario, call) &&
            forward == (way == Way::Forward)) {
            addCall(scenario, copies, call, clock.seconds(call), comm);
            comm.network += networkSeconds(scenario, call, clock);
        }
    }
    return comm;
}

CommSeconds exposedComm(const Scenario& scenario,
                        const SoftwareTiming& software,
                        const CommSeconds& comm,
                        const WorkBeside& work) {
    CommSeconds exposed;
    exposeTensor(scenario, software, comm, work, exposed);
    const bool ring = scenario.layout.cpKind == CpKind::Ring;
    exposed.context = ring ? std::max(software.ringExposed * comm.context,
                                      comm.context - software.ringHidden * work.attention)
                           : comm.context;
    exposed.expert =
        comm.expert * (scenario.settings.megatron.expertOverlap ? software.tensorExposed : 1.0);
    exposed.buffers = comm.buffers;
    const double beside = work.device + exposed.tensor + exposed.regather + exposed.shared +
                          exposed.buffers + exposed.context + exposed.expert;
    exposeShards(software, comm, work, beside, exposed);
    exposeNetwork(comm, beside, exposed);
    return exposed;
}

}  // namespace fabricast
