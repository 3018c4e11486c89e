#pragma once
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"
#include "planner/stack/bytes_per_parameter.h"

#include <cstdint>

namespace fabricast {

/// Parameters that are trained: all of them, or LoRA's adapters. Between the end of backward and
/// the optimizer step, when everything is there; transients (gathered parameters, communication
/// buffers) are the memory engine's.
BytesPerParameter stateBytes(const Settings& settings, const Layout& layout);

/// LoRA's frozen base: weights only, with what quantisation keeps beside them.
BytesPerParameter frozenBaseBytes(const LoraSettings& lora, const Layout& layout);

/// What the optimizer keeps for one element of a large matrix: moments and their scales.
double momentBytes(const Settings& settings);
/// Adafactor keeps a row and a column of fp32 for each matrix instead.
std::int64_t adafactorBytes(std::int64_t rows, std::int64_t cols);

}  // namespace fabricast
