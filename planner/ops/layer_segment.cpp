#include "planner/ops/layer_segment.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/float8_casts.h"
#include "planner/ops/megatron_ends.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/selective_checkpoint.h"

namespace fabricast {

Result<OpList> layerSegment(const Scenario& scenario, std::int64_t layer) {
    if (isMegatronCode(scenario)) {
        return megatronLayer(scenario, layer);
    }
    const bool titan = scenario.settings.kernels.code == ModelCode::TorchTitan;
    const bool mixtral = scenario.model.family == "mixtral" && scenario.layout.ep == 1;
    if (scenario.model.isSparse(layer) && !titan && !mixtral) {
        return fail(Error::Code::Unsupported,
                    "model.moe",
                    "of Hugging Face's expert layers only Mixtral's, without expert parallelism, "
                    "is modelled",
                    "use the stack torchtitan or megatron");
    }
    if (scenario.model.attention.kind == AttentionKind::Latent && !titan) {
        return fail(Error::Code::Unsupported,
                    "model.attention",
                    "memory of Hugging Face's latent attention is not modelled yet",
                    "use the stack torchtitan or megatron");
    }
    OpList ops = eagerLayer(scenario, layer);
    if (scenario.settings.recompute.kind == Checkpointing::Selective) {
        // Context parallelism runs on torchtitan's DTensor backend, the rest on local tensors.
        markSelective(ops, scenario.layout.cp > 1);
    }
    if (titan) {
        markFloat8(ops, scenario.settings.kernels.quantization);
    }
    return ops;
}

Result<LayerOps> layerOps(const Scenario& scenario) {
    LayerOps found;
    for (std::int64_t layer = scenario.model.layers; layer-- > 0;) {
        std::optional<OpList>& ops = scenario.model.isSparse(layer) ? found.sparse : found.dense;
        if (!ops) {
            FABRICAST_ASSIGN(ops, layerSegment(scenario, layer));
        }
    }
    return found;
}

}  // namespace fabricast
