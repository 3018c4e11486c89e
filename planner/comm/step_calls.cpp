#include "planner/comm/step_calls.h"

#include "planner/comm/data_parallel_calls.h"
#include "planner/comm/fsdp2_calls.h"
#include "planner/comm/megatron_calls.h"
#include "planner/comm/pipeline_calls.h"
#include "planner/comm/titan_calls.h"
#include "planner/spec/setting_names.h"

#include <string>

namespace fabricast {
namespace {

Result<Calls> torchtitan(const StageView& view) {
    FABRICAST_ASSIGN(Calls calls, fsdp2Calls(view));
    for (const ChunkView& chunk : view.chunks) {
        append(calls, titanTensorCalls(view, chunk));
        append(calls, titanSharedGradients(view, chunk));
        append(calls, titanContextCalls(view, chunk));
        append(calls, titanExpertCalls(view, chunk));
        append(calls, boundaryCalls(view, chunk));
    }
    append(calls, titanStepCalls(view));
    return calls;
}

Calls megatron(const StageView& view) {
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        append(calls, megatronTensorCalls(view, chunk));
        append(calls, megatronContextCalls(view, chunk));
        append(calls, megatronExpertCalls(view, chunk));
        append(calls, megatronBoundaryCalls(view, chunk));
        append(calls, megatronBufferCalls(view, chunk));
    }
    append(calls, megatronStepCalls(view));
    return calls;
}

/// DeepSpeed's DistributedAttention: heads for tokens and back, gradients the same way.
Calls ulyssesCalls(const StageView& view) {
    const AttentionSpec& attention = view.model().attention;
    const std::int64_t tokens = view.shape.tokens;
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        for (const CommPhase phase : {CommPhase::Forward, CommPhase::Backward}) {
            for (const std::int64_t heads : {attention.heads, attention.kvHeads}) {
                add(calls,
                    {.group = GroupKind::Context,
                     .op = CommOp::AllToAll,
                     .type = view.compute,
                     .phase = phase,
                     .use = CommUse::KeyValue,
                     .place = CommPlace::Attention,
                     .chunk = chunk.index,
                     .elements = tokens * heads * attention.headDim,
                     .each = 2,
                     .parts = chunk.layers,
                     .times = view.microBatches});
            }
        }
    }
    return calls;
}

}  // namespace

Result<std::vector<CommCall>> stepCalls(const Scenario& scenario, CommRank rank) {
    FABRICAST_ASSIGN(const StageView view, stageView(scenario, rank));
    const Settings& settings = scenario.settings;
    if (settings.kernels.code == ModelCode::TorchTitan) {
        return torchtitan(view);
    }
    switch (settings.engine) {
        case Engine::Local:
            return ulyssesCalls(view);
        case Engine::Ddp:
            return ddpCalls(view);
        case Engine::Fsdp1:
            return fsdp1Calls(view);
        case Engine::Fsdp2:
            return fsdp2Calls(view);
        case Engine::DeepSpeed:
            return view.layout().shard == Shard::Zero3 ? zero3Calls(view) : zeroCalls(view);
        case Engine::Megatron:
            return megatron(view);
        default:
            return fail(Error::Code::Unsupported,
                        "settings.engine",
                        "the calls of " + std::string(nameOf(settings.engine)) + " are not known");
    }
}

}  // namespace fabricast
