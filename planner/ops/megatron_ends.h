#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/scenario.h"

namespace fabricast {

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
