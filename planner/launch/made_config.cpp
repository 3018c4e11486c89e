#include "planner/launch/made_config.h"

#include "planner/launch/python_models.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kConfigType = "model config";
constexpr const char* kConfigField = "model config.";
constexpr std::string_view kConfigEnd = "Config";

/// Types that their classes are not called by.
constexpr std::array kTypeNames = {std::pair("GPTNeoX", "gpt_neox"),
                                   std::pair("PhiMoE", "phimoe"),
                                   std::pair("StableLm", "stablelm"),
                                   std::pair("MiniMax", "minimax")};

bool isUpper(char letter) {
    return std::isupper(static_cast<unsigned char>(letter)) != 0;
}

/// "qwen2_moe" of Qwen2Moe.
std::string typeOf(const std::string& stem) {
    const auto* const known =
        std::ranges::find(kTypeNames, stem, [](const auto& one) { return std::string(one.first); });
    if (known != kTypeNames.end()) {
        return known->second;
    }
    std::string type;
    for (std::size_t i = 0; i < stem.size(); ++i) {
        const bool begins = i > 0 && isUpper(stem[i]) && !isUpper(stem[i - 1]);
        type += begins ? "_" : "";
        type += static_cast<char>(std::tolower(static_cast<unsigned char>(stem[i])));
    }
    return type;
}

/// The call that makes the model of this configuration; null where none does.
const LaunchKey* makerOf(const LaunchKeys& program, const std::string& stem) {
    for (const LaunchKey& key : program.all()) {
        const bool isCall = key.values.size() == 1;
        const bool isOwn = key.path == stem + "ForCausalLM" || key.path == stem + "LMHeadModel";
        const bool isAuto = key.path == "from_config" && isCall && isModelClass(key.values.front());
        if (isOwn || isAuto) {
            return &key;
        }
    }
    return nullptr;
}

bool loadsCheckpoint(const LaunchKeys& program) {
    return std::ranges::any_of(program.all(), [](const LaunchKey& key) {
        return key.path == "from_pretrained" && key.values.size() == 1 &&
               isModelClass(key.values.front());
    });
}

std::optional<bool> asPythonSwitch(const std::string& value) {
    return value == "True"    ? std::optional(true)
           : value == "False" ? std::optional(false)
                              : std::nullopt;
}

/// Digits, as 1e-5 and -1 have them.
bool isNumberText(const std::string& value) {
    return !value.empty() && (std::isdigit(static_cast<unsigned char>(value.back())) != 0) &&
           value.find_first_not_of("0123456789.eE+-") == std::string::npos;
}

}  // namespace

bool makesOfConfig(std::string_view called) {
    const std::string_view name = called.substr(called.rfind('.') + 1);
    return (name.ends_with("ForCausalLM") &&
            name.size() > std::string_view("ForCausalLM").size()) ||
           name.ends_with("LMHeadModel");
}

void addMadeConfig(const LaunchKeys& program, LaunchKeys& keys) {
    if (loadsCheckpoint(program)) {
        return;
    }
    for (const LaunchKey& config : program.all()) {
        const std::string& called = config.path;
        const bool isConfig = called.ends_with(kConfigEnd) && called.find('.') == std::string::npos;
        const std::string stem =
            isConfig ? called.substr(0, called.size() - kConfigEnd.size()) : std::string();
        const LaunchKey* const maker = stem.empty() ? nullptr : makerOf(program, stem);
        if (maker == nullptr || stem == "Auto") {
            continue;
        }
        LaunchKey said = config;
        said.path = kConfigType;
        said.values = {typeOf(stem)};
        keys.add(said);
        for (LaunchKey field : program.all()) {
            if (field.path.starts_with(called + ".")) {
                field.path = kConfigField + field.path.substr(called.size() + 1);
                keys.add(std::move(field));
            }
        }
        if (!program.has("from_config.dtype") && !program.has("from_config.torch_dtype")) {
            said = *maker;
            said.path = "--dtype";
            said.values = {"float32"};
            keys.add(std::move(said));
        }
        return;
    }
}

bool hasMadeConfig(const LaunchKeys& keys) {
    return keys.find(kConfigType) != nullptr;
}

Result<void> importMadeConfig(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const type = keys.use(kConfigType);
    if (type == nullptr) {
        return {};
    }
    draft.set("model.model_type", type->values.front(), kConfigType);
    for (const LaunchKey& key : std::vector<LaunchKey>(keys.all())) {
        if (!key.path.starts_with(kConfigField)) {
            continue;
        }
        (void)keys.use(key.path);
        const std::string name = key.path.substr(std::string_view(kConfigField).size());
        const std::string value = key.values.size() == 1 ? key.values.front() : "$";
        const std::string path = "model." + name;
        const std::optional<bool> isOn = asPythonSwitch(value);
        if (isOn) {
            draft.set(path, *isOn, key.path);
        } else if (isNumberText(value) && value.find_first_of(".eE") == std::string::npos) {
            FABRICAST_ASSIGN(const auto number, keys.whole(key.path));
            draft.set(path, number.value_or(0), key.path);
        } else if (isNumberText(value)) {
            FABRICAST_ASSIGN(const auto number, keys.number(key.path));
            draft.set(path, number.value_or(0.0), key.path);
        } else if (value.starts_with("$") ||
                   name.find_first_not_of("0123456789") == std::string::npos) {
            return keys.refuse(key,
                               "is worked out when the program runs",
                               "the number itself, or -m FILE, its config.json");
        } else if (value != "null") {
            draft.set(path, std::string_view(value), key.path);
        }
    }
    return {};
}

}  // namespace fabricast
