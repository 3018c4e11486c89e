#include "planner/lint/framework_files.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Whether a script may make tensor or pipeline ranks of its own. Hugging Face's does not, and a
/// pipeline takes no gradients that are sharded (stage 2 and 3).
bool mayPutTogether(const LintView& view) {
    for (const LaunchKind kind :
         {LaunchKind::Trainer, LaunchKind::Accelerate, LaunchKind::Axolotl}) {
        if (view.other(kind) != nullptr) {
            return false;
        }
    }
    const LintFile* const script = view.other(LaunchKind::Script);
    const bool saysSo =
        script != nullptr && std::ranges::any_of(script->keys().all(), [](const LaunchKey& key) {
            return key.path.starts_with("--") && key.path.find("parallel") != std::string::npos;
        });
    return saysSo || zeroStage(view.file) < 2 || view.file.keys().has("pipeline");
}

/// Ranks that get the same samples; nothing where it may be any number.
std::optional<std::int64_t> ranksTogether(const LintView& view) {
    if (mayPutTogether(view)) {
        return std::nullopt;
    }
    return std::max<std::int64_t>(1, view.file.whole("tensor_parallel.autotp_size", 1)) *
           std::max<std::int64_t>(1, view.file.whole("sequence_parallel_size", 1));
}

bool multiplies(std::int64_t all, std::int64_t round, bool saysSteps, const LintView& view) {
    if (view.facts.dataRanks && saysSteps) {
        return all == round * *view.facts.dataRanks;
    }
    const std::int64_t gpus = view.gpus().value_or(0);
    if (all % round != 0 || gpus == 0) {
        return all % round == 0;
    }
    const std::int64_t ranks = all / round;  // times the steps, where these are not said
    const std::optional<std::int64_t> together = ranksTogether(view);
    if (!together) {
        return !saysSteps || gpus % ranks == 0;
    }
    return saysSteps ? ranks * *together == gpus : ranks * *together % gpus == 0;
}

LintHits unequalBatch(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t all = file.whole("train_batch_size", 0);
    const std::int64_t each = file.whole("train_micro_batch_size_per_gpu", 0);
    const std::int64_t steps = file.whole("gradient_accumulation_steps", 0);
    const std::int64_t gpus = view.gpus().value_or(0);
    if (all <= 0 || each <= 0) {
        return {};
    }
    const std::int64_t round = each * std::max<std::int64_t>(1, steps);
    if (multiplies(all, round, steps > 0, view)) {
        return {};
    }
    return {{file.at("train_batch_size"),
             "train_batch_size " + std::to_string(all) + " is not " + std::to_string(each) +
                 " a micro-batch" + (steps > 0 ? " x " + std::to_string(steps) + " steps" : "") +
                 (gpus == 0 ? " x the ranks" : " x " + std::to_string(gpus) + " ranks"),
             "leave one of the three out: DeepSpeed works it out"}};
}

LintHits unseenSequence(const LintView& view) {
    const bool isNamed = view.other(LaunchKind::Script) != nullptr;
    return view.file.whole("sequence_parallel_size", 1) > 1 && isNamed
               ? LintHits{{view.file.at("sequence_parallel_size"),
                           "sequence_parallel_size in a file that is handed over by its name",
                           "deepspeed.initialize(config=json.load(file)), or mpu"}}
               : LintHits{};
}

LintHits noBatch(const LintView& view) {
    const LintFile& file = view.file;
    if (file.has("train_batch_size") || file.has("train_micro_batch_size_per_gpu") ||
        view.files.size() > 1) {
        return {};
    }
    return {{nullptr,
             "neither train_batch_size nor train_micro_batch_size_per_gpu is there",
             R"("train_micro_batch_size_per_gpu": 1)"}};
}

LintHits autoByItself(const LintView& view) {
    const bool isFilled = view.other(LaunchKind::Accelerate) != nullptr ||
                          view.other(LaunchKind::Axolotl) != nullptr ||
                          view.other(LaunchKind::Trainer) != nullptr;
    for (const LaunchKey& key : view.file.keys().all()) {
        if (!isFilled && key.path.find('.') == std::string::npos && key.values.size() == 1 &&
            key.values.front() == "auto") {
            return {{&key,
                     key.path +
                         R"( is "auto", which only Hugging Face's Trainer and Accelerate fill in)",
                     "the number itself, where deepspeed.initialize reads the file"}};
        }
    }
    return {};
}

LintHits unsupportedMix(const LintView& view) {
    const std::string type = view.file.text("data_types.grad_accum_dtype");
    if (zeroStage(view.file) != 0 || !view.file.isOn("bf16.enabled") || type != "fp32") {
        return {};
    }
    return {{view.file.at("data_types.grad_accum_dtype"),
             "bf16 with gradients in fp32 at stage 0",
             R"("zero_optimization": {"stage": 1})"}};
}

/// Presets of AutoEP in 0.19.8 (deepspeed/module_inject/auto_ep_presets).
constexpr std::array<std::string_view, 6> kAutoEpPresets = {
    "mixtral", "qwen3_moe", "qwen3_5_moe", "deepseek_v2", "deepseek_v3", "minimax_m3"};

/// A key of expert_parallel that AutoEP does not take.
void refuseKey(LintHits& hits,
               const LintView& view,
               bool refused,
               const std::string& path,
               const char* problem,
               const char* fix) {
    if (refused) {
        hits.push_back({view.file.at(path), problem, fix});
    }
}

/// validate_autoep_config and _validate_zero3_moe_compatibility.
LintHits refusedByExperts(const LintView& view) {
    const LintFile& file = view.file;
    LintHits hits;
    if (!file.isOn("expert_parallel.enabled")) {
        return hits;
    }
    const std::string section = "expert_parallel.";
    const std::string zero = "zero_optimization.";
    const std::string preset = file.text(section + "preset_model");
    const std::string balance = file.text(section + "load_balance_coeff");
    const std::int64_t size = file.whole(section + "autoep_size", 1);
    const std::int64_t tensor = file.whole("tensor_parallel.autotp_size", 1);
    const bool third = zeroStage(file) == 3;
    const auto refuse = [&](bool refused, const std::string& path, const char* problem, auto fix) {
        refuseKey(hits, view, refused, path, problem, fix);
    };
    refuse(!preset.empty() && std::ranges::find(kAutoEpPresets, preset) == kAutoEpPresets.end(),
           section + "preset_model",
           "preset_model is none that AutoEP has",
           "mixtral, qwen3_moe (qwen2_moe too), qwen3_5_moe, deepseek_v2, deepseek_v3 or "
           "minimax_m3");
    refuse(!balance.empty() && balance != "null",
           section + "load_balance_coeff",
           "load_balance_coeff is not taken yet",
           "leave it out");
    refuse(file.whole(section + "expert_tensor_parallel_size", 1) != 1,
           section + "expert_tensor_parallel_size",
           "tensor parallelism inside an expert is not there yet",
           R"("expert_tensor_parallel_size": 1)");
    refuse(file.text(section + "comm_backend") == "deepep" &&
               file.whole(section + "comm_max_tokens_per_rank", 0) < 1,
           section + "comm_backend",
           "DeepEP's buffer needs comm_max_tokens_per_rank",
           R"("comm_max_tokens_per_rank": micro-batch x sequence)");
    refuse(tensor > 1 && size == 1,
           "tensor_parallel.autotp_size",
           "AutoTP around experts that are not distributed",
           R"("autoep_size": 2, or more)");
    refuse(third && file.whole("sequence_parallel_size", 1) > 1,
           "sequence_parallel_size",
           "AutoEP at stage 3 has no sequence parallelism yet",
           R"("stage": 2)");
    refuse(third && file.isOn(zero + "zero_quantized_gradients"),
           zero + "zero_quantized_gradients",
           "AutoEP at stage 3 has no quantised gradients yet",
           "leave them out");
    refuse(third && file.whole(zero + "zero_hpz_partition_size", 1) > 1,
           zero + "zero_hpz_partition_size",
           "AutoEP at stage 3 has no second copy in the node yet",
           "leave it out");
    for (const char* const key : {"contiguous_gradients", "reduce_scatter"}) {
        refuse((zeroStage(file) == 1 || zeroStage(file) == 2) && file.isOff(zero + key),
               zero + key,
               "stages 1 and 2 with experts need it",
               "leave it on");
    }
    const std::int64_t gpus = view.gpus().value_or(0);
    refuse(size > 0 && gpus % size != 0,
           section + "autoep_size",
           "the ranks are not a multiple of autoep_size",
           "a divisor of the ranks, and of the experts");
    return hits;
}

/// _configure_tensor_parallel_states up to release 0.19.3.
LintHits tensorRanksAtStage3(const LintView& view) {
    const char* const path = "tensor_parallel.autotp_size";
    return zeroStage(view.file) == 3 && view.file.whole(path, 1) > 1
               ? LintHits{{view.file.at(path),
                           "autotp_size is " + view.file.text(path) +
                               ", and stage is 3: up to release 0.19.3 it trains below stage 3 "
                               "alone",
                           R"(pip install "deepspeed>=0.19.4", or "stage": 2)"}}
               : LintHits{};
}

/// PipelineEngine, whose stages AutoTP's mesh of ranks does not know.
LintHits tensorRanksOfStages(const LintView& view) {
    const char* const path = "tensor_parallel.autotp_size";
    const LintFile* const script = view.other(LaunchKind::Script);
    const bool hasStages =
        (script != nullptr && script->whole("--pipeline-parallel-size", 1) > 1) ||
        view.file.whole("pipeline.stages", 1) > 1;
    return hasStages && view.file.whole(path, 1) > 1
               ? LintHits{{view.file.at(path),
                           "autotp_size is " + view.file.text(path) +
                               " in a pipeline, whose stages it counts as data parallel",
                           "\"autotp_size\": 1, or no pipeline"}}
               : LintHits{};
}

constexpr std::array kDeepSpeedRankRules = {
    LintRule{"DS02",
             LintSeverity::Error,
             "batch sizes that do not multiply",
             "DeepSpeed ends at the start: train_batch_size is micro-batch x steps x ranks.",
             &unequalBatch},
    LintRule{
        "DS03", LintSeverity::Error, "no batch size", "DeepSpeed ends at the start.", &noBatch},
    LintRule{"DS04",
             LintSeverity::Warning,
             R"("auto" where nobody fills it in)",
             "DeepSpeed itself ends with a TypeError.",
             &autoByItself},
    LintRule{"DS20",
             LintSeverity::Error,
             "gradients in fp32 at stage 0",
             R"(The engine ends with "unsupported mix".)",
             &unsupportedMix},
    LintRule{"DS22",
             LintSeverity::Warning,
             "a sequence size that is not seen",
             "DeepSpeed reads it from a dictionary alone: the batch counts every rank.",
             &unseenSequence},
    LintRule{"DS23",
             LintSeverity::Error,
             "what AutoEP does not take",
             "deepspeed.initialize ends with the reason.",
             &refusedByExperts},
    LintRule{"DS24",
             LintSeverity::Note,
             "tensor parallelism at stage 3",
             "Older releases end at the start: \"the compatibility between 'autotp' and "
             "'zero_stage = 3' has not been validated\".",
             &tensorRanksAtStage3},
    LintRule{"DS25",
             LintSeverity::Error,
             "AutoTP in a pipeline",
             "PipelineEngine ends at the start: dp_world_size is not grid.data_parallel_size.",
             &tensorRanksOfStages}};

}  // namespace

std::span<const LintRule> deepspeedRankRules() {
    return kDeepSpeedRankRules;
}

}  // namespace fabricast
