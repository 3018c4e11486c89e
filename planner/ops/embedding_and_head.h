#pragma once
#include "planner/ops/op_builder.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// The two ends of the model: the token table, and the final norm, head and loss.
OpList embeddingSegment(const Scenario& scenario);
OpList finalNormSegment(const Scenario& scenario);
OpList headSegment(const Scenario& scenario);
/// Declares what multiplies into logits: a table of the head's own, the embedding's, or PEFT's
/// copy.
int headTable(OpBuilder& g, const Scenario& scenario);
/// The loss is computed with the head: `headSegment` returns it, and there is no segment of its
/// own.
bool fusesLoss(const Scenario& scenario);
/// Logits in, loss out, as the stack's loss kernel computes it.
OpList lossSegment(const Scenario& scenario);
/// The same for one of `lossChunks` equal slices of the sequence.
OpList headChunkSegment(const Scenario& scenario);
OpList lossChunkSegment(const Scenario& scenario);

/// This is what follows the final norm where Megatron predicts further tokens (`--mtp-num-layers`):
/// each depth joins the hidden states with the embedding of the next token and runs one more layer;
/// then every depth has its logits and its loss, and last the model itself.
OpList megatronPredictions(const Scenario& scenario);

}  // namespace fabricast
