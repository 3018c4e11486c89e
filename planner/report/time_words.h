#pragma once
#include "planner/result/step_estimate.h"

#include <string_view>

namespace fabricast {

/// A part of a step in words: "sharding: parameters and gradients".
constexpr std::string_view partWords(TimePart part) {
    switch (part) {
        case TimePart::Gemm:
            return "matrix products";
        case TimePart::Attention:
            return "attention";
        case TimePart::MemoryBound:
            return "memory-bound kernels";
        case TimePart::Tensor:
            return "tensor-parallel communication";
        case TimePart::Context:
            return "context-parallel communication";
        case TimePart::Expert:
            return "expert-parallel communication";
        case TimePart::Shard:
            return "sharding: parameters and gradients";
        case TimePart::Stage:
            return "transfers between stages";
        case TimePart::Bubble:
            return "bubble: waiting for other stages";
        case TimePart::Optimizer:
            return "optimizer";
        case TimePart::Host:
            return "host overhead";
        case TimePart::Count_:
            break;
    }
    return "other";
}

/// The same where there is little room: "gathers and reductions".
constexpr std::string_view shortPartWords(TimePart part) {
    switch (part) {
        case TimePart::Tensor:
            return "tp communication";
        case TimePart::Context:
            return "cp communication";
        case TimePart::Expert:
            return "ep communication";
        case TimePart::Shard:
            return "gathers and reductions";
        case TimePart::Stage:
            return "pipeline transfers";
        case TimePart::Bubble:
            return "pipeline bubble";
        case TimePart::Host:
            return "host";
        default:
            return partWords(part);
    }
}

}  // namespace fabricast
