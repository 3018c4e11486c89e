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
    }
    if (call.use == CommUse::ParameterGather) {
        comm.copyBytes += copies.gather * bytes;
        comm.units += count;
    }
    if (call.use == CommUse::GradientReduce) {
        comm.copyBytes += copies.reduce * bytes;
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
        case CommUse::Bookkeeping:
            return &CommSeconds::other;
        case CommUse::StageExchange:
            break;
    }
    return nullptr;
}

bool isPerMicroBatch(const CommCall& call) {
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
        if (call.chunk == chunk && isPerMicroBatch(call) && forward == (way == Way::Forward)) {
            addCall(scenario, copies, call, clock.seconds(call), comm);
        }
    }
    return comm;
}

}  // namespace fabricast
