#pragma once
#include "planner/ops/parameters.h"

#include <cstdint>

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

}  // namespace fabricast
