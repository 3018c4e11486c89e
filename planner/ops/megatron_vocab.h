#pragma once
#include "planner/ops/megatron_linear.h"
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

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

/// The two ends of megatron-core's GPTModel: the vocabulary-parallel table (and learned positions),
/// the final norm, the head, and the vocabulary-parallel loss.
OpList megatronEmbedding(const Scenario& scenario);
OpList megatronFinalNorm(const Scenario& scenario);
OpList megatronHead(const Scenario& scenario);
OpList megatronLoss(const Scenario& scenario);

/// Vocabulary rows of one tp rank: padded to a multiple of `vocab_padding` · tp.
std::int64_t megatronLocalVocab(const Scenario& scenario);
/// Runs Megatron's model code?
bool isMegatronCode(const Scenario& scenario);

}  // namespace fabricast
