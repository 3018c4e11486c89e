#pragma once
#include "planner/result/step_estimate.h"
#include "planner/spec/names.h"

namespace fabricast {

/// The parts of a step: in JSON with _s behind them, and behind "time." for --why.
constexpr auto namesOf(TimePart) {
    return std::to_array<Named<TimePart>>({{TimePart::Gemm, "gemm"},
                                           {TimePart::Attention, "attention"},
                                           {TimePart::MemoryBound, "memory_bound"},
                                           {TimePart::Tensor, "tensor"},
                                           {TimePart::Context, "context"},
                                           {TimePart::Expert, "expert"},
                                           {TimePart::Shard, "shard"},
                                           {TimePart::Stage, "stage"},
                                           {TimePart::Bubble, "bubble"},
                                           {TimePart::Optimizer, "optimizer"},
                                           {TimePart::Host, "host"}});
}

}  // namespace fabricast
