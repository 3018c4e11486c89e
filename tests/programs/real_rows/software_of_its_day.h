#pragma once
#include "tests/programs/real_rows/memory_report.h"

#include <cstdint>
#include <string>

namespace fabricast {

// What the software that a row names did on its day, where nobody said otherwise.

/// Transformer Engine's fused attention takes sinks since its pull request 2148, of September 2025:
/// until the release with it Megatron kept the scores of models that have them.
bool keepsScoresOfSinks(const MemoryReport& report, const std::string& stack);

/// From TRL's pull request 2895 to 2947, of February 2025, SFTConfig took `max_seq_length` and cut
/// to its default of 1,024 tokens (open-r1's pull request 419, which had that TRL, says so).
constexpr std::int64_t kForgottenLength = 1024;
bool forgetsItsLength(const MemoryReport& report);

/// LLaMA-Factory recomputes all layers unless it is told not to.
bool recomputesAllLayers(const MemoryReport& report);

/// LLaMA-Factory's files for DeepSpeed have no optimizer, so that the Trainer's AdamW of
/// torch.optim steps, and leave the sizes of ZeRO-3's buckets to the Trainer ("auto"): the square
/// of the hidden size, nine tenths of it, and ten times the hidden size (transformers'
/// trainer_config_finalize).
bool fillsInBuckets(const MemoryReport& report, const std::string& stack);

}  // namespace fabricast
