#pragma once
#include "planner/spec/names.h"
#include "simulator/engine/sim_program.h"

#include <array>

namespace fabricast {

constexpr auto namesOf(SimKind) {
    return std::to_array<Named<SimKind>>({{SimKind::Forward, "forward"},
                                          {SimKind::Backward, "backward"},
                                          {SimKind::InputGradient, "input gradient"},
                                          {SimKind::WeightGradient, "weight gradient"},
                                          {SimKind::HandOver, "hand-over"},
                                          {SimKind::Transfer, "transfer"},
                                          {SimKind::Meeting, "meeting"},
                                          {SimKind::Gather, "parameter gather"},
                                          {SimKind::Reduce, "gradient reduction"},
                                          {SimKind::SharedGradient, "shared gradients"},
                                          {SimKind::Bookkeeping, "gradient norm"},
                                          {SimKind::Optimizer, "optimizer"},
                                          {SimKind::Loop, "training loop"}});
}

/// The lanes, as traces and reports call them.
constexpr auto namesOf(SimStream) {
    return std::to_array<Named<SimStream>>({{SimStream::Compute, "compute"},
                                            {SimStream::Tensor, "tensor"},
                                            {SimStream::Expert, "context_expert"},
                                            {SimStream::Data, "data"},
                                            {SimStream::Pipeline, "pipeline"},
                                            {SimStream::Copy, "copy"},
                                            {SimStream::Host, "host"}});
}

}  // namespace fabricast
