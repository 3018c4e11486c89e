#pragma once
#include "planner/base/result.h"
#include "planner/spec/settings.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Of a launch file that leaves it to the framework: bf16, or fp16 where the GPU has no bf16.
inline constexpr std::string_view kPrecisionOfGpu = "auto";

/// Every name that --precision takes: "fp32", "fp16", "bf16", "pure_bf16", and the quantizations.
std::vector<std::string_view> precisionNames();

/// A stack's settings under a precision given by name. bf16 is what stacks do by themselves;
/// fp16 is the same with fp16 in its place; pure_bf16 keeps everything in bf16, adapters too, and
/// no fp32 copy; fp8_blockwise, mxfp8 and so on compute the matrix products of bf16 in that format.
Result<Settings> withPrecision(Settings settings, std::string_view name, const std::string& where);

}  // namespace fabricast
