#include "planner/ops/layer_segment.h"

#include "planner/ops/dense_layer.h"
#include "planner/ops/megatron_ends.h"
#include "planner/ops/megatron_layer.h"
#include "planner/ops/selective_checkpoint.h"

namespace fabricast {

Result<OpList> layerSegment(const Scenario& scenario, std::int64_t layer) {
    if (isMegatronCode(scenario)) {
        return megatronLayer(scenario, layer);
    }
    if (scenario.model.isSparse(layer)) {
        return fail(
            Error::Code::Unsupported, "model.moe", "memory of sparse layers is not modelled");
    }
    if (scenario.model.attention.kind == AttentionKind::Latent) {
        return fail(Error::Code::Unsupported,
                    "model.attention",
                    "memory of latent attention is not modelled");
    }
    OpList ops = eagerLayer(scenario, layer);
    if (scenario.settings.recompute.kind == Checkpointing::Selective) {
        // Context parallelism runs on torchtitan's DTensor backend, the rest on local tensors.
        markSelective(ops, scenario.layout.cp > 1);
    }
    return ops;
}

}  // namespace fabricast
