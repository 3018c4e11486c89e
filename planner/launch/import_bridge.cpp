#include "planner/base/small_letters.h"
#include "planner/launch/bridge_keys.h"
#include "planner/launch/bridge_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// Keys that several arguments are written as, or that are written for every plan.
constexpr std::array kOtherRows = {
    BridgeRow{"--vocab-size", "model", "vocab_size"},
    BridgeRow{
        "--num-virtual-stages-per-pipeline-rank", "model", "virtual_pipeline_model_parallel_size"},
    BridgeRow{"--grad-reduce-in-bf16", "mixed_precision", "grad_reduce_in_fp32", PythonForm::Off},
    BridgeRow{"--seq-length", "train", "seq_length"},  // of NeMo's data
    BridgeRow{"--use-distributed-optimizer",  // which NeMo gives to the copies of the weights, too
              "optimizer",
              "use_distributed_optimizer",
              PythonForm::On},
    BridgeRow{"--save-interval", "checkpoint", "every_n_train_steps"},
    BridgeRow{"--async-save", "model", "ckpt_async_save", PythonForm::On},
    BridgeRow{"--train-iters", "train", "train_iters"},
    BridgeRow{"--lr", "optimizer", "lr"},
    BridgeRow{"--tokenizer-type", "tokenizer", "tokenizer_type"}};

/// NeMo's classes, and the fields of ConfigContainer that have their keys.
constexpr std::array kNemoClasses = {
    std::pair<std::string_view, std::string_view>("model", "GPTConfig"),
    std::pair<std::string_view, std::string_view>("model", "MegatronStrategy"),
    std::pair<std::string_view, std::string_view>("model", "MegatronCommOverlapCallback"),
    std::pair<std::string_view, std::string_view>("checkpoint", "ModelCheckpoint"),
    std::pair<std::string_view, std::string_view>("train", "MockDataModule"),
    std::pair<std::string_view, std::string_view>("train", "PreTrainingDataModule"),
    std::pair<std::string_view, std::string_view>("train", "FineTuningDataModule"),
    std::pair<std::string_view, std::string_view>("mixed_precision", "MegatronMixedPrecision")};

std::string_view sectionOf(std::string_view type) {
    constexpr auto kType = &std::pair<std::string_view, std::string_view>::second;
    const auto* const found = std::ranges::find(kBridgeSections, type, kType);
    const auto* const other = std::ranges::find(kNemoClasses, type, kType);
    return found != kBridgeSections.end() ? found->first
           : other != kNemoClasses.end()  ? other->first
                                          : "";
}

/// The row of a class's field; null where no argument says the same.
const BridgeRow* rowOf(std::string_view section, std::string_view key) {
    const auto isIt = [section, key](const BridgeRow& row) {
        return row.section == section && row.isNamed(key);
    };
    const auto* const row = std::ranges::find_if(kBridgeRows, isIt);
    if (row != kBridgeRows.end()) {
        return row;
    }
    const auto* const other = std::ranges::find_if(kOtherRows, isIt);
    return other == kOtherRows.end() ? nullptr : other;
}

std::string shortType(const std::string& value) {
    const std::string name = value.substr(value.rfind('.') + 1);
    return name == "bfloat16"  ? "bf16"
           : name == "float16" ? "fp16"
           : name == "uint8"   ? "fp8"
                               : "fp32";
}

/// A field's values as the argument has them; nothing where the argument is left out.
std::optional<std::vector<std::string>> argumentValues(PythonForm form,
                                                       std::vector<std::string> values) {
    const std::string first = values.empty() ? "" : values.front();
    switch (form) {
        case PythonForm::On:
        case PythonForm::Off: {
            const char* const asked = form == PythonForm::On ? "True" : "False";
            return first == asked ? std::optional(std::vector<std::string>()) : std::nullopt;
        }
        case PythonForm::Pair:
            return std::vector<std::string>{values.size() == 2 ? first + "," + values.back()
                                                               : first};
        case PythonForm::Type:
            return std::vector<std::string>{shortType(first)};
        case PythonForm::Backend:
            return std::vector<std::string>{first.substr(first.rfind('.') + 1)};
        default:
            return first == "null" ? std::nullopt : std::optional(std::move(values));
    }
}

/// "peft.dim" of LoRA.dim, and "--bf16" of Lightning's "bf16-mixed".
void addWord(const LaunchKey& one, LaunchKeys& keys) {
    LaunchKey key = one;
    if (one.path.starts_with("LoRA.")) {
        key.path = "peft." + one.path.substr(one.path.find('.') + 1);
        keys.add(std::move(key));
        return;
    }
    const std::string word = one.values.empty() ? "" : one.values.front();
    key.path = word.starts_with("bf16") ? "--bf16" : word.starts_with("16") ? "--fp16" : "";
    key.values.clear();
    if (!key.path.empty()) {
        keys.add(std::move(key));
    }
}

/// "llama-3.1-8b" of NeMo's Llama31Config8B; empty where a class is none of a model.
std::string modelOfNemo(std::string_view type) {
    constexpr std::string_view kConfig = "Config";
    const std::size_t config = type.find(kConfig);
    const std::string_view size =
        config == std::string_view::npos ? "" : type.substr(config + kConfig.size());
    const std::string_view family = type.substr(0, std::min(config, type.size()));
    const std::size_t digits = std::min(family.find_first_of("0123456789"), family.size());
    std::string version(family.substr(digits));
    const bool isSize = !size.empty() && std::isdigit(static_cast<unsigned char>(size[0])) != 0 &&
                        (size.back() == 'B' || size.back() == 'M');
    const bool isVersion = version.find_first_not_of("0123456789") == std::string::npos;
    if (!isSize || !isVersion || digits == 0 || version.size() > 2) {
        return "";
    }
    version = version.size() == 2 ? version.substr(0, 1) + "." + version.substr(1) : version;
    return inSmallLetters(std::string(family.substr(0, digits)) +
                          (version.empty() ? "" : "-" + version) + "-" + std::string(size));
}

/// Nodes and ranks of each that NeMo's Trainer counts with, where they are numbers.
void addTrainersRanks(const LaunchKeys& program, LaunchKeys& keys) {
    for (const char* const path : {"Trainer.num_nodes", "Trainer.devices"}) {
        const LaunchKey* const said = program.find(path);
        const std::string count =
            said == nullptr || said->values.size() != 1 ? "" : said->values.front();
        if (!count.empty() && count.find_first_not_of("0123456789") == std::string::npos) {
            keys.add(*said);
        }
    }
}

/// What Megatron's parser is told where Bridge is told nothing.
void addSilent(const LaunchKeys& program, LaunchKeys& keys) {
    const bool isNemo = program.find("MegatronStrategy") != nullptr;
    const LaunchKey* const at = program.find(isNemo ? "MegatronStrategy" : "ConfigContainer");
    const auto add = [&](const char* flag) {
        keys.add({.path = flag, .values = {}, .line = at->line, .column = at->column});
    };
    keys.add(
        {.path = "script", .values = {program.source()}, .line = at->line, .column = at->column});
    if (isNemo) {
        addTrainersRanks(program, keys);
        for (const LaunchKey& one : program.all()) {
            if (std::string name = modelOfNemo(one.path); !name.empty()) {
                keys.add({.path = "model",
                          .values = {std::move(name)},
                          .line = one.line,
                          .column = one.column});
            }
        }
    }
    const std::string model = isNemo ? "GPTConfig" : "GPTModelProvider";
    if (isNemo || program.find("LoRA") != nullptr) {
        keys.add({.path = "stack", .values = {"nemo"}, .line = at->line, .column = at->column});
    }
    if (const LaunchKey* const lora = program.find("LoRA")) {
        keys.add({.path = "peft", .values = {"lora"}, .line = lora->line, .column = lora->column});
    }
    if (isNemo && program.find("ModelCheckpoint") != nullptr) {
        add("--save");
    }
    if (program.find(model + ".num_query_groups") != nullptr) {
        add("--group-query-attention");
    }
    const LaunchKey* const fuses = program.find(model + ".gradient_accumulation_fusion");
    if (fuses == nullptr || fuses->values != std::vector<std::string>{"True"}) {
        add("--no-gradient-accumulation-fusion");
    }
    const LaunchKey* const position = program.find(model + ".position_embedding_type");
    const LaunchKey* const rotates = program.find(model + ".apply_rope_fusion");
    if (position != nullptr && position->values == std::vector<std::string>{"rope"} &&
        (rotates == nullptr || rotates->values != std::vector<std::string>{"True"})) {
        add("--no-rope-fusion");
    }
}

}  // namespace

LaunchKeys argumentsOfBridge(const LaunchKeys& program) {
    LaunchKeys keys(program.source());
    const bool hasLayout =
        program.find("GPTModelProvider.pipeline_model_parallel_layout") != nullptr ||
        program.find("MegatronStrategy.pipeline_model_parallel_layout") != nullptr;
    for (const LaunchKey& one : program.all()) {
        if (one.path.starts_with("env ")) {
            keys.add(one);
            continue;
        }
        const std::size_t dot = one.path.find('.');
        const std::string_view section =
            dot == std::string::npos ? "" : sectionOf(one.path.substr(0, dot));
        if (section.empty()) {
            continue;
        }
        if (section == "peft" || one.path == "MegatronMixedPrecision.precision") {
            addWord(one, keys);
            continue;
        }
        const std::string name = one.path.substr(dot + 1);
        const BridgeRow* row = rowOf(section, name);
        row = row == nullptr && section == "model" ? rowOf("dist", name) : row;  // NeMo's strategy
        // Of a layout of stages the chunks follow.
        if (hasLayout && name == "virtual_pipeline_model_parallel_size") {
            continue;
        }
        LaunchKey key = one;
        const auto values =
            argumentValues(row == nullptr ? PythonForm::Same : row->form, one.values);
        if (row != nullptr && values) {
            key.path = row->flag;
            key.values = *values;
            keys.add(std::move(key));
        }
    }
    addSilent(program, keys);
    return keys;
}

}  // namespace fabricast
