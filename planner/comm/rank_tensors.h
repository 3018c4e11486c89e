#pragma once
#include "planner/comm/stage_view.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// This is what the collectives over data parallel ranks move, in the order of registration. Where
/// the model code joins q, k and v in one weight, so does this; adapters follow their weight.
///     for (const RankTensor& tensor : layerTensors(view, 0)) sum += tensor.elements();
const std::vector<RankTensor>& layerTensors(const StageView& view, std::int64_t layer);
/// What a multi-token-prediction layer has besides its layer.
std::vector<RankTensor> predictionTensors(const StageView& view);
std::vector<RankTensor> embeddingTensors(const StageView& view);
/// The final norm, and the head if it is not the embedding's table.
std::vector<RankTensor> headTensors(const StageView& view);

/// Rows of a vocabulary on this rank: an even share, the last ranks having less, or padded.
std::int64_t vocabRows(const StageView& view);

std::int64_t roundUp(std::int64_t value, std::int64_t step);

}  // namespace fabricast
