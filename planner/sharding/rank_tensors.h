#pragma once
#include "planner/sharding/stage_shape.h"
#include "planner/spec/settings.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// This is what the collectives over data parallel ranks move, in the order of registration. Where
/// the model code joins q, k and v in one weight, so does this; adapters follow their weight.
///     for (const RankTensor& tensor : layerTensors(view, 0)) sum += tensor.elements();
const std::vector<RankTensor>& layerTensors(const StageShape& view, std::int64_t layer);
/// What a multi-token-prediction layer has in addition to its layer.
std::vector<RankTensor> predictionTensors(const StageShape& view);
std::vector<RankTensor> embeddingTensors(const StageShape& view);
/// The final norm, and the head if it is not the embedding's table.
std::vector<RankTensor> headTensors(const StageShape& view);

/// Rows of a vocabulary on this rank: an even share, the last ranks having less, or padded.
std::int64_t vocabRows(const StageShape& view);

/// Whether adapters train over a base of 4 or 8 bits: only its linears are.
bool isPacked(const Settings& settings, const RankTensor& tensor);

/// Numbers of two bytes that the codes of a 4-bit tensor lie in (bnb_4bit_quant_storage=bfloat16).
std::int64_t packedNumbers(const RankTensor& tensor);

}  // namespace fabricast
