#pragma once
#include "planner/spec/names.h"
#include "simulator/engine/critical_path.h"

#include <array>
#include <string_view>

namespace fabricast {

/// The parts of a critical path: in JSON with _s behind them.
constexpr auto namesOf(PathPart) {
    return std::to_array<Named<PathPart>>({{PathPart::Compute, "compute"},
                                           {PathPart::Bubble, "bubble"},
                                           {PathPart::Tensor, "tensor"},
                                           {PathPart::Expert, "context_expert"},
                                           {PathPart::Data, "data"},
                                           {PathPart::Pipeline, "pipeline"},
                                           {PathPart::Optimizer, "optimizer"},
                                           {PathPart::Copy, "copy"},
                                           {PathPart::Host, "host"}});
}

/// The same in words.
constexpr std::string_view pathWords(PathPart part) {
    switch (part) {
        case PathPart::Compute:
            return "kernels";
        case PathPart::Bubble:
            return "bubble: the busiest stage waits";
        case PathPart::Tensor:
            return "waiting for tensor parallelism";
        case PathPart::Expert:
            return "waiting for context and experts";
        case PathPart::Data:
            return "waiting for parameters and gradients";
        case PathPart::Pipeline:
            return "transfers between stages";
        case PathPart::Optimizer:
            return "optimizer";
        case PathPart::Copy:
            return "copies to and from the host";
        case PathPart::Host:
        case PathPart::Count_:
            break;
    }
    return "host";
}

}  // namespace fabricast
