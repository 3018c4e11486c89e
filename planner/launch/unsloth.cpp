#include "planner/launch/made_model.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// An argument of one of Unsloth's two calls, the one of a command line that says the same, and
/// what it is where nobody says it (unsloth/models/llama.py).
struct UnslothArgument {
    std::string_view name;
    std::string_view typed;
    std::string_view usual;  ///< empty: nothing
};
constexpr std::array kUnslothLoading = {
    UnslothArgument{"0", "--model_name_or_path", ""},
    UnslothArgument{"model_name", "--model_name_or_path", ""},
    UnslothArgument{"max_seq_length", "--max_seq_length", "2048"},
    UnslothArgument{"load_in_4bit", "--load_in_4bit", "true"},
    UnslothArgument{"load_in_8bit", "--load_in_8bit", ""},
    UnslothArgument{"dtype", "--dtype", kTypeOfGpu},
    UnslothArgument{"use_gradient_checkpointing", "--gradient_checkpointing", "true"}};
constexpr std::array kUnslothAdapters = {
    UnslothArgument{"r", "--lora_r", "16"},
    UnslothArgument{"lora_dropout", "--lora_dropout", "0.0"},
    UnslothArgument{"use_dora", "--use_dora", ""},
    UnslothArgument{"modules_to_save", "--lora_modules_to_save", ""},
    UnslothArgument{"use_gradient_checkpointing", "--gradient_checkpointing", "true"}};
constexpr std::array kUsualTargets = {
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

constexpr std::array kLoadingCalls = {"FastLanguageModel.from_pretrained"sv,
                                      "FastModel.from_pretrained"sv};
constexpr std::array kAdapterCalls = {"FastLanguageModel.get_peft_model"sv,
                                      "FastModel.get_peft_model"sv};

/// The arguments of one call, by their names.
LaunchKeys saidInCall(const LaunchKeys& program, std::size_t call) {
    const std::vector<LaunchKey>& all = program.all();
    const std::string before = all[call].path + ".";
    LaunchKeys said(program.source());
    for (std::size_t i = call + 1; i < all.size() && all[i].path != all[call].path; ++i) {
        if (all[i].path.starts_with(before)) {
            LaunchKey key = all[i];
            key.path.erase(0, before.size());
            said.add(std::move(key));
        }
    }
    return said;
}

bool isUnslothOn(const LaunchKeys& said, std::string_view name) {
    const LaunchKey* const key = said.find(name);
    return key != nullptr && key->values.size() == 1 && asSwitch(key->values.front()) == true;
}

void addUnslothSaid(const LaunchKey& call,
                    const LaunchKeys& said,
                    std::span<const UnslothArgument> arguments,
                    LaunchKeys& keys) {
    for (const UnslothArgument& one : arguments) {
        const LaunchKey* const key = said.find(one.name);
        const bool isSaid = key != nullptr && key->values != std::vector<std::string>{"null"};
        if (!isSaid && one.usual.empty()) {
            continue;
        }
        LaunchKey typed = isSaid ? *key : call;
        typed.path = one.typed;
        typed.values = isSaid ? key->values : std::vector{std::string(one.usual)};
        constexpr std::string_view kTorch = "torch.";
        for (std::string& value : typed.values) {
            value.erase(0, value.starts_with(kTorch) ? kTorch.size() : 0);
        }
        if (typed.values == std::vector<std::string>{"unsloth"}) {
            typed.values = {"true"};  // of use_gradient_checkpointing
        }
        keys.add(std::move(typed));
    }
}

/// Where all weights are trained none is of few bits, whatever is said of them.
void addUnslothLoading(const LaunchKey& call, const LaunchKeys& said, LaunchKeys& keys) {
    keys.add({.path = kUnslothKey, .values = {}, .line = call.line, .column = call.column});
    const auto add = [&](const char* path, const char* value) {
        keys.add({.path = path, .values = {value}, .line = call.line, .column = call.column});
    };
    add("--use_bnb_nested_quant", "true");
    addUnslothSaid(call, said, kUnslothLoading, keys);
    const std::vector<std::string>& types = keys.find("--dtype")->values;
    const std::string type = types.size() == 1 ? types.front() : "";
    add("--fp16", type == "float16" ? "true" : "false");
    add("--bf16", type == "float16" ? "false" : type == kTypeOfGpu ? kTypeOfGpu : "true");
    const bool isWhole = isUnslothOn(said, "full_finetuning") || isUnslothOn(said, "load_in_16bit");
    if (isWhole || (isUnslothOn(said, "load_in_8bit") && !said.has("load_in_4bit"))) {
        keys.say("--load_in_4bit", "false");
    }
}

void addUnslothAdapters(const LaunchKey& call, const LaunchKeys& said, LaunchKeys& keys) {
    keys.add({.path = "--use_peft", .values = {"true"}, .line = call.line, .column = call.column});
    addUnslothSaid(call, said, kUnslothAdapters, keys);
    const LaunchKey* const named = said.find("target_modules");
    const bool isNamed = named != nullptr && named->values != std::vector<std::string>{"null"};
    LaunchKey targets = isNamed ? *named : call;
    targets.path = "--lora_target_modules";
    if (!isNamed) {
        targets.values.assign(kUsualTargets.begin(), kUsualTargets.end());
    }
    keys.add(std::move(targets));
}

}  // namespace

bool loadsByUnsloth(std::string_view called) {
    return std::ranges::find(kLoadingCalls, called) != kLoadingCalls.end();
}

void addUnslothArguments(const LaunchKeys& program, LaunchKeys& keys) {
    const std::vector<LaunchKey>& all = program.all();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string called = all[i].values.size() == 1 ? all[i].values.front() : "";
        if (all[i].path == "from_pretrained" && loadsByUnsloth(called)) {
            addUnslothLoading(all[i], saidInCall(program, i), keys);
        } else if (all[i].path == "get_peft_model" &&
                   std::ranges::find(kAdapterCalls, called) != kAdapterCalls.end()) {
            addUnslothAdapters(all[i], saidInCall(program, i), keys);
        }
    }
}

}  // namespace fabricast
