#pragma once
#include "planner/comm/stage_view.h"
#include "planner/ops/parameters.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// One weight as a rank has it, after tensor and expert parallelism: [rows, cols], or for experts
/// that lie in one tensor [copies, rows, cols]. A vector has one column.
struct RankTensor {
    std::int64_t copies = 1;
    std::int64_t rows = 0;
    std::int64_t cols = 1;
    Part part = Part::Mlp;
    Split split = Split::Replicated;
    bool vector = false;
    bool bias = false;  ///< of the weight before it
    bool trained = true;

    [[nodiscard]] std::int64_t elements() const { return copies * rows * cols; }
    [[nodiscard]] bool isExpert() const { return part == Part::RoutedExperts; }
};

/// This is what the collectives over data parallel ranks move, in the order of registration. Where
/// the model code joins q, k and v in one weight, so does this; adapters follow their weight.
///     for (const RankTensor& tensor : layerTensors(view, 0)) sum += tensor.elements();
std::vector<RankTensor> layerTensors(const StageView& view, std::int64_t layer);
/// What a multi-token-prediction layer has besides its layer.
std::vector<RankTensor> predictionTensors(const StageView& view);
std::vector<RankTensor> embeddingTensors(const StageView& view);
/// The final norm, and the head if it is not the embedding's table.
std::vector<RankTensor> headTensors(const StageView& view);

/// Rows of a vocabulary on this rank: an even share, the last ranks having less, or padded.
std::int64_t vocabRows(const StageView& view);

std::int64_t roundUp(std::int64_t value, std::int64_t step);

}  // namespace fabricast
