#include "planner/launch/import_trainers.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/trl.h"
#include "planner/lint/lint_rule.h"

#include <algorithm>

namespace fabricast {
namespace {

bool usesFsdp(const LintFile& file) {
    const std::string strategy = file.text("--fsdp");
    return file.has("--fsdp") && strategy != "false" && strategy != "False";
}

LintHits bothOfTrainer(const LintView& view) {
    return usesFsdp(view.file) && view.file.has("--deepspeed")
               ? LintHits{{view.file.at("--fsdp"),
                           "--fsdp and --deepspeed are both given",
                           "one of the two"}}
               : LintHits{};
}

LintHits halvesOfTrainer(const LintView& view) {
    return view.file.isOn("--fp16") && view.file.isOn("--bf16")
               ? LintHits{{view.file.at("--fp16"),
                           "--fp16 and --bf16 are both given",
                           "leave --fp16 out"}}
               : LintHits{};
}

LintHits fullTrainer(const LintView& view) {
    const LintFile& file = view.file;
    const bool isHalf = file.isOn("--fp16") || file.isOn("--bf16");
    const bool isOthers = hasTrlsDefaults(file.keys()) || trainsOnPreferences(file.keys());
    const bool byDefault = isOthers && !file.isOff("--bf16");  // TRL's is bf16
    const LintFile* const launcher = view.other(LaunchKind::Accelerate);
    const bool byLauncher = launcher != nullptr && launcher->has("mixed_precision") &&
                            launcher->text("mixed_precision") != "no";
    const bool isPure = file.text("--dtype") == "bfloat16";  // the weights themselves
    if (isHalf || byDefault || byLauncher || isPure ||
        view.other(LaunchKind::Deepspeed) != nullptr ||
        !file.has("--per_device_train_batch_size")) {
        return {};
    }
    return {{file.at("--per_device_train_batch_size"),
             "neither bf16 nor fp16 is on",
             typedIn(file, "bf16", "True")}};
}

LintHits wideBase(const LintView& view) {
    const LintFile& file = view.file;
    const std::string typed = file.has("--dtype") ? "--dtype" : "--torch_dtype";
    const std::string dtype = file.text(typed);
    const bool isWide = !file.has(typed) || dtype == "float32" || dtype == "null";
    const LintFile* const launcher = view.other(LaunchKind::Accelerate);
    const bool casts = view.other(LaunchKind::Deepspeed) != nullptr ||
                       (launcher != nullptr && launcher->text("distributed_type") == "DEEPSPEED");
    if (!hasTrlsDefaults(file.keys()) || !file.isOn("--use_peft") || file.isOn("--load_in_8bit") ||
        !isWide || casts) {
        return {};
    }
    const bool isProgram = !isTypedIn(file.keys());
    return {{file.has(typed) ? file.at(typed) : file.at("--use_peft"),
             file.isOn("--load_in_4bit")
                 ? "what 4 bits leave of the base is loaded in fp32, as TRL does without dtype"
                 : "adapters beside a base that is loaded in fp32, as TRL does without dtype",
             isProgram ? "model_init_kwargs={\"dtype\": \"bfloat16\"}"
                       : typedIn(file, "dtype", "bfloat16")}};
}

/// FSDP's own checkpointing, as Trainer's --fsdp_config has it.
bool checkpointsByFsdp(const LintFile& file) {
    return usesFsdp(file) && (file.isOn("--fsdp_config.activation_checkpointing") ||
                              file.isOn("--fsdp_config.fsdp_activation_checkpointing"));
}

LintHits clashingCheckpoints(const LintView& view) {
    const LintFile& file = view.file;
    return usesFsdp(file) && !checkpointsByFsdp(file) && file.isOn("--gradient_checkpointing")
               ? LintHits{{file.at("--gradient_checkpointing"),
                           "--gradient_checkpointing under --fsdp",
                           "activation_checkpointing of --fsdp_config"}}
               : LintHits{};
}

/// FSDP's own checkpointing, as Accelerate's file or Trainer's has it.
LintHits checkpointsTwice(const LintView& view) {
    const LintFile& file = view.file;
    const LintFile* const launcher = view.other(LaunchKind::Accelerate);
    const char* const path = "fsdp_config.fsdp_activation_checkpointing";
    const bool isSharded =
        launcher != nullptr && launcher->text("distributed_type") == "FSDP" && launcher->isOn(path);
    const bool isOwn = checkpointsByFsdp(file);
    if ((!isSharded && !isOwn) || !checkpointsByTrainer(file)) {
        return {};
    }
    const LaunchKey* const typed =
        file.at(file.has("--gradient_checkpointing") ? "--gradient_checkpointing"
                                                     : "--activation_checkpointing");
    const std::string what =
        typed == nullptr ? "TRL's gradient_checkpointing, which is on unasked," : typed->path;
    return {{typed,
             what + " beside " +
                 (isOwn ? "activation_checkpointing of --fsdp_config"
                        : "fsdp_activation_checkpointing of " + launcher->keys().source()),
             typedIn(file, "gradient_checkpointing", "False")}};
}

/// What load_best_model_at_end asks of the steps, with Trainer's defaults.
LintHits unsavedBest(const LintView& view) {
    const LintFile& file = view.file;
    const auto textOf = [&file](std::initializer_list<const char*> names, const char* usual) {
        for (const char* const name : names) {
            if (file.has(name)) {
                return file.text(name);
            }
        }
        return std::string(usual);
    };
    constexpr std::int64_t kUsualSteps = 500;
    const std::string saves = textOf({"--save_strategy"}, "steps");
    const std::string evaluates = textOf({"--eval_strategy", "--evaluation_strategy"}, "no");
    const char* const best = "--load_best_model_at_end";
    const bool isKnown = !saves.empty() && !evaluates.empty() && !saves.starts_with("$") &&
                         !evaluates.starts_with("$");
    if (!file.isOn(best) || saves == "best" || !isKnown) {
        return {};
    }
    if (saves != evaluates) {
        return {{file.at(best),
                 "load_best_model_at_end with save_strategy " + saves + " and eval_strategy " +
                     evaluates,
                 typedIn(file, "eval_strategy", saves)}};
    }
    const std::int64_t each =
        file.whole("--eval_steps", file.whole("--logging_steps", kUsualSteps));
    const std::int64_t save = file.whole("--save_steps", kUsualSteps);
    if (evaluates != "steps" || each <= 0 || save <= 0 || save % each == 0) {
        return {};
    }
    return {{file.at(best),
             "load_best_model_at_end with save_steps " + std::to_string(save) +
                 ", which is no multiple of eval_steps " + std::to_string(each),
             typedIn(file, "save_steps", std::to_string((save / each + 1) * each))}};
}

/// Logits of a whole evaluation, which a Trainer keeps for compute_metrics.
LintHits keptLogitsOfTrainer(const LintView& view) {
    const LintFile& file = view.file;
    const bool evaluates = (file.has("--eval_strategy") && file.text("--eval_strategy") != "no") ||
                           file.isOn("--do_eval");
    const bool moves = file.has("--eval_accumulation_steps") || file.isOn("--batch_eval_metrics") ||
                       file.isOn("--prediction_loss_only") ||
                       file.has("--preprocess_logits_for_metrics");
    return evaluates && file.has("--compute_metrics") && !moves
               ? LintHits{{file.at("--compute_metrics"),
                           "compute_metrics keeps the logits of all batches of an evaluation on "
                           "the GPU",
                           typedIn(file, "eval_accumulation_steps", "1") +
                               ", or preprocess_logits_for_metrics"}}
               : LintHits{};
}

/// GradScaler.unscale_ of torch, where nothing but Trainer scales the loss.
LintHits unscaledHalves(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = file.has("--dtype") ? "--dtype" : "--torch_dtype";
    const bool isOthers = usesFsdp(file) || file.has("--deepspeed") || file.isOn("--use_peft") ||
                          view.other(LaunchKind::Deepspeed) != nullptr ||
                          view.other(LaunchKind::Accelerate) != nullptr;
    return file.isOn("--fp16") && file.text(path) == "float16" && !isOthers
               ? LintHits{{file.at(path),
                           "weights that are loaded in float16, and --fp16",
                           typedIn(file, std::string(path).substr(2), "float32")}}
               : LintHits{};
}

constexpr std::array kTrainerRules = {
    LintRule{"HF01",
             LintSeverity::Error,
             "FSDP and DeepSpeed together",
             "TrainingArguments refuses it.",
             &bothOfTrainer},
    LintRule{"HF02",
             LintSeverity::Error,
             "fp16 and bf16 together",
             "TrainingArguments refuses it.",
             &halvesOfTrainer},
    LintRule{"HF03",
             LintSeverity::Warning,
             "training in fp32",
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullTrainer},
    LintRule{"HF04",
             LintSeverity::Warning,
             "the model's checkpointing under FSDP",
             "Weights are gathered once more in the backward pass.",
             &clashingCheckpoints},
    LintRule{"HF05",
             LintSeverity::Warning,
             "adapters on a base in fp32",
             "What is frozen in fp32 takes twice the memory, and is cast for every product.",
             &wideBase},
    LintRule{"HF06",
             LintSeverity::Warning,
             "logits of a whole evaluation",
             "Each sequence leaves vocabulary x length numbers: the first evaluation runs out of "
             "memory.",
             &keptLogitsOfTrainer},
    LintRule{"HF07",
             LintSeverity::Error,
             "activations that are checkpointed twice",
             "Trainer ends at the start: FSDP's checkpointing or its own, not both.",
             &checkpointsTwice},
    LintRule{"HF08",
             LintSeverity::Error,
             "a best model that is not saved when it is evaluated",
             "TrainingArguments refuses it.",
             &unsavedBest},
    LintRule{"HF09",
             LintSeverity::Error,
             "weights in fp16 under a scaled loss",
             "The first step ends with \"Attempting to unscale FP16 gradients\".",
             &unscaledHalves}};

}  // namespace

std::span<const LintRule> trainerRules() {
    return kTrainerRules;
}

}  // namespace fabricast
