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
               ? LintHits{{view.file.at("--fp16"), "--fp16 and --bf16 are both given", "--bf16"}}
               : LintHits{};
}

LintHits fullTrainer(const LintView& view) {
    const LintFile& file = view.file;
    if (file.isOn("--fp16") || file.isOn("--bf16") ||
        view.other(LaunchKind::Deepspeed) != nullptr ||
        !file.has("--per_device_train_batch_size")) {
        return {};
    }
    return {{file.at("--per_device_train_batch_size"),
             "neither --bf16 nor --fp16 is given",
             "--bf16 True"}};
}

LintHits clashingCheckpoints(const LintView& view) {
    const LintFile& file = view.file;
    return usesFsdp(file) && file.isOn("--gradient_checkpointing")
               ? LintHits{{file.at("--gradient_checkpointing"),
                           "--gradient_checkpointing under --fsdp",
                           "activation_checkpointing of --fsdp_config"}}
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
             "Products run at a sixteenth of the rate of bf16, or an eighth with TF32.",
             &fullTrainer},
    LintRule{"HF04",
             LintSeverity::Warning,
             "the model's checkpointing under FSDP",
             "Weights are gathered once more in the backward pass.",
             &clashingCheckpoints}};

}  // namespace

std::span<const LintRule> trainerRules() {
    return kTrainerRules;
}

}  // namespace fabricast
