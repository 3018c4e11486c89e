#include "planner/spec/megatron_shape.h"

namespace fabricast {

Result<void> checkMegatronShape(const ModelSpec& model) {
    if (model.mtpDepth > 0 && model.position == PositionKind::Learned) {
        return fail(Error::Code::Unsupported,
                    "model.mtp_depth",
                    "megatron-core predicts further tokens with rotary or no positions only",
                    "mtp_depth 0 in the model");
    }
    if (model.normsPerLayer != 2 || model.parallelResidual ||
        model.normPlacement != NormPlacement::Before) {
        return fail(Error::Code::Unsupported,
                    "model",
                    "megatron-core's layer has one norm before attention and one before the MLP",
                    "--stack fsdp2, ddp or deepspeed, which train transformers' own layer");
    }
    return {};
}

}  // namespace fabricast
