#include "planner/lint/framework_files.h"

#include <algorithm>

namespace fabricast {
namespace {

LintHits bothHalves(const LintView& view) {
    const LintFile& file = view.file;
    if (!file.isOn("fp16.enabled") ||
        !(file.isOn("bf16.enabled") || file.isOn("bfloat16.enabled"))) {
        return {};
    }
    return {
        {file.at("fp16.enabled"), "fp16 and bf16 are both on", R"("fp16": {"enabled": false})"}};
}

LintHits summedGradients(const LintView& view) {
    if (zeroStage(view.file) != 3 || view.file.text("gradient_allreduce_op") != "sum") {
        return {};
    }
    return {{view.file.at("gradient_allreduce_op"),
             "gradient_allreduce_op is sum, and stage is 3",
             R"("gradient_allreduce_op": "mean")"}};
}

/// What DeepSpeed 0.19.8 ends at (deepspeed/runtime/config.py, _REMOVED_…_CONFIG_KEYS).
constexpr std::array<std::string_view, 14> kRemoved = {
    "nebula",
    "compression_training",
    "amp",
    "quantize_training",
    "sparse_gradients",
    "eigenvalue",
    "sparse_attention",
    "elasticity",
    "graph_harvesting",
    "curriculum_learning",
    "progressive_layer_drop",
    "zero_optimization.mics_shard_size",
    "zero_optimization.mics_hierarchical_params_gather",
    "zero_optimization.zeropp_loco_param"};

LintHits removedKeys(const LintView& view) {
    LintHits hits;
    for (const std::string_view path : kRemoved) {
        const auto& keys = view.file.keys().all();
        const auto found = std::ranges::find_if(keys, [path](const LaunchKey& key) {
            return key.path == path || key.path.starts_with(std::string(path) + ".");
        });
        if (found != keys.end()) {
            const bool shards = path.find("mics") != std::string_view::npos;
            hits.push_back({&*found,
                            std::string(path) + " was removed: 0.19.8 refuses it",
                            shards
                                ? "zero_hpz_partition_size, which keeps a second copy in the node"
                                : "leave it out"});
        }
    }
    return hits;
}

LintHits movedDefaults(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (!file.has("gradient_clipping")) {
        hits.push_back({nullptr,
                        "gradient_clipping is not said: 0 up to release 0.19.0, 1.0 in 0.19.8",
                        R"("gradient_clipping": 1.0)"});
    }
    for (const char* const what : {"offload_optimizer", "offload_param"}) {
        const std::string section = std::string("zero_optimization.") + what;
        if (zeroOffloads(file, what) && !file.has(section + ".pin_memory")) {
            hits.push_back(
                {file.at(section + ".device"),
                 std::string(what) +
                     ".pin_memory is not said: false up to release 0.19.0, true in 0.19.8",
                 R"("pin_memory": true)"});
        }
    }
    return hits;
}

LintHits halfAccumulation(const LintView& view) {
    const LintFile& file = view.file;
    constexpr std::int64_t kMany = 4;
    if (!file.isOn("bf16.enabled") || file.has("data_types.grad_accum_dtype") ||
        file.whole("gradient_accumulation_steps", 1) < kMany) {
        return {};
    }
    return {{file.at("gradient_accumulation_steps"),
             "gradients of " + file.text("gradient_accumulation_steps") +
                 " micro-batches are summed in bf16",
             R"("data_types": {"grad_accum_dtype": "fp32"})" +
                 std::string(zeroStage(file) == 0 ? R"(, "zero_optimization": {"stage": 1})" : "") +
                 ", for 2 more bytes a parameter"}};
}

LintHits fixedScale(const LintView& view) {
    if (!view.file.isOn("fp16.enabled") || view.file.number("fp16.loss_scale").value_or(0) <= 0) {
        return {};
    }
    return {{view.file.at("fp16.loss_scale"),
             "the loss of fp16 is scaled by a fixed number",
             R"("loss_scale": 0, which finds it as it runs)"}};
}

constexpr std::array kDeepSpeedRules = {
    LintRule{"DS01",
             LintSeverity::Error,
             "fp16 and bf16 are both on",
             "DeepSpeed ends at the start.",
             &bothHalves},
    LintRule{"DS08",
             LintSeverity::Error,
             "summed gradients at stage 3",
             "DeepSpeed ends at the start.",
             &summedGradients},
    LintRule{"DS10",
             LintSeverity::Error,
             "a key of a part that was removed",
             "DeepSpeed ends at the start.",
             &removedKeys},
    LintRule{"DS11",
             LintSeverity::Note,
             "a default that moved between releases",
             "The same file trains, or offloads, in another way after an update.",
             &movedDefaults},
    LintRule{"DS12",
             LintSeverity::Warning,
             "many gradients summed in bf16",
             "Its 8 bits lose small gradients in a large sum: the loss may stop falling.",
             &halfAccumulation},
    LintRule{"DS19",
             LintSeverity::Warning,
             "a fixed loss scale",
             "Gradients overflow as training goes on, and steps are lost or go wrong.",
             &fixedScale}};

}  // namespace

std::span<const LintRule> deepspeedRules() {
    return kDeepSpeedRules;
}

}  // namespace fabricast
