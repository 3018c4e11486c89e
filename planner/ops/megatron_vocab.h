#pragma once
#include "planner/ops/megatron_linear.h"

namespace fabricast {

/// The token table; `again`: for tokens further on, where the model began with it on this stage.
int tokenTable(MegatronCode& m, bool again);

/// Hidden states of this rank's tokens: the vocabulary-parallel table (and learned positions),
/// summed over tp, scattered over the sequence where that is split.
struct EmbeddingUse {
    int table = -1;
    TensorId ids = kNoTensor;     ///< kNoTensor: the batch's own
    bool defersGradient = false;  ///< an earlier use of this table adds its gradient
};
TensorId embedTokens(MegatronCode& m, const EmbeddingUse& use);

/// The weight of the head, which may be the table.
int outputWeight(MegatronCode& m);

/// Megatron's loss over logits whose columns are split: softmax in fp32, in place of the logits'
/// fp32 copy.
TensorId vocabParallelLoss(MegatronCode& m, TensorId logits);

}  // namespace fabricast
