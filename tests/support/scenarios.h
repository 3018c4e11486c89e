#pragma once
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// A small Llama on eight GPUs of `gpuMemory` under torchtitan's FSDP2: what memory tests start
/// from.
inline Scenario smallTitan(Bytes gpuMemory) {
    Scenario scenario;
    scenario.stack = "torchtitan";
    ModelSpec& model = scenario.model;
    model.name = "small";
    model.family = "llama";
    model.layers = 8;
    model.hidden = 1024;
    model.vocab = 32000;
    model.mlp.width = 2816;
    model.attention.heads = 16;
    model.attention.kvHeads = 8;
    model.attention.headDim = 64;
    scenario.cluster.node.gpu.name = "test-gpu";
    scenario.cluster.node.gpu.memory = {.value = gpuMemory};
    scenario.cluster.node.gpus = 8;
    scenario.workload = {.sequence = 2048, .globalBatch = 16};
    scenario.layout = {.dp = 8, .shard = Shard::Fsdp, .microBatch = 2};
    scenario.settings.engine = Engine::Fsdp2;
    scenario.settings.kernels.code = ModelCode::TorchTitan;
    scenario.settings.kernels.fusedQkv = true;
    return scenario;
}

}  // namespace fabricast
