#include "planner/base/checked.h"
#include "planner/base/integers.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/sample_sizes.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr const char* kEvaluationKey = "settings.phases.evaluation_batch";
constexpr const char* kKeptKey = "settings.phases.kept_logits";
constexpr const char* kMoves = "--eval_accumulation_steps";
constexpr const char* kMetrics = "--compute_metrics";  // of a program's Trainer, not an argument

std::string saidIn(const JsonValue& scenario, std::string_view path) {
    const JsonValue* value = &scenario;
    while (value != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
    }
    return value == nullptr ? "" : value->shown();
}

/// What of the draft an evaluation is not modelled with; empty: nothing. Of Liger's fused loss
/// `makesLogits` says whether the model is asked for logits too.
std::string unmodelledWith(const JsonValue& scenario, bool makesLogits) {
    for (const char* const axis : {"tp", "pp", "cp"}) {
        const std::string ranks = saidIn(scenario, std::string("layout.") + axis);
        if (!ranks.empty() && ranks != "1") {
            return axis;
        }
    }
    const std::string loss = saidIn(scenario, "settings.kernels.loss");
    if ((loss == "\"liger\"" && !makesLogits) || loss == "\"chunked\"") {
        return "a loss that is fused with the head";
    }
    return saidIn(scenario, "layout.offload") == "\"activations\"" ? "activations on the host" : "";
}

/// Whether it is there and does not say no.
bool saysYes(LaunchKeys& keys, std::string_view path) {
    const LaunchKey* const key = keys.use(path);
    return key != nullptr && (key->values.empty() || asSwitch(key->values.front()).value_or(false));
}

bool isWorkedOut(LaunchKeys& keys, const std::string& path) {
    return keys.text(path).value_or("").starts_with("$");
}

/// Sets how much is evaluated at once, unless that is not known or not modelled.
Result<bool> setEvaluation(ScenarioDraft& draft,
                           const std::string& from,
                           const std::string& batch,
                           std::int64_t usual,
                           bool makesLogits) {
    LaunchKeys& keys = draft.keys();
    for (const std::string& path : {from, batch}) {
        if (isWorkedOut(keys, path)) {
            draft.assume(kEvaluationKey,
                         "the evaluation is not looked at: " + path +
                             " is worked out when the run starts (--set " + kEvaluationKey + "=8)");
            return false;
        }
    }
    FABRICAST_ASSIGN(const auto each, keys.whole(batch));
    if (const std::string with = unmodelledWith(draft.scenario(), makesLogits); !with.empty()) {
        draft.note("the evaluation (" + from + ") is not looked at: it is not modelled with " +
                   with);
        return false;
    }
    draft.set(kEvaluationKey, each.value_or(usual), each ? batch : from);
    return true;
}

/// The argument that makes a Trainer evaluate; empty where none does.
std::string evaluatingArgument(LaunchKeys& keys) {
    for (const char* const path : {"--eval_strategy", "--evaluation_strategy"}) {
        if (const auto said = keys.text(path); said && *said != "no") {
            return path;
        }
    }
    return saysYes(keys, "--do_eval") ? "--do_eval" : "";
}

/// Whether it is not known, or known not to be, that logits stay on the GPU.
bool keepsNoLogits(LaunchKeys& keys) {
    const bool isProgram = keys.text("script") == keys.source();
    const bool measures = keys.use(kMetrics) != nullptr;
    return saysYes(keys, "--prediction_loss_only") || (isProgram && !measures) ||
           keys.use("--preprocess_logits_for_metrics") != nullptr || isWorkedOut(keys, kMoves);
}

/// How many batches an evaluation has whose data are split from the training's: of a count of
/// samples, where the ranks that share them are known.
std::optional<std::int64_t> splitBatches(const ScenarioDraft& draft, const LaunchKey& size) {
    const std::string said = size.values.size() == 1 ? size.values.front() : "";
    const bool isCount = !said.empty() && said.size() < 10 &&
                         said.find_first_not_of("0123456789") == std::string::npos;
    const JsonValue* const ranks = draft.find("layout.dp");
    const JsonValue* const batch = draft.find(kEvaluationKey);
    if (!isCount || ranks == nullptr || batch == nullptr) {
        return std::nullopt;
    }
    const std::int64_t together =
        saturatingProduct(ranks->integer({}).value_or(1), batch->integer({}).value_or(1));
    return ceilDivide(std::stoll(said), std::max<std::int64_t>(1, together));
}

/// Whose logits stay on the GPU: those of a Trainer with metrics, until they are moved.
Result<void> importKeptLogits(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const bool measures = keys.use(kMetrics) != nullptr;
    if (keepsNoLogits(keys)) {
        return {};
    }
    FABRICAST_ASSIGN(const auto moves, keys.whole(kMoves));
    if (measures && saysYes(keys, "--batch_eval_metrics")) {
        draft.set(kKeptKey, std::int64_t{1}, "--batch_eval_metrics");
    } else if (measures && moves) {
        draft.set(kKeptKey, *moves, kMoves);
    } else if (const LaunchKey* const size = keys.use(kSplitSize); measures && size != nullptr) {
        const auto batches = splitBatches(draft, *size);
        if (batches) {
            draft.set(kKeptKey, *batches, kSplitSize);
        } else {
            draft.leaveOpen(
                kKeptKey,
                *size,
                "test_size: compute_metrics keeps the logits of all batches of the evaluation on "
                "the GPU, and how many it has is not known",
                std::string("eval_accumulation_steps=4 in TrainingArguments, or --set ") +
                    kKeptKey + "=100, or as many batches as a GPU evaluates");
        }
    } else if (measures) {
        // As many as a small validation set has: to count none would call any evaluation a fit.
        constexpr std::int64_t kFewBatches = 4;
        draft.set(kKeptKey, kFewBatches, kMetrics);
        draft.assume(
            kKeptKey,
            std::string("compute_metrics without eval_accumulation_steps keeps the logits of ") +
                "all of an evaluation's batches on the GPU: " + std::to_string(kFewBatches) +
                " are counted, --set " + kKeptKey + "=… says how many it has");
    } else if (moves) {
        draft.assume(
            kKeptKey,
            std::string(kMoves) + ": a script with compute_metrics keeps the logits of as many " +
                "batches on the GPU (--set " + kKeptKey + "=" + std::to_string(*moves) + ")");
    }
    return {};
}

}  // namespace

Result<void> importTrainerEvaluation(ScenarioDraft& draft) {
    constexpr std::int64_t kUsualBatch = 8;  // of TrainingArguments
    const std::string from = evaluatingArgument(draft.keys());
    (void)draft.keys().use(kSplitSize);
    if (from.empty()) {
        return {};
    }
    LaunchKeys& keys = draft.keys();
    const bool keeps = keys.use(kMetrics) != nullptr && !keepsNoLogits(keys);
    FABRICAST_ASSIGN(
        const bool isSet,
        setEvaluation(draft, from, "--per_device_eval_batch_size", kUsualBatch, keeps));
    return isSet ? importKeptLogits(draft) : Result<void>();
}

void importLoopEvaluation(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    if (const LaunchKey* const graph = keys.use(kEvaluationGraph)) {
        draft.leaveOpen(kEvaluationKey,
                        *graph,
                        "the model is evaluated without torch.no_grad(), and keeps its activations",
                        std::string("with torch.no_grad(): around it, or --set ") + kEvaluationKey +
                            "=8, or as many samples as a batch of it has, to forecast it so");
        return;
    }
    const auto loaded = loadedBatch(keys, true);
    const JsonValue* const micro = draft.find("layout.micro_batch");
    const std::int64_t trained = micro == nullptr ? 0 : micro->integer({}).value_or(0);
    if (!loaded || (loaded->samples && *loaded->samples <= trained)) {
        return;  // no more than a step takes
    }
    if (!loaded->samples) {
        draft.leaveOpen(kEvaluationKey,
                        loaded->at,
                        "DataLoader: how many samples a batch of the evaluation has is worked out "
                        "when the program runs",
                        std::string("--set ") + kEvaluationKey + "=8, or as many as it is");
    } else if (const std::string with = unmodelledWith(draft.scenario(), true); !with.empty()) {
        draft.leaveOpen(kEvaluationKey,
                        loaded->at,
                        "DataLoader: an evaluation of larger batches than the training's is not "
                        "modelled with " +
                            with,
                        std::string("batches of the training's size, or --set ") + kEvaluationKey +
                            "=0, to forecast the run without");
    } else {
        draft.set(kEvaluationKey, *loaded->samples, loaded->at.path);
    }
}

/// Where nobody says it, a batch is a micro-batch (normalize_config).
Result<void> importAxolotlEvaluation(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    // How large a share is and how often it is looked at are no part of a plan.
    const auto saidOr = [&keys](const char* path, const char* usual) {
        const LaunchKey* const key = keys.find(path);
        const bool says =
            key != nullptr && key->values.size() == 1 && key->values.front() != "null";
        return says ? key->values.front() : std::string(usual);
    };
    const std::string share = saidOr("val_set_size", "0");
    const bool hasData =
        keys.has("test_datasets") || share.find_first_not_of("0.") != std::string::npos;
    std::string from;
    for (const char* const path : {"eval_strategy", "evals_per_epoch", "eval_steps"}) {
        const std::string said = saidOr(path, "no");
        from = said != "no" && said != "0" ? path : from;
    }
    if (!hasData) {
        return {};
    }
    FABRICAST_ASSIGN(const auto micro, keys.whole("micro_batch_size"));
    if (from.empty()) {
        FABRICAST_ASSIGN(const auto each, keys.whole("eval_batch_size"));
        if (!keys.has("eval_strategy")) {
            draft.assume(kEvaluationKey,
                         std::string("no evaluation is counted, as nothing says when: releases of "
                                     "Axolotl until 2025 evaluate after each epoch then (--set ") +
                             kEvaluationKey + "=" +
                             std::to_string(each.value_or(micro.value_or(1))) + ")");
        }
        return {};
    }
    // Its plugin for Liger patches the model and does not tell the Trainer, which would ask for the
    // loss alone.
    FABRICAST_ASSIGN([[maybe_unused]] const bool isSet,
                     setEvaluation(draft, from, "eval_batch_size", micro.value_or(1), true));
    return {};
}

/// [validation] of torchtitan 0.2.2 has a batch and a length of its own; later ones have
/// training's. One that holds no more tokens than a micro-batch takes no more than the steps do.
Result<void> importTitanValidation(ScenarioDraft& draft) {
    constexpr std::int64_t kUsualBatch = 8;
    constexpr std::int64_t kUsualLength = 2048;
    const std::string from = "validation.local_batch_size";
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto isOn, keys.flag("validation.enable"));
    if (!isOn.value_or(false) || !keys.has("model.flavor")) {
        return {};
    }
    FABRICAST_ASSIGN(const auto batch, keys.whole(from));
    FABRICAST_ASSIGN(const auto length, keys.whole("validation.seq_len"));
    FABRICAST_ASSIGN(const auto trainedBatch, keys.whole("training.local_batch_size"));
    FABRICAST_ASSIGN(const auto trainedLength, keys.whole("training.seq_len"));
    const std::int64_t sequence = std::max<std::int64_t>(1, trainedLength.value_or(kUsualLength));
    const std::int64_t tokens =
        saturatingProduct(batch.value_or(kUsualBatch), length.value_or(kUsualLength));
    const std::int64_t evaluated = ceilDivide(tokens, sequence);
    if (evaluated <= trainedBatch.value_or(kUsualBatch)) {
        return {};
    }
    draft.set(kEvaluationKey, evaluated, batch ? from : "validation.enable");
    if (length.value_or(kUsualLength) != sequence) {
        draft.assume(kEvaluationKey,
                     "a batch of the validation, " + std::to_string(tokens) +
                         " tokens, is counted as " + std::to_string(evaluated) + " sequences of " +
                         std::to_string(sequence));
    }
    return {};
}

void noteFullCheckpoint(ScenarioDraft& draft, std::string_view from) {
    draft.note(std::string(from) +
               ": the gathering of whole weights for a checkpoint is not looked at (--set "
               "settings.phases.checkpoint=full_cpu under FSDP)");
}

}  // namespace fabricast
