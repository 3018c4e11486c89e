#pragma once
#include "planner/base/result.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/layout_fields.h"
#include "planner/spec/scenario.h"
#include "planner/spec/settings.h"
#include "planner/stack/stack.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a layout has to fill.
struct Room {
    std::optional<std::int64_t> gpus;  ///< if the number was given
    std::string gpusWhere{};           ///< and where
    std::int64_t usualGpus = 1;        ///< else: of the cluster as it is sold
    std::int64_t gpusPerNode = 1;
    // What of the model may be divided; 0: not known.
    std::int64_t heads = 0;
    std::int64_t layers = 0;
    std::int64_t experts = 0;
};

/// The layout with every missing key filled in: dp from what tp, pp and cp leave of the GPUs, the
/// rest from the stack, else 1. A contradiction is an error with the arithmetic.
///     tp 8 x pp 4 x cp 1 x dp 3 = 96, but there are 128 GPUs (dp=4)
Result<Layout> completeLayout(const PartialLayout& partial, const Stack& stack, const Room& room);

/// The samples of a step must be distributed evenly: to dp ranks, micro_batch at a time.
Result<void> checkBatch(const Layout& layout, std::int64_t globalBatch);

// Defaults that follow the GPU: the stacks' own are those of Ampere and later. What is typed stays,
// and is refused where it does not run.

/// The settings with fp16 for a bf16 that the GPU does not multiply in, where the stack has fp16,
/// and with the attention that runs where FlashAttention's kernels do not.
Result<Settings> withGpuDefaults(const ScenarioRequest& request,
                                 const Stack& stack,
                                 const GpuSpec& gpu,
                                 Settings settings);

/// Says which of both it is.
void addGpuNotes(const ScenarioRequest& request,
                 const Scenario& scenario,
                 std::vector<std::string>& assumed);

/// Whether the stack multiplies in what is asked of it, or else in what the GPU has.
bool multipliesIn(const ScenarioRequest& request, const Stack& stack, const GpuSpec& gpu);

/// Why a search that was told no stack leaves this one out: it has no code or config for the model,
/// or does not multiply in what the GPU has. Empty: it does not.
std::string whyLeftOut(const ScenarioRequest& request,
                       std::string_view stack,
                       const ModelSpec& model,
                       const GpuSpec& gpu);

/// An attention that was typed has to run on the GPU.
Result<void> checkAttends(const Scenario& scenario);

/// Of a launch file that leaves it to the framework: bf16, or fp16 where the GPU has no bf16.
inline constexpr std::string_view kPrecisionOfGpu = "auto";

/// Every name that --precision takes: "fp32", "fp16", "bf16", "pure_bf16", and the quantizations.
std::vector<std::string_view> precisionNames();

/// A stack's settings under a precision given by name. bf16 is what stacks do by themselves;
/// fp16 is the same with fp16 in its place; pure_bf16 keeps everything in bf16, adapters too, and
/// no fp32 copy; fp8_blockwise, mxfp8 and so on compute the matrix products of bf16 in that format.
Result<Settings> withPrecision(Settings settings, std::string_view name, const std::string& where);

}  // namespace fabricast
