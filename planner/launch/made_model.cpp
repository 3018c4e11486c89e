#include "planner/launch/made_model.h"

#include "planner/launch/made_config.h"
#include "planner/launch/python_model_keys.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kUnreadKey = "model by";
constexpr const char* kOtherKey = "model of another kind";

/// Calls that give back the model they are given, or one that is read elsewhere; none makes one.
constexpr std::array<std::string_view, 18> kReadMakers = {"from_pretrained",
                                                          "from_config",
                                                          "get_peft_model",
                                                          "prepare_model_for_kbit_training",
                                                          "compile",
                                                          "to",
                                                          "float",
                                                          "half",
                                                          "bfloat16",
                                                          "merge_and_unload",
                                                          "unload",
                                                          "prepare",
                                                          "prepare_model",
                                                          "cuda",
                                                          "train",
                                                          "for_training",
                                                          "Accelerator",
                                                          "field"};  // of a dataclass

std::string onlyValue(const LaunchKey& key) {
    return key.values.size() == 1 ? key.values.front() : "";
}

/// "load" of "$(lib.load(a))", which is worked out when the program runs; empty: no call.
std::string callIn(const std::string& value) {
    const std::size_t bracket = value.find('(', 2);
    if (!value.starts_with("$(") || bracket == std::string::npos) {
        return "";
    }
    const std::string name = value.substr(2, bracket - 2);
    const bool isName = name.find_first_of(" +-*/[{=,") == std::string::npos;
    return isName ? name.substr(name.rfind('.') + 1) : "";
}

bool defines(const LaunchKeys& program, const std::string& function) {
    return std::ranges::any_of(program.all(), [&function](const LaunchKey& key) {
        return key.path == "def" && onlyValue(key) == function;
    });
}

bool isUnread(const LaunchKeys& program, const std::string& maker) {
    return !maker.empty() && !makesOfConfig(maker) &&
           std::ranges::find(kReadMakers, maker) == kReadMakers.end() && !defines(program, maker);
}

/// Whether transformers or Unsloth makes a model in it.
bool makesModel(const LaunchKeys& program) {
    return std::ranges::any_of(program.all(), [](const LaunchKey& key) {
        return ((key.path == "from_pretrained" || key.path == "from_config") &&
                isModelClass(onlyValue(key))) ||
               makesOfConfig(key.path);
    });
}

/// What a Trainer is told to train; null where nothing tells it.
const LaunchKey* trainedModel(const LaunchKeys& program) {
    const auto& all = program.all();
    const auto found = std::ranges::find_if(all, [](const LaunchKey& key) {
        return key.path.ends_with("Trainer.model") || key.path.ends_with("Trainer.0");
    });
    return found == all.end() ? nullptr : &*found;
}

/// The functions that a name was given to by.
std::vector<std::string> unreadMakersOf(const LaunchKeys& program, const LaunchKey& trained) {
    const std::string value = onlyValue(trained);
    std::vector<std::string> makers;
    const auto add = [&](const std::string& maker) {
        if (isUnread(program, maker) && std::ranges::find(makers, maker) == makers.end()) {
            makers.push_back(maker);
        }
    };
    add(callIn(value));
    const std::string name = value.substr(value.starts_with("$") ? 1 : 0);
    const std::string last = name.substr(name.rfind('.') + 1);
    for (const LaunchKey& key : program.all()) {
        if (key.path == "model" || key.path == last) {
            add(callIn(onlyValue(key)));
        }
    }
    return makers;
}

std::string namesOfMakers(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

/// Whether a call of peft's is told its adapters by a LoraConfig of the program, or by TRL's
/// arguments, or Unsloth makes them.
bool readsAdapters(const LaunchKeys& program) {
    const LaunchKey* const made = program.find("get_peft_model");
    return program.has("LoraConfig") || program.has("get_peft_config") ||
           (made != nullptr && onlyValue(*made).starts_with("Fast"));
}

Result<void> checkLoading(const LaunchKeys& program, const LaunchKey& call) {
    const std::string called = onlyValue(call);
    const bool isModel = called.find("Model") != std::string::npos;
    if (called.starts_with("Fast") && isModel && !loadsByUnsloth(called)) {
        return program.refuse(
            call, called + " of Unsloth is not modelled", "FastLanguageModel, or transformers'");
    }
    if (called.find("PeftModel") != std::string::npos && !readsAdapters(program)) {
        return program.refuse(
            call,
            "of " + called.substr(0, called.find('.')) +
                " loads adapters, whose rank and layers are not read",
            "a LoraConfig in the program, or --tuning lora with the file of the base");
    }
    return {};
}

/// A configuration that a program makes, and what it is given to.
struct GivenConfig {
    std::string_view made;
    std::string_view argument;              ///< of whatever call
    std::array<std::string_view, 3> calls;  ///< that take it without a name
    std::string_view loader;  ///< a class whose from_pretrained is told by it; empty: none
    const char* hint;
};
constexpr std::array kGivenConfigs = {
    GivenConfig{"LoraConfig",
                "peft_config",
                {"get_peft_model", "add_adapter", "inject_adapter_in_model"},
                "PeftModel",
                "peft_config= of the trainer, or get_peft_model"},
    GivenConfig{"BitsAndBytesConfig",
                "quantization_config",
                {},
                {},
                "quantization_config= of from_pretrained"}};

/// Whether this gives the configuration that is made there to what is trained.
bool gives(const GivenConfig& config, const LaunchKey& made, const LaunchKey& key) {
    const std::string_view path = key.path;
    const std::string_view last = path.substr(path.rfind('.') + 1);
    const bool isItsName = last == path && key.line == made.line;  // argument = LoraConfig(…)
    return (last == config.argument && onlyValue(key) != "null" && !isItsName) ||
           std::ranges::find(config.calls, path) != config.calls.end() ||
           (path == "from_pretrained" && !config.loader.empty() &&
            onlyValue(key).find(config.loader) != std::string::npos);
}

/// The condition on which a key says what it says, and which is not known; empty: it says it.
std::string conditionOf(const LaunchKey& key) {
    const std::string value = onlyValue(key);
    const std::size_t choice = value.find(" if ");
    const std::size_t otherwise = value.find(" else ", std::min(choice, value.size()));
    const bool isChoice = value.starts_with("$(") && otherwise != std::string::npos;
    return isChoice ? value.substr(choice + 4, otherwise - choice - 4) : key.onlyIf;
}

tl::unexpected<Error> refuseCondition(const LaunchKeys& program, const LaunchKey& key) {
    return program.refuse(
        key,
        "depends on \"" + conditionOf(key) + "\", which is worked out when the program runs",
        "True or False in its place");
}

/// What is made and given to nothing changes nothing: the run trains all weights, in their type.
Result<void> checkConfigsAreGiven(const LaunchKeys& program) {
    for (const GivenConfig& config : kGivenConfigs) {
        const LaunchKey* const made = program.find(std::string(config.made));
        if (made == nullptr) {
            continue;
        }
        const LaunchKey* given = nullptr;
        for (const LaunchKey& key : program.all()) {
            const bool isSure = given != nullptr && conditionOf(*given).empty();
            given = !isSure && gives(config, *made, key) ? &key : given;
        }
        if (given == nullptr) {
            return program.refuse(*made, "is given to nothing that is read", config.hint);
        }
        for (const LaunchKey* const key : {made, given}) {
            if (!conditionOf(*key).empty()) {
                return refuseCondition(program, *key);
            }
        }
    }
    return {};
}

}  // namespace

void addOtherModel(const LaunchKeys& program, LaunchKeys& keys) {
    constexpr std::string_view kKind = "ForConditionalGeneration";
    const std::vector<LaunchKey>& all = program.all();
    for (std::size_t i = 0; i < all.size() && !makesModel(program); ++i) {
        const std::size_t kind = onlyValue(all[i]).find(kKind);
        if (all[i].path == "from_pretrained" && kind != std::string::npos) {
            const bool isNamed = i + 1 < all.size() && all[i + 1].path == "from_pretrained.0";
            LaunchKey key = all[i];
            key.path = kOtherKey;
            key.values = {onlyValue(all[i]).substr(0, kind + kKind.size()),
                          isNamed ? onlyValue(all[i + 1]) : ""};
            keys.add(std::move(key));
            return;
        }
    }
}

void addUnreadMakers(const LaunchKeys& program, LaunchKeys& keys) {
    const LaunchKey* const trained = trainedModel(program);
    if (trained == nullptr || onlyValue(*trained).find('/') < onlyValue(*trained).find('(')) {
        return;
    }
    const std::vector<std::string> makers = unreadMakersOf(program, *trained);
    if (!makers.empty() || !makesModel(program)) {
        keys.add({.path = kUnreadKey,
                  .values = makers,
                  .line = trained->line,
                  .column = trained->column});
    }
}

Result<void> checkMakers(const LaunchKeys& program) {
    for (const LaunchKey& key : program.all()) {
        const bool isTold = key.path == "SFTTrainer.peft_config" && onlyValue(key) != "null";
        if (key.path == "from_pretrained") {
            FABRICAST_TRY(checkLoading(program, key));
        } else if ((isTold || key.path == "get_peft_model") && !readsAdapters(program)) {
            return program.refuse(key,
                                  "is told of adapters in no LoraConfig of the program: others "
                                  "are not read",
                                  "LoraConfig(r=…, target_modules=…)");
        } else if ((key.path == kModelDtype || key.path == "gradient_checkpointing_enable" ||
                    key.path == "gradient_checkpointing_disable") &&
                   !key.onlyIf.empty()) {
            return refuseCondition(program, key);
        }
    }
    return checkConfigsAreGiven(program);
}

Result<void> importMadeModel(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto adapts, keys.flag("--use_peft"));
    for (const char* const bits : {"--load_in_4bit", "--load_in_8bit"}) {
        FABRICAST_ASSIGN(const auto loads, keys.flag(bits));
        if (loads.value_or(false) && !adapts.value_or(false)) {
            return keys.refuse(*keys.find(bits),
                               "is of a base that adapters are trained on, and no adapters are "
                               "read: transformers trains no weights of so few bits",
                               "LoraConfig, --use_peft, or get_peft_model of Unsloth");
        }
    }
    if (keys.use(kUnslothKey) != nullptr) {
        draft.note(
            "Unsloth's own kernels, loss and checkpoints in host memory are not modelled: it "
            "takes less memory and time than this forecast, which is of transformers'");
    }
    if (const LaunchKey* const other = keys.use(kOtherKey)) {
        const std::string name = other->values.back().empty() ? "" : " of " + other->values.back();
        draft.leaveOpen("model",
                        *other,
                        other->values.front() + name +
                            " is more than a language model, and its other parts, such as one that "
                            "sees, are not modelled",
                        "-m qwen2.5-7b, or another model, to forecast its language model alone");
        draft.note("parts of " + other->values.front() +
                   " beside its language model are not counted");
    }
    if (const LaunchKey* const unread = keys.use(kUnreadKey)) {
        const std::string who = unread->values.empty()
                                    ? "how the program makes its model was not read"
                                    : "what the program's model is made by was not read (" +
                                          namesOfMakers(unread->values) + ")";
        draft.assume("settings.tuning",
                     who + (adapts.value_or(false)
                                ? ": only the adapters that are read are counted"
                                : ": all weights are taken to be trained, and none quantised "
                                  "(--tuning lora or qlora says otherwise)"));
    }
    return {};
}

}  // namespace fabricast
