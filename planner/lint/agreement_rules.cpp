#include "planner/base/slipped_name.h"
#include "planner/launch/hugging_face.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/trl.h"
#include "planner/lint/lint_rule.h"

#include <array>
#include <optional>

namespace fabricast {
namespace {

/// "bf16", "fp16" or "fp32", where a file says one; empty where it leaves it to others.
struct SaidPrecision {
    std::string name;
    const LaunchKey* at = nullptr;  ///< null: by what it does not say
};

bool leavesPrecision(const LintFile& file) {
    return file.text("bf16.enabled") == "auto" || file.text("fp16.enabled") == "auto";
}

SaidPrecision precisionOf(const LintFile& file) {
    if (file.kind() == LaunchKind::Deepspeed) {
        for (const char* const name : {"bf16", "fp16"}) {
            const std::string path = std::string(name) + ".enabled";
            if (file.isOn(path)) {
                return {name, file.at(path)};
            }
        }
        const bool isOff = file.isOff("bf16.enabled") && !leavesPrecision(file);
        return isOff ? SaidPrecision{"fp32", file.at("bf16.enabled")} : SaidPrecision{};
    }
    if (file.kind() == LaunchKind::Accelerate) {
        const LaunchKey* const key = file.at("mixed_precision");
        if (key == nullptr || key->values.size() != 1) {
            return {};
        }
        return {key->values.front() == "no" ? "fp32" : key->values.front(), key};
    }
    const std::string dashes = file.kind() == LaunchKind::Trainer ? "--" : "";
    for (const std::string name : {"bf16", "fp16"}) {
        for (const std::string& path : {dashes + name, dashes + name + "_full_eval"}) {
            if (file.isOn(path)) {  // the Trainer counts either
                return {name, file.at(path)};
            }
        }
    }
    const bool isTrainer = file.kind() == LaunchKind::Trainer;
    if (isTrainer && hasTrlsDefaults(file.keys()) && !file.isOff("--bf16")) {
        return {"bf16", file.at("script")};
    }
    if (isTrainer && trainsOnPreferences(file.keys())) {
        return {};  // most probably of TRL
    }
    // TrainingArguments have both off unless they are said; Axolotl chooses by the GPU.
    return isTrainer ? SaidPrecision{"fp32", file.at("--bf16")} : SaidPrecision{};
}

/// Where it is said, or that nothing is.
std::string placeOf(const SaidPrecision& precision, const LintFile& file) {
    return precision.at == nullptr ? file.keys().source() + ", which has neither --bf16 nor --fp16"
                                   : file.keys().where(*precision.at);
}

/// Pairs of a file and one that was named before it.
template <typename Look>
LintHits besideEarlier(const LintView& view, const Look& look) {
    LintHits hits;
    for (const LintFile& earlier : view.files) {
        if (&earlier == &view.file) {
            break;
        }
        look(earlier, hits);
    }
    return hits;
}

/// A Trainer with neither on takes what the launcher's environment says.
bool takesLaunchers(const LintFile& file, const LintFile& launcher) {
    return launcher.kind() == LaunchKind::Accelerate && file.kind() == LaunchKind::Trainer &&
           precisionOf(file).name == "fp32";
}

LintHits twoPrecisions(const LintView& view) {
    return besideEarlier(view, [&view](const LintFile& earlier, LintHits& hits) {
        if (takesLaunchers(earlier, view.file) || takesLaunchers(view.file, earlier)) {
            return;
        }
        const SaidPrecision before = precisionOf(earlier);
        const SaidPrecision here = precisionOf(view.file);
        if (!before.name.empty() && !here.name.empty() && before.name != here.name) {
            hits.push_back({here.at,
                            here.name + " here, " + before.name + " in " + placeOf(before, earlier),
                            "the same in both"});
        }
    });
}

/// What the same number is called in a file.
struct SharedNumber {
    std::string_view accelerate;
    std::string_view axolotl;
    std::string_view trainer;
    std::string_view deepspeed;
    std::optional<double> trainersOwn{};  ///< TrainingArguments' where it is not given
};
constexpr std::array kShared = {
    SharedNumber{"deepspeed_config.gradient_accumulation_steps",
                 "gradient_accumulation_steps",
                 "--gradient_accumulation_steps",
                 "gradient_accumulation_steps",
                 1.0},
    SharedNumber{"",
                 "micro_batch_size",
                 "--per_device_train_batch_size",
                 "train_micro_batch_size_per_gpu",
                 8.0},
    SharedNumber{"deepspeed_config.gradient_clipping",
                 "max_grad_norm",
                 "--max_grad_norm",
                 "gradient_clipping",
                 1.0},
    SharedNumber{"", "learning_rate", "--learning_rate", "optimizer.params.lr", 5e-5},
    SharedNumber{"", "weight_decay", "--weight_decay", "optimizer.params.weight_decay", 0.0},
    SharedNumber{"deepspeed_config.zero_stage", "", "", "zero_optimization.stage"}};

std::string_view nameIn(const SharedNumber& number, LaunchKind kind) {
    switch (kind) {
        case LaunchKind::Accelerate:
            return number.accelerate;
        case LaunchKind::Axolotl:
            return number.axolotl;
        case LaunchKind::Trainer:
            return number.trainer;
        case LaunchKind::Deepspeed:
            return number.deepspeed;
        case LaunchKind::Megatron:
        case LaunchKind::Titan:
        case LaunchKind::Torch:
        case LaunchKind::Tune:
        case LaunchKind::Script:
            break;
    }
    return "";
}

/// What a Trainer has where its command line does not say a number that DeepSpeed's file has: it
/// compares them all, and ends with a mismatch. TRL's trainers have defaults of their own, and a
/// program may say it where it is not read.
LintHits unsaidNumbers(const LintView& view) {
    LintHits hits;
    const LintFile& config = view.file;
    for (const LintFile& earlier : view.files) {
        const std::string& source = earlier.keys().source();
        const bool isLine = earlier.kind() == LaunchKind::Trainer && !source.ends_with(".py") &&
                            earlier.has("--deepspeed") && earlier.has("--output_dir") &&
                            !hasTrlsDefaults(earlier.keys()) &&
                            !trainsOnPreferences(earlier.keys());
        if (config.kind() != LaunchKind::Deepspeed || !isLine) {
            continue;
        }
        for (const SharedNumber& one : kShared) {
            const auto said = config.number(one.deepspeed);
            if (!said || !one.trainersOwn || earlier.has(one.trainer) ||
                *said == *one.trainersOwn) {
                continue;
            }
            hits.push_back({config.at(one.deepspeed),
                            std::string(one.deepspeed) + " is " + config.text(one.deepspeed) +
                                ", and without " + std::string(one.trainer) + " the Trainer of " +
                                source + " has another value",
                            std::string(one.trainer) + " " + config.text(one.deepspeed) +
                                R"( there, or "auto" here)"});
        }
    }
    return hits;
}

LintHits twoNumbers(const LintView& view) {
    LintHits all = besideEarlier(view, [&view](const LintFile& earlier, LintHits& hits) {
        for (const SharedNumber& one : kShared) {
            const std::string_view there = nameIn(one, earlier.kind());
            const std::string_view here = nameIn(one, view.file.kind());
            const auto before = earlier.number(there);
            const auto now = view.file.number(here);
            if (before && now && *before != *now) {
                hits.push_back({view.file.at(here),
                                std::string(here) + " is " + view.file.text(here) + ", " +
                                    std::string(there) + " is " + earlier.text(there) + " in " +
                                    earlier.keys().where(*earlier.at(there)),
                                R"(the same in both, or "auto" here)"});
            }
        }
    });
    const LintHits unsaid = unsaidNumbers(view);
    all.insert(all.end(), unsaid.begin(), unsaid.end());
    return all;
}

/// Trainer makes no optimizer where DeepSpeed's file has one (deepspeed_optim_sched of
/// integrations/deepspeed.py). AdamW of either is AdamW.
LintHits idleOptimizer(const LintView& view) {
    const LintFile& config = view.file;
    const std::string type = config.text("optimizer.type");
    LintHits hits;
    if (config.kind() != LaunchKind::Deepspeed || type.empty()) {
        return hits;
    }
    for (const LintFile& other : view.files) {
        const char* const name = other.kind() == LaunchKind::Axolotl ? "optimizer" : "--optim";
        const std::string optimizer = other.text(name);
        const bool isSame = optimizer.empty() || optimizer == "adamw_torch" ||
                            optimizer == "adamw_torch_fused" || optimizer.starts_with("$");
        if (!isSame && &other != &config) {
            hits.push_back({config.at("optimizer.type"),
                            "optimizer is " + type + ", and " + optimizer + " of " +
                                other.keys().where(*other.at(name)) + " is not used",
                            std::string("leave it out, or ") + name + " there"});
        }
    }
    return hits;
}

/// Classes of layers, as the keys of each framework name them.
LintHits otherLayers(const LintView& view) {
    constexpr std::array<std::string_view, 6> kPaths = {
        "fsdp_config.fsdp_transformer_layer_cls_to_wrap",
        "fsdp_config.transformer_layer_cls_to_wrap",
        "--fsdp_config.transformer_layer_cls_to_wrap",
        "--fsdp_config.fsdp_transformer_layer_cls_to_wrap",
        "--fsdp_transformer_layer_cls_to_wrap",
        "torchrun --fsdp_transformer_layer_cls_to_wrap"};
    const std::string& own = view.facts.layerClass;
    LintHits hits;
    for (const std::string_view path : kPaths) {
        const LaunchKey* const key = view.file.at(path);
        for (const std::string& one :
             key == nullptr || own.empty() ? std::vector<std::string>() : key->values) {
            const bool isSlip = !isBlockClass(one) && !slippedName(one, std::array{own}).empty();
            if (one != own && (isBlockClass(one) || isSlip)) {
                hits.push_back(
                    {key,
                     one + (isSlip ? " is no class" : " is of another model") +
                         ": the layers of this one are " + own,
                     std::string(path.substr(path.rfind('.') + 1)) +
                         (path.find("--") == 0 && path.find('.') == path.npos ? " " : ": ") + own});
            }
        }
    }
    return hits;
}

/// bf16, Ampere's tensor cores, and the kernels of FlashAttention came together.
constexpr std::int64_t kAmpere = 80;

bool isBeforeAmpere(const LintView& view) {
    return view.facts.capability.value_or(kAmpere) < kAmpere;
}

std::string capabilityOf(const LintView& view) {
    constexpr std::int64_t kMinors = 10;
    const std::int64_t capability = *view.facts.capability;
    return "a GPU of compute capability " + std::to_string(capability / kMinors) + "." +
           std::to_string(capability % kMinors);
}

/// Of every framework; torchtitan's default too is not looked at, as only what is written is.
SaidPrecision anyPrecisionOf(const LintFile& file) {
    if (file.kind() == LaunchKind::Megatron && file.has("--bf16")) {
        return {"bf16", file.at("--bf16")};
    }
    if (file.kind() == LaunchKind::Tune && file.text("dtype") == "bf16") {
        return {"bf16", file.at("dtype")};
    }
    if (file.kind() == LaunchKind::Titan &&
        file.text("training.mixed_precision_param") == "bfloat16") {
        return {"bf16", file.at("training.mixed_precision_param")};
    }
    return precisionOf(file);
}

/// fp16 in place of it, in the words of the file; fp32 where the framework has no fp16.
std::string withoutBf16(const LintFile& file) {
    switch (file.kind()) {
        case LaunchKind::Megatron:
            return "leave --bf16 out, --fp16";
        case LaunchKind::Titan:
            return "training.mixed_precision_param = \"float32\"";
        case LaunchKind::Deepspeed:
            return R"("bf16": {"enabled": false}, "fp16": {"enabled": true})";
        case LaunchKind::Accelerate:
            return "mixed_precision: fp16";
        case LaunchKind::Axolotl:
            return "bf16: false, fp16: true";
        case LaunchKind::Tune:
            return "dtype: fp32";
        case LaunchKind::Trainer:
        case LaunchKind::Torch:
        case LaunchKind::Script:
            break;
    }
    const std::string off = typedIn(file, "bf16", "False");
    return off + (off.starts_with("--") ? " " : ", ") + typedIn(file, "fp16", "True");
}

LintHits bf16BeforeAmpere(const LintView& view) {
    const SaidPrecision said = anyPrecisionOf(view.file);
    return isBeforeAmpere(view) && said.name == "bf16" && said.at != nullptr
               ? LintHits{{said.at, "bf16 on " + capabilityOf(view), withoutBf16(view.file)}}
               : LintHits{};
}

LintHits flashBeforeAmpere(const LintView& view) {
    if (!isBeforeAmpere(view)) {
        return {};
    }
    for (const char* const path : {"attn_implementation", "--attn_implementation"}) {
        if (view.file.text(path).starts_with("flash_attention_")) {
            return {{view.file.at(path),
                     view.file.text(path) + " on " + capabilityOf(view),
                     std::string(path) + (path[0] == '-' ? " sdpa" : ": sdpa")}};
        }
    }
    const bool isOn = view.file.kind() == LaunchKind::Axolotl && view.file.isOn("flash_attention");
    return isOn ? LintHits{{view.file.at("flash_attention"),
                            "flash_attention on " + capabilityOf(view),
                            "flash_attention: false"}}
                : LintHits{};
}

constexpr std::array kAgreementRules = {
    LintRule{
        "AG01",
        LintSeverity::Error,
        "precisions that differ between files",
        "The start ends with a mismatch, or the model trains in another precision than expected.",
        &twoPrecisions},
    LintRule{"AG02",
             LintSeverity::Error,
             "numbers that differ between files",
             "The start ends with a mismatch, or one of the two is used without a word.",
             &twoNumbers},
    LintRule{"AG03",
             LintSeverity::Error,
             "bf16 on a GPU that does not multiply in it",
             "The Trainer refuses to start; other loops emulate it, slower than fp32.",
             &bf16BeforeAmpere},
    LintRule{"AG04",
             LintSeverity::Error,
             "FlashAttention on a GPU that it has no kernels for",
             "The start ends: FlashAttention 2 requires compute capability 8.0.",
             &flashBeforeAmpere},
    LintRule{"AG05",
             LintSeverity::Error,
             "layers of another model are wrapped",
             "The start ends: the class is not found in the model.",
             &otherLayers},
    LintRule{"AG06",
             LintSeverity::Warning,
             "an optimizer that is typed, and not used",
             "Trainer takes the one of DeepSpeed's file, with its memory and its precision.",
             &idleOptimizer}};

}  // namespace

std::span<const LintRule> agreementRules() {
    return kAgreementRules;
}

}  // namespace fabricast
