#include "planner/launch/bridge_keys.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/made_config.h"
#include "planner/launch/made_model.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/own_loop.h"
#include "planner/launch/parsed_arguments.h"
#include "planner/launch/possible_lengths.h"
#include "planner/launch/python_model_keys.h"
#include "planner/launch/python_reading.h"
#include "planner/launch/python_start.h"
#include "planner/launch/recipe_question.h"
#include "planner/launch/sample_sizes.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Classes whose arguments are those of Hugging Face's Trainer, and of TRL's.
constexpr std::array<std::string_view, 14> kArgumentClasses = {"TrainingArguments",
                                                               "Seq2SeqTrainingArguments",
                                                               "SFTConfig",
                                                               "DPOConfig",
                                                               "GRPOConfig",
                                                               "KTOConfig",
                                                               "ORPOConfig",
                                                               "CPOConfig",
                                                               "PPOConfig",
                                                               "RLOOConfig",
                                                               "OnlineDPOConfig",
                                                               "GKDConfig",
                                                               "DistillationConfig",
                                                               "RewardConfig"};

/// Classes of TRL that train on preferences or rewards, and no plain language model.
constexpr std::array<std::string_view, 23> kOfPreferences = {
    "DPOConfig",        "DPOTrainer",    "GRPOConfig",  "GRPOTrainer",        "KTOConfig",
    "KTOTrainer",       "ORPOConfig",    "ORPOTrainer", "CPOConfig",          "CPOTrainer",
    "PPOConfig",        "PPOTrainer",    "RLOOConfig",  "RLOOTrainer",        "OnlineDPOConfig",
    "OnlineDPOTrainer", "GKDConfig",     "GKDTrainer",  "DistillationConfig", "DistillationTrainer",
    "RewardConfig",     "RewardTrainer", "PRMTrainer"};

/// What else is said where the model and its adapters are made, as a command line says it.
struct ArgumentName {
    std::string_view call;
    std::string_view argument;
};
constexpr std::array kArgumentNames = {
    ArgumentName{"from_pretrained.0", "--model_name_or_path"},
    ArgumentName{"from_pretrained.pretrained_model_name_or_path", "--model_name_or_path"},
    ArgumentName{"from_pretrained.attn_implementation", "--attn_implementation"},
    ArgumentName{"from_pretrained.dtype", "--dtype"},
    ArgumentName{"from_pretrained.torch_dtype", "--dtype"},
    ArgumentName{"from_config.dtype", "--dtype"},
    ArgumentName{"from_config.torch_dtype", "--dtype"},
    ArgumentName{"from_config.attn_implementation", "--attn_implementation"},
    ArgumentName{"from_pretrained.device_map", "--device_map"},
    ArgumentName{"from_pretrained.load_in_4bit", "--load_in_4bit"},
    ArgumentName{"from_pretrained.load_in_8bit", "--load_in_8bit"},
    ArgumentName{"SFTTrainer.max_seq_length", "--max_seq_length"},
    ArgumentName{"Trainer.compute_metrics", "--compute_metrics"},
    ArgumentName{"SFTTrainer.compute_metrics", "--compute_metrics"},
    ArgumentName{"Seq2SeqTrainer.compute_metrics", "--compute_metrics"},
    ArgumentName{"Trainer.preprocess_logits_for_metrics", "--preprocess_logits_for_metrics"},
    ArgumentName{"SFTTrainer.preprocess_logits_for_metrics", "--preprocess_logits_for_metrics"},
    ArgumentName{"LoraConfig", "--use_peft"},
    ArgumentName{"LoraConfig.r", "--lora_r"},
    ArgumentName{"LoraConfig.lora_dropout", "--lora_dropout"},
    ArgumentName{"LoraConfig.target_modules", "--lora_target_modules"},
    ArgumentName{"LoraConfig.target_parameters", "--lora_target_parameters"},
    ArgumentName{"LoraConfig.use_dora", "--use_dora"},
    ArgumentName{"LoraConfig.modules_to_save", "--lora_modules_to_save"},
    ArgumentName{"LoraConfig.ensure_weight_tying", "--ensure_weight_tying"},
    ArgumentName{"prepare_model_for_kbit_training", kKbitPreparation},
    ArgumentName{"prepare_model_for_kbit_training.use_gradient_checkpointing", kKbitCheckpoints},
    ArgumentName{"prepare_model_for_kbit_training.1", kKbitCheckpointsSecond},
    ArgumentName{"BitsAndBytesConfig.load_in_4bit", "--load_in_4bit"},
    ArgumentName{"BitsAndBytesConfig.load_in_8bit", "--load_in_8bit"},
    ArgumentName{"BitsAndBytesConfig.bnb_4bit_quant_type", "--bnb_4bit_quant_type"},
    ArgumentName{"BitsAndBytesConfig.bnb_4bit_use_double_quant", "--use_bnb_nested_quant"}};

/// What TRL gives to from_pretrained where it loads the model itself.
constexpr std::string_view kModelArguments = "model_init_kwargs.";

/// Whether it is an argument of one of the classes.
bool isOfArguments(const std::string& path) {
    return std::ranges::any_of(kArgumentClasses, [&path](std::string_view name) {
        return path.starts_with(name) && path.size() > name.size() && path[name.size()] == '.';
    });
}

/// "--bf16" of TrainingArguments.bf16; empty where no argument says it.
std::string argumentOf(const std::string& path) {
    for (const std::string_view name : kArgumentClasses) {
        if (path.starts_with(name) && path.size() > name.size() && path[name.size()] == '.') {
            const std::string field = path.substr(name.size() + 1);
            return field.starts_with(kModelArguments)
                       ? argumentOf("from_pretrained." + field.substr(kModelArguments.size()))
                   : field == "0" ? "--output_dir"
                                  : "--" + field;
        }
    }
    const auto* const found = std::ranges::find(kArgumentNames, path, &ArgumentName::call);
    return found == kArgumentNames.end() ? "" : std::string(found->argument);
}

bool callsOneOf(const LaunchKeys& keys, std::span<const std::string_view> names) {
    return std::ranges::any_of(
        names, [&keys](std::string_view name) { return keys.find(name) != nullptr; });
}

/// What peft's LoraConfig has without arguments, where TRL's ModelConfig has other numbers.
void addPeftDefaults(const LaunchKey& call, LaunchKeys& keys) {
    for (const auto& [path, value] : {std::pair{"--lora_r", "8"}, {"--lora_dropout", "0.0"}}) {
        keys.add({.path = path, .values = {value}, .line = call.line, .column = call.column});
    }
}

/// Arguments that are said twice, each time as something else: which of them holds is decided when
/// the program runs.
Result<void> checkSaidOnce(const LaunchKeys& program) {
    std::map<std::string, const LaunchKey*> said;
    for (const LaunchKey& key : program.all()) {
        const std::string argument = isOfArguments(key.path) ? argumentOf(key.path) : "";
        if (argument == "--**") {
            return program.refuse(key,
                                  "is worked out when the program runs, and so are its arguments",
                                  "write them out, or give the command line that starts it");
        }
        const auto [first, isNew] = said.emplace(argument, &key);
        if (!argument.empty() && !isNew && first->second->values != key.values) {
            return program.refuse(
                key,
                "is something else in line " + std::to_string(first->second->line) +
                    ", and which of the two holds is decided when the program runs",
                "say it once");
        }
    }
    return {};
}

/// "Qwen/Qwen3-0.6B", and no name of the program.
bool isHubName(const LaunchKey& key) {
    return key.values.size() == 1 && !key.values.front().starts_with("$") &&
           key.values.front().find('/') != std::string::npos;
}

/// Whether what is loaded so is the model that is trained, of transformers: no tokenizer, and no
/// adapters that are merged in the end.
bool loadsTrained(const std::string& called) {
    return isModelClass(called) && called.find("PeftModel") == std::string::npos &&
           !loadsByUnsloth(called);
}

/// "true" of x=is_x_supported(), which programs ask the GPU for.
std::string supportedType(const std::string& path, const std::string& value) {
    const bool asks = value.starts_with("$(") && value.find("supported()") != std::string::npos;
    return !asks                        ? value
           : value.starts_with("$(not") ? "false"
           : path == "--bf16"           ? kTypeOfGpu
                                        : "true";
}

/// Whether it is what from_pretrained is given, of which each item is read by itself.
bool isReadByItems(const LaunchKey& whole, const LaunchKeys& program) {
    const std::string items = whole.path + '.';
    if (!isOfArguments(whole.path) || !items.ends_with("." + std::string(kModelArguments))) {
        return false;
    }
    bool hasItems = false;
    bool allRead = true;
    for (const LaunchKey& key : program.all()) {
        if (key.path.starts_with(items)) {
            hasItems = true;
            allRead = allRead && !argumentOf(key.path).empty();
        }
    }
    return hasItems && allRead;
}

/// What the program does to its model, where it is no argument of a Trainer: that is said last.
void addChangedModel(const LaunchKeys& program, LaunchKeys& keys) {
    for (LaunchKey key : program.all()) {
        const bool isOfModel = key.path.starts_with("model ") || key.path.starts_with("model.") ||
                               key.path.ends_with("(model)");
        const bool isUnknown = key.path.ends_with("()") || key.path.ends_with(" =");
        if (key.path == kModelDtype) {
            key.path = "--dtype";
        } else if (key.path == "gradient_checkpointing_enable" ||
                   key.path == "gradient_checkpointing_disable") {
            key.values = {key.path.ends_with("enable") ? "true" : "false"};
            key.path = "--gradient_checkpointing";
        } else if (key.path == "compile" && (key.values.front() == "torch.compile" ||
                                             key.values.front().ends_with("model.compile"))) {
            key.path = "--torch_compile";
            key.values = {"true"};
        } else if (!isOfModel || (key.path.starts_with("model.") && !isUnknown)) {
            continue;
        }
        keys.add(std::move(key));
    }
}

/// Whether its head is over classes, or over positions.
bool hasOtherHead(const std::string& called) {
    return called.find("Classification") != std::string::npos ||
           called.find("QuestionAnswering") != std::string::npos;
}

/// The arguments that a program gives its Trainer. Of what is loaded the model counts, whose type
/// is the checkpoint's unless it is said.
LaunchKeys trainerKeys(const LaunchKeys& program) {
    LaunchKeys keys(program.source());
    addUnslothArguments(program, keys);
    addUnreadMakers(program, keys);
    addOtherModel(program, keys);
    bool isModel = true;
    for (const LaunchKey& one : program.all()) {
        LaunchKey key = one;
        key.path = isReadByItems(one, program) ? "" : argumentOf(one.path);
        if (one.path.starts_with("SFTTrainer.") && !keys.has(kTrlKey)) {
            keys.add({.path = kTrlKey, .values = {}, .line = one.line, .column = one.column});
        }
        if (std::ranges::find(kOfPreferences, one.path) != kOfPreferences.end() ||
            one.path.starts_with("env ") || one.path.starts_with(kPossibleLength) ||
            one.path == kParsesArguments || one.path == kParsedFields || one.path == kOwnParser ||
            one.path == kUntypedSwitches) {
            keys.add(one);
        }
        if (one.path.starts_with("from_") && changesSize(program, one)) {
            keys.add(one);
        }
        if (one.path == "train_test_split.test_size") {
            key.path = kSplitSize;
        }
        if (one.path.starts_with(kParsedLength)) {
            key.path = "--" + one.path.substr(std::string_view(kParsedLength).size());
        }
        if (one.path == "from_pretrained") {
            isModel = loadsTrained(one.values.front());
            if (isModel && hasOtherHead(one.values.front())) {
                const std::string& called = one.values.front();
                keys.add({.path = kModelHead,
                          .values = {called.substr(0, called.rfind('.'))},
                          .line = one.line,
                          .column = one.column});
            }
            key.path = isModel ? "--dtype" : "";
            key.values = {};  // what the release does
        } else if ((one.path == "SFTTrainer.model" || one.path == "SFTTrainer.0") &&
                   isHubName(one)) {
            key.path = "--model_name_or_path";
        } else if (holdsTrainerArguments(one.path)) {
            if (one.path == "SFTConfig") {
                key.path = kTrlKey;
                keys.add(key);
            }
            key.path = "script";
            key.values = {program.source()};
        } else if (one.path == "LoraConfig") {
            key.values = {"true"};
            addPeftDefaults(one, keys);
        }
        for (std::string& value : key.values) {
            value = value.starts_with("torch.") ? value.substr(6) : supportedType(key.path, value);
        }
        if (!key.path.empty() && (isModel || !one.path.starts_with("from_pretrained."))) {
            keys.add(std::move(key));
        }
    }
    addMadeConfig(program, keys);
    addChangedModel(program, keys);
    addMadeOptimizer(program, keys);
    if (const LaunchKey* const piece = program.find(kPieceLength)) {
        keys.add(*piece);
    }
    std::optional<LaunchKey> length = tokenizedLength(program);
    const bool isSaid = keys.has("--max_length") || keys.has("--max_seq_length");
    if (length && !isSaid) {
        length->path = "--max_length";
        keys.add(*std::move(length));
    } else if (std::optional<LaunchKey> other = otherTokenizedLength(program); other && !isSaid) {
        other->path = kOtherLength;
        keys.add(*std::move(other));
    }
    return keys;
}

}  // namespace

bool holdsTrainerArguments(std::string_view className) {
    return std::ranges::find(kArgumentClasses, className) != kArgumentClasses.end();
}

std::span<const std::string_view> trainersOfPreferences() {
    return kOfPreferences;
}

Result<OpenedFile> pythonFile(LaunchKeys keys) {
    constexpr std::array<std::string_view, 3> kLoops = {
        "fully_shard", "DistributedDataParallel", "DDP"};
    constexpr std::array<std::string_view, 2> kContainers = {"ConfigContainer", "MegatronStrategy"};
    if (callsOneOf(keys, kContainers)) {
        return OpenedFile{LaunchKind::Megatron, argumentsOfBridge(keys), MegatronWords::Bridge};
    }
    if (callsOneOf(keys, kArgumentClasses) || callsOneOf(keys, kOfPreferences)) {
        FABRICAST_TRY(checkSaidOnce(keys));
        FABRICAST_TRY(checkMakers(keys));
        OpenedFile file{LaunchKind::Trainer, trainerKeys(keys)};
        const LaunchKey* const zero = file.keys.find("--deepspeed");
        if (zero != nullptr && zero->values.size() == 1 && zero->values.front() != "null" &&
            !zero->values.front().starts_with("$(")) {
            file.names = zero->values.front();
            file.namedBy = zero->path;
        }
        return file;
    }
    const bool isOfAdapters = keys.has("LoraConfig") && !keys.has("fully_shard");
    if (callsOneOf(keys, kLoops) && !(isOfAdapters && hasOwnLoop(keys))) {
        if (keys.has("LoraConfig")) {  // adapters are read of the arguments of a Trainer
            FABRICAST_TRY(checkMakers(keys));
            keys.append(trainerKeys(keys), {"--"});
        }
        LaunchKeys made(keys.source());
        addMadeConfig(keys, made);
        keys.append(made, {"model config"});
        return OpenedFile{LaunchKind::Torch, std::move(keys)};
    }
    if (const LaunchKey* const recipe = recipeOf(keys)) {
        return keys.refuse(*recipe,
                           "is a recipe of NeMo or Megatron Bridge: its values stand in their "
                           "packages, and are not read",
                           questionOfRecipe(keys, *recipe));
    }
    if (hasOwnLoop(keys)) {
        FABRICAST_TRY(checkMakers(keys));
        OpenedFile file{LaunchKind::Trainer, ownLoopKeys(keys, trainerKeys(keys))};
        nameOther(file, {"--deepspeed"});
        file.names = file.names.starts_with("$") ? "" : file.names;
        return file;
    }
    return fail(
        Error::Code::BadInput,
        keys.source(),
        "calls nothing that is known to train: TrainingArguments of transformers, or a loop with "
        "loss.backward()",
        "the file that a framework reads: deepspeed.json, accelerate.yaml, …");
}

}  // namespace fabricast
