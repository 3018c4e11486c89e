#include "planner/lint/megatron_sizes.h"

#include <array>

namespace fabricast {
namespace {

LintHits halvesOfMegatron(const LintView& view) {
    return view.file.has("--bf16") && view.file.has("--fp16")
               ? hitsAt(view.file, "--fp16", "--fp16 and --bf16 are both given", "leave --fp16 out")
               : LintHits();
}

LintHits fullMegatron(const LintView& view) {
    return view.file.has("--bf16") || view.file.has("--fp16")
               ? LintHits()
               : LintHits{{nullptr, "neither --bf16 nor --fp16 is given", "--bf16"}};
}

LintHits unawareOptimizer(const LintView& view) {
    const LintFile& file = view.file;
    if (file.has("--use-precision-aware-optimizer")) {
        return {};
    }
    const std::string fix =
        std::string("--use-precision-aware-optimizer") +
        (file.has("--use-distributed-optimizer") ? "" : " --use-distributed-optimizer");
    if (file.has("--optimizer-cpu-offload")) {
        return hitsAt(file,
                      "--optimizer-cpu-offload",
                      "an optimizer on the CPU without --use-precision-aware-optimizer",
                      fix);
    }
    for (const char* const flag :
         {"--exp-avg-dtype", "--exp-avg-sq-dtype", "--main-params-dtype", "--main-grads-dtype"}) {
        const std::string type = file.text(flag);
        if (!type.empty() && type != "fp32") {
            return hitsAt(
                file,
                flag,
                std::string(flag) + " " + type + " without --use-precision-aware-optimizer",
                fix);
        }
    }
    return {};
}

LintHits twoLowPrecisions(const LintView& view) {
    return view.file.has("--fp4-format") && view.file.has("--fp8-format")
               ? hitsAt(
                     view.file, "--fp4-format", "--fp4-format and --fp8-format", "one of the two")
               : LintHits();
}

LintHits narrowGradients(const LintView& view) {
    const LintFile& file = view.file;
    const std::string recipe = file.text("--fp8-recipe");
    const bool blocks = recipe == "blockwise" || recipe == "mxfp8" || recipe == "custom";
    return file.text("--fp8-format") == "e4m3" && !blocks
               ? hitsAt(file,
                        "--fp8-format",
                        "gradients in e4m3 with one scale a tensor",
                        "--fp8-format hybrid, or --fp8-recipe blockwise or mxfp8")
               : LintHits();
}

LintHits staleScales(const LintView& view) {
    const LintFile& file = view.file;
    const std::string recipe = file.text("--fp8-recipe");
    return file.has("--fp8-format") && (recipe.empty() || recipe == "delayed") &&
                   file.whole("--fp8-amax-history-len", 1) < 16
               ? hitsAt(file,
                        "--fp8-format",
                        "fp8 is scaled by the largest value of the last " +
                            std::to_string(file.whole("--fp8-amax-history-len", 1)) + " step(s)",
                        "--fp8-recipe tensorwise, or --fp8-amax-history-len 1024 "
                        "--fp8-amax-compute-algo max")
               : LintHits();
}

LintHits roundedEnds(const LintView& view) {
    return view.file.has("--fp4-format") && !view.file.has("--first-last-layers-bf16")
               ? hitsAt(view.file,
                        "--fp4-format",
                        "the first and last layers are computed in fp4 too",
                        "--first-last-layers-bf16")
               : LintHits();
}

LintHits roundedSums(const LintView& view) {
    constexpr std::int64_t kMany = 16;
    const std::optional<std::int64_t> ranks = megatronSizes(view).dataRanks();
    return view.file.has("--grad-reduce-in-bf16") && ranks.value_or(kMany) >= kMany
               ? hitsAt(view.file,
                        "--grad-reduce-in-bf16",
                        "gradients of " + (ranks ? std::to_string(*ranks) : "all") +
                            " data ranks are summed in bf16",
                        "leave it out, for 2 more bytes a parameter")
               : LintHits();
}

constexpr std::array kMegatronPrecisionRules = {
    LintRule{"MG20",
             LintSeverity::Error,
             "fp16 and bf16 together",
             "Megatron ends at the start.",
             &halvesOfMegatron},
    LintRule{"MG21",
             LintSeverity::Warning,
             "training in fp32",
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullMegatron,
             true},
    LintRule{"MG25",
             LintSeverity::Error,
             "an optimizer that is not aware of its precisions",
             "Megatron ends at the start.",
             &unawareOptimizer},
    LintRule{"MG40",
             LintSeverity::Error,
             "fp4 and fp8 together",
             "Megatron ends at the start.",
             &twoLowPrecisions},
    LintRule{"MG41",
             LintSeverity::Warning,
             "gradients in a narrow fp8",
             "e4m3 ends at 448: with one scale a tensor small gradients become zero.",
             &narrowGradients},
    LintRule{"MG42",
             LintSeverity::Warning,
             "fp8 with scales of the past",
             "A value that grows within a step overflows; losses diverged so.",
             &staleScales},
    LintRule{"MG43",
             LintSeverity::Warning,
             "fp4 in the first and last layers",
             "They are the most sensitive to rounding; the published recipes keep them in bf16.",
             &roundedEnds},
    LintRule{"MG44",
             LintSeverity::Warning,
             "gradients of many ranks summed in bf16",
             "Its 8 bits lose small gradients in a large sum: the loss may stop falling.",
             &roundedSums}};

}  // namespace

std::span<const LintRule> megatronPrecisionRules() {
    return kMegatronPrecisionRules;
}

}  // namespace fabricast
