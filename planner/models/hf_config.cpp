#include "planner/models/hf_config.h"

#include "planner/models/hf_checks.h"
#include "planner/models/hf_keys.h"
#include "planner/spec/check_settings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {

namespace {

std::vector<HfFamily> hfFamilies() {
    std::vector<HfFamily> families;
    for (const std::span<const HfDecoder> table : {hfDenseFamilies(), hfSparseFamilies()}) {
        for (const HfDecoder& decoder : table) {
            families.push_back({decoder.modelType, decoder.className, &decoder});
        }
    }
    for (const HfFamily& family : hfGptFamilies()) {
        families.push_back(family);
    }
    return families;
}

/// Multimodal models, and the model_type of the language model in their text_config.
struct Wrapper {
    std::string_view modelType;
    std::string_view textType;
};
constexpr std::array kWrappers{Wrapper{"gemma3", "gemma3_text"},
                               Wrapper{"llama4", "llama4_text"},
                               Wrapper{"mistral3", "mistral"}};

std::string_view typeOfClass(std::string_view className) {
    for (const HfFamily& family : hfFamilies()) {
        if (family.className == className) {
            return family.modelType;
        }
    }
    return className == "MPTForCausalLM" ? "mpt" : "";
}

/// `said` is the unknown model_type or class.
Error unknownArchitecture(const JsonValue& config, const JsonValue& said) {
    std::string known;
    for (const std::string_view name : hfModelTypes()) {
        known += (known.empty() ? "known: " : ", ") + std::string(name);
    }
    const std::string keys = keysNobodyReads(config);
    return {Error::Code::Unsupported,
            said.where(),
            said.shown() + " is not a supported architecture" +
                (keys.empty() ? "" : "; not understood: " + keys),
            std::move(known)};
}

/// The first of "architectures", or nullptr.
const JsonValue* firstArchitecture(const JsonValue& config) {
    const JsonValue* classes = config.find("architectures");
    return classes == nullptr || classes->items().empty() ? nullptr : &classes->items().front();
}

/// model_type, or what the class named under "architectures" implies.
Result<std::string> modelType(const JsonValue& config) {
    if (const JsonValue* said = config.find("model_type"); said != nullptr) {
        Result<std::string> type = said->text();
        if (!type) {
            type.error().hint = usualValue("model_type");
        }
        return type;
    }
    const JsonValue* className = firstArchitecture(config);
    if (className == nullptr) {
        return tl::unexpected(config.problem("has no \"model_type\": not the config of a model",
                                             "add \"model_type\""));
    }
    FABRICAST_ASSIGN(const std::string name, className->text());
    const std::string_view type = typeOfClass(name);
    if (type.empty()) {
        return tl::unexpected(unknownArchitecture(config, *className));
    }
    return std::string(type);
}

Result<ModelSpec> readText(const std::string& type, const HfReader& config) {
    for (const HfFamily& family : hfFamilies()) {
        if (family.modelType == type) {
            FABRICAST_TRY(checkHfValues(config.config()));
            return family.read(config);
        }
    }
    const JsonValue* said = config.config().find("model_type");
    return tl::unexpected(
        unknownArchitecture(config.config(), said == nullptr ? config.config() : *said));
}

/// The model with what its config says beyond its shape checked, and what it leaves out noted.
Result<ModelSpec> checkedBy(const JsonValue& config, ModelSpec model) {
    FABRICAST_TRY(checkTurning(config, model));
    for (std::string& note : leftOutOf(config, model)) {
        model.notes.push_back(std::move(note));
    }
    return model;
}

Result<ModelSpec> readWrapped(const Wrapper& wrapper, const JsonValue& config) {
    FABRICAST_TRY(checkHfValues(config));
    FABRICAST_ASSIGN(const JsonValue* text, config.require("text_config"));
    FABRICAST_TRY(text->expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const std::string type,
                     text->textOr("model_type", std::string(wrapper.textType)));
    FABRICAST_ASSIGN(ModelSpec model, readText(type, HfReader(*text, &config)));
    model.family = type;
    model.notes.emplace_back("language model only: the vision tower is left out");
    FABRICAST_ASSIGN(model, checkedBy(*text, std::move(model)));
    if (config.find("quantization_config") != nullptr) {
        model.notes.emplace_back(
            "quantization_config is left out: weights have the precision of the training");
    }
    return model;
}

Result<ModelSpec> readAny(const std::string& type, const JsonValue& config) {
    for (const Wrapper& wrapper : kWrappers) {
        if (wrapper.modelType == type) {
            return readWrapped(wrapper, config);
        }
    }
    FABRICAST_ASSIGN(ModelSpec model, readText(type, HfReader(config, nullptr)));
    model.family = type;
    return checkedBy(config, std::move(model));
}

}  // namespace

Result<ModelSpec> readHfConfig(const JsonValue& config) {
    if (!config.is(JsonValue::Kind::Object)) {
        return tl::unexpected(config.problem("must be an object, not " + config.shown(),
                                             "a config.json, with \"model_type\""));
    }
    FABRICAST_ASSIGN(const std::string type, modelType(config));
    FABRICAST_ASSIGN(ModelSpec model, readAny(type, config));
    FABRICAST_TRY(checkModel(model, config.where()));
    return model;
}

std::vector<std::string_view> hfModelTypes() {
    std::vector<std::string_view> types;
    for (const HfFamily& family : hfFamilies()) {
        types.push_back(family.modelType);
    }
    for (const Wrapper& wrapper : kWrappers) {
        types.push_back(wrapper.modelType);
    }
    std::sort(types.begin(), types.end());
    return types;
}

}  // namespace fabricast
