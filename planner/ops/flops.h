#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/spec/model_spec.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace fabricast {

/// The positions a token attends to on average over a causal sequence, with a window (0: none):
/// Σ min(i, w) / s.
double meanTokensSeen(std::int64_t sequence, std::int64_t window);

/// The convention of a count. A published MFU or TFLOP/s means nothing without its convention: on
/// an 8B model they differ by up to a fifth.
enum class FlopsConvention {
    Matmul,  ///< ours: what the matrix products of the model are, windows and causal mask honoured
    Megatron,      ///< Megatron-LM, 2023 and later
    Megatron2021,  ///< Narayanan 2021 and Korthikanti 2022: GPT shapes, no causal half
    Nemo,
    TorchTitan,
    Palm,
    LlmFoundry,
    SixN
};

/// What is computed twice, in the conventions that count that (HFU rather than MFU).
enum class FlopsRecomputed { Nothing, AttentionCore, Everything };

struct FlopsConventionText {
    FlopsConvention convention;
    std::string_view name;     ///< "megatron-2021", as it is typed and printed
    std::string_view formula;  ///< per token, forward and backward, in the letters of the docs
};
std::span<const FlopsConventionText> flopsConventions();

/// FLOPs per token of one training step (forward and backward) at sequence length `sequence`, as
/// this convention counts them; only active experts count. An error where the convention has no
/// formula for such a model.
Result<Flops> flopsPerToken(const ModelSpec& model,
                            std::int64_t sequence,
                            FlopsConvention convention,
                            FlopsRecomputed recomputed = FlopsRecomputed::Nothing);

/// Those of `Matmul` that are made in routed experts: a token that is dropped there has none.
Flops routedFlopsPerToken(const ModelSpec& model);

}  // namespace fabricast
