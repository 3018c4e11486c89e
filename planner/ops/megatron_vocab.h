#pragma once
#include "planner/ops/megatron_linear.h"

namespace fabricast {

/// Where the token table is looked up again, for tokens further on: their shifted ids are made on
/// the way, and the table may be the one the model began with.
struct EmbeddingUse {
    TensorId ids = kNoTensor;  ///< kNoTensor: the batch's own
    bool again = false;
};
/// Hidden states of this rank's tokens: the vocabulary-parallel table (and learned positions),
/// summed over tp, scattered over the sequence where that is split.
TensorId embedTokens(MegatronCode& m, const EmbeddingUse& use);

/// The weight of the head, which may be the table.
int outputWeight(MegatronCode& m);

/// Megatron's loss over logits whose columns are split: softmax in fp32, in place of the logits'
/// fp32 copy.
TensorId vocabParallelLoss(MegatronCode& m, TensorId logits);

}  // namespace fabricast
