#include "planner/base/checked.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/launch/made_model.h"
#include "planner/launch/sample_sizes.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string_view>

namespace fabricast {
namespace {

/// What scripts of the Hub's world call the length of a sample.
constexpr std::array kLengths = {
    "--max_length", "--max_seq_length", "--model_max_length", "--cutoff_len", "--block_size"};

Result<void> importLength(ScenarioDraft& draft) {
    constexpr std::int64_t kUsualOfTrl = 1024;
    LaunchKeys& keys = draft.keys();
    for (const char* const length : kLengths) {
        FABRICAST_TRY(draft.copyWhole("workload.sequence", length));
    }
    if (isTrl(keys)) {
        (void)keys.use(kPieceLength);  // it cuts all to max_length
    } else {
        importPieceLength(draft);
    }
    const LaunchKey* const other = keys.use(kOtherLength);
    if (other != nullptr && !isTrl(keys) && draft.find("workload.sequence") == nullptr) {
        askForTokenizedLength(draft, *other);
    }
    const bool isSaid =
        std::ranges::any_of(kLengths, [&keys](const char* length) { return keys.has(length); });
    if (isTrl(keys) && !isSaid) {
        draft.set("workload.sequence", kUsualOfTrl, "script");
        draft.assume("workload.sequence",
                     "max_length is 1024, as TRL has it where it is not given");
    }
    return {};
}

/// Without a type of its own a script has the launcher's: Accelerate's file said it already.
Result<void> importLaunchersPrecision(ScenarioDraft& draft, bool isSaid) {
    LaunchKeys& keys = draft.keys();
    constexpr const char* kTyped = "torchrun --mixed_precision";
    const std::string typed = keys.text(kTyped).value_or("");
    if (typed == "bf16" || typed == "fp16" || typed == "no") {
        draft.set("workload.precision", typed == "no" ? "fp32" : typed, kTyped);
    } else if (keys.has(kTyped)) {
        return keys.refuse(*keys.use(kTyped), "is not modelled here", "bf16, fp16 or no");
    } else if (!isSaid) {
        draft.set("workload.precision", "fp32", "script");
    }
    return {};
}

/// A launcher's file may wrap layers, whatever the script is told not to do.
void setCheckpoints(ScenarioDraft& draft, std::optional<bool> said, std::string_view from) {
    const bool isWrapped = draft.find("layout.recompute") != nullptr;
    if (said && (*said || !isWrapped)) {
        draft.set("layout.recompute", *said ? "full" : "none", from);
    }
}

}  // namespace

bool isLengthArgument(std::string_view argument) {
    return std::ranges::find(kLengths, argument) != std::end(kLengths);
}

Result<void> importSampleArguments(ScenarioDraft& draft) {
    for (const char* const length : kLengths) {
        FABRICAST_TRY(draft.copyWhole("workload.sequence", length));
    }
    FABRICAST_ASSIGN(const auto checkpoints, draft.keys().flag("--gradient_checkpointing"));
    setCheckpoints(draft, checkpoints, "--gradient_checkpointing");
    return {};
}

Result<void> importTrainerBatch(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    constexpr std::int64_t kUsualBatch = 8;  // of TrainingArguments
    FABRICAST_TRY(
        checkCounts(keys, {"--per_device_train_batch_size", "--gradient_accumulation_steps"}));
    FABRICAST_ASSIGN(const auto each, keys.whole("--per_device_train_batch_size"));
    FABRICAST_ASSIGN(const auto steps, keys.whole("--gradient_accumulation_steps"));
    const std::int64_t micro = each.value_or(kUsualBatch);
    draft.set("layout.micro_batch", micro, each ? "--per_device_train_batch_size" : "script");
    draft.set("workload.global_batch",
              std::to_string(saturatingProduct(micro, steps.value_or(1))) + " per rank",
              steps ? "--gradient_accumulation_steps" : "--per_device_train_batch_size");
    draft.copyLength("--max_steps", "steps");
    return importLength(draft);
}

Result<void> importTrainerPrecision(ScenarioDraft& draft, bool isSaid) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const asked = keys.use("--bf16");
    const bool isOfGpu = asked != nullptr && asked->values == std::vector<std::string>{kTypeOfGpu};
    std::optional<bool> bf16 = true;
    if (!isOfGpu) {
        FABRICAST_ASSIGN(bf16, keys.flag("--bf16"));
    }
    FABRICAST_ASSIGN(const auto fp16, keys.flag("--fp16"));
    const bool byTrl = isTrl(keys);
    if (fp16.value_or(false)) {
        draft.set("workload.precision", "fp16", "--fp16");
    } else if (!bf16.value_or(byTrl)) {
        FABRICAST_TRY(importLaunchersPrecision(draft, isSaid));
    } else {
        draft.set("workload.precision", isOfGpu ? "auto" : "bf16", bf16 ? "--bf16" : "script");
    }
    if (byTrl && !bf16 && !fp16.value_or(false)) {
        draft.assume("workload.precision",
                     "bf16: what TRL has from 0.19 on where neither bf16 nor fp16 is given");
    }
    FABRICAST_TRY(draft.copyFlag("settings.kernels.compile", "--torch_compile"));
    // The newer name wins in transformers (TrainingArguments.__post_init__).
    const char* const newer = "--activation_checkpointing";
    const char* const name = keys.has(newer) ? newer : "--gradient_checkpointing";
    FABRICAST_ASSIGN(const auto checkpoints, keys.flag(name));
    (void)keys.use("--gradient_checkpointing");
    setCheckpoints(draft, checkpoints, name);
    if (byTrl && !checkpoints) {
        draft.set("layout.recompute", "full", "script");
        draft.assume("layout.recompute",
                     "gradient_checkpointing: TRL has it on from 0.22 on where it is not given");
    }
    FABRICAST_TRY(importLigerArguments(draft));
    FABRICAST_TRY(importAttention(draft, "--attn_implementation", "sdpa"));
    return {};
}

}  // namespace fabricast
