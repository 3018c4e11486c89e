#include "planner/comm/engine_calls.h"
#include "planner/comm/torch_regions.h"
#include "planner/ops/expert_layers.h"
#include "planner/sharding/rank_tensors.h"

#include <utility>

namespace fabricast {
namespace {

Calls titanLayerCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls = titanTensorCalls(view, chunk);
    append(calls, titanContextCalls(view, chunk));
    append(calls, titanExpertCalls(view, chunk));
    return calls;
}

/// Which of a rank's calls: all, or those that may be made outside of a micro-batch's passes.
enum class Which : std::uint8_t { All, OfTail };

/// The calls inside a chunk's layers, where they are asked for.
Calls insideLayers(const StageView& view, const ChunkView& chunk, Which which) {
    return which == Which::All ? layerCalls(view, chunk) : Calls{};
}

Result<Calls> torchtitan(const StageView& view, Which which) {
    FABRICAST_ASSIGN(Calls calls, fsdp2Calls(view));
    for (const ChunkView& chunk : view.chunks) {
        append(calls, insideLayers(view, chunk, which));
        append(calls, titanSharedGradients(view, chunk));
        append(calls, boundaryCalls(view, chunk));
    }
    append(calls, titanStepCalls(view));
    return calls;
}

Calls megatronLayerCalls(const StageView& view, const ChunkView& chunk) {
    Calls calls = megatronTensorCalls(view, chunk);
    append(calls, megatronContextCalls(view, chunk));
    append(calls, megatronExpertCalls(view, chunk));
    return calls;
}

Calls megatron(const StageView& view, Which which) {
    Calls calls;
    for (const ChunkView& chunk : view.chunks) {
        append(calls, insideLayers(view, chunk, which));
        append(calls, megatronBoundaryCalls(view, chunk));
        append(calls, megatronBufferCalls(view, chunk));
    }
    append(calls, megatronStepCalls(view));
    return calls;
}

/// Megatron-FSDP around Megatron's layers: the distributed optimizer, or layers whose gradients are
/// scattered in every micro-batch, and whose weights are gathered once or in every micro-batch.
Result<Calls> megatronFsdp(const StageView& view, Which which) {
    const Shard shard = view.layout().shard;
    if (shard == Shard::None || shard == Shard::Zero1) {
        return asRead(megatron(view, which));
    }
    FABRICAST_ASSIGN(Calls calls, fsdp2Calls(view));
    if (shard == Shard::Zero2) {
        for (CommCall& call : calls) {
            const bool gathers = call.use == CommUse::ParameterGather;
            call.times = !gathers ? call.times : call.phase == CommPhase::Forward ? 1 : 0;
        }
        std::erase_if(calls, [](const CommCall& call) { return call.count() == 0; });
    }
    for (const ChunkView& chunk : view.chunks) {
        append(calls, insideLayers(view, chunk, which));
    }
    return asRead(std::move(calls));
}

Result<Calls> deepspeed(const StageView& view, Which which) {
    const Layout& layout = view.layout();
    if (layout.shard != Shard::Zero3) {
        Calls calls = zeroCalls(view);
        const bool end = view.stage == 0 || view.stage == layout.pp - 1;
        if (view.model().tiedEmbeddings && view.pipelined() && end) {
            add(calls,
                {.group = GroupKind::Embedding,
                 .type = view.reduce,
                 .use = CommUse::SharedGradient,
                 .place = CommPlace::Embedding,
                 .source = CallSource::Read,
                 .elements = vocabRows(view) * view.model().hidden});
        }
        return calls;
    }
    if (layout.ep > 1 && view.model().moe && !marksExperts(*view.scenario)) {
        return fail(Error::Code::Unsupported,
                    "layout.ep",
                    "how ZeRO-3 gathers expert-parallel experts is not modelled",
                    "shard=zero2, or ep=1");
    }
    if (view.settings().tuning == Tuning::Lora && view.settings().lora.base == Dtype::Int8) {
        return fail(Error::Code::Unsupported,
                    "settings.lora.base",
                    "how ZeRO-3 gathers a base in int8 is not modelled",
                    "base bf16, or stack=fsdp2");
    }
    return which == Which::All ? zero3Calls(view) : zero3StepCalls(view);
}

/// The engines around transformers' models.
Result<Calls> dataParallel(const StageView& view, Which which) {
    switch (view.settings().engine) {
        case Engine::Ddp:
            return ddpCalls(view);
        case Engine::Fsdp1:
            return fsdp1Calls(view);
        case Engine::Fsdp2: {
            FABRICAST_ASSIGN(Calls calls, fsdp2Calls(view));
            return asRead(std::move(calls));
        }
        case Engine::DeepSpeed:
            return deepspeed(view, which);
        default:
            return Calls{};
    }
}

Result<Calls> torch(const StageView& view, Which which) {
    FABRICAST_ASSIGN(Calls calls, dataParallel(view, which));
    for (const ChunkView& chunk : view.chunks) {
        append(calls, insideLayers(view, chunk, which));
    }
    return calls;
}

Result<Calls> callsOf(const StageView& view, Which which) {
    const Settings& settings = view.settings();
    if (settings.kernels.code == ModelCode::TorchTitan) {
        return torchtitan(view, which);
    }
    if (settings.engine == Engine::Megatron) {
        return megatron(view, which);
    }
    return settings.engine == Engine::MegatronFsdp ? megatronFsdp(view, which) : torch(view, which);
}

}  // namespace

Result<std::vector<CommCall>> stepCalls(const Scenario& scenario, CommRank rank) {
    FABRICAST_ASSIGN(const StageView view, stageView(scenario, rank));
    return stepCalls(view);
}

Result<std::vector<CommCall>> stepCalls(const StageView& view) {
    FABRICAST_ASSIGN(Calls calls, callsOf(view, Which::All));
    const bool read = view.settings().tuning == Tuning::Lora || view.model().mtpDepth > 0;
    return read ? asRead(std::move(calls)) : calls;
}

Result<std::vector<CommCall>> tailCalls(const StageView& view) {
    return callsOf(view, Which::OfTail);
}

std::vector<CommCall> layerCalls(const StageView& view, const ChunkView& chunk) {
    const Settings& settings = view.settings();
    if (settings.kernels.code == ModelCode::TorchTitan) {
        return titanLayerCalls(view, chunk);
    }
    return settings.engine == Engine::Megatron || settings.engine == Engine::MegatronFsdp
               ? megatronLayerCalls(view, chunk)
               : torchRegionCalls(view, chunk);
}

}  // namespace fabricast
