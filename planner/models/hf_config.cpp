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
    bool flat = false;  ///< older files have the keys of the language model beside vision_config
};
constexpr std::array kWrappers{Wrapper{"gemma3", "gemma3_text"},
                               Wrapper{"llama4", "llama4_text"},
                               Wrapper{"mistral3", "mistral"},
                               Wrapper{"qwen2_5_vl", "qwen2_5_vl_text", true}};

/// What is not modelled, what comes nearest to it, and what differs.
struct Near {
    std::string_view modelType;
    std::string_view nearest;
    std::string_view differs;
};
constexpr std::array kNear{
    Near{"bailing_moe", "qwen2_moe", "it has one matrix for queries, keys and values"},
    Near{"cohere", "llama", "its layers add attention and MLP at once, after one norm"},
    Near{"cohere2", "llama", "its layers add attention and MLP at once, after one norm"},
    Near{"dbrx", "mixtral", "it has LayerNorm and clamps queries, keys and values"},
    Near{"deepseek_v32", "deepseek_v3", "it adds an indexer that chooses the keys of each query"},
    Near{"deepseek_vl_v2", "deepseek_v2", "it adds a vision tower"},
    Near{"dots1", "glm4_moe", "it rotates whole heads"},
    Near{"ernie4_5_moe", "qwen2_moe", "its router has a frozen bias among the parameters"},
    Near{"exaone4",
         "olmo2",
         "its norms are of each head, and layers without a window do not rotate"},
    Near{"gemma3n", "gemma3_text", "it adds embeddings for each layer and shares keys and values"},
    Near{"gemma3n_text",
         "gemma3_text",
         "it adds embeddings for each layer and shares keys and values"},
    Near{"glm4_moe_lite", "deepseek_v3", "its config class has other defaults"},
    Near{"granitemoehybrid", "granitemoe", "it adds Mamba layers and a shared expert"},
    Near{"granitemoeshared", "granitemoe", "it adds a shared expert"},
    Near{"hunyuan_v1_dense", "qwen3", "it norms queries and keys once they are rotated"},
    Near{"hunyuan_v1_moe", "qwen3_moe", "it norms queries and keys once they are rotated"},
    Near{"internlm2", "llama", "it has one matrix for queries, keys and values"},
    Near{"internlm3", "llama", "it has biases by keys of its own"},
    Near{"ministral3", "mistral", "it scales queries by their position"},
    Near{"nemotron", "llama", "it has LayerNorm and an MLP of two matrices"},
    Near{"olmo", "llama", "it has LayerNorm without parameters"},
    Near{"qwen2_vl", "qwen2_5_vl", "its config class has other defaults"},
    Near{"qwen3_next",
         "qwen3_moe",
         "three of four of its layers have a gated delta net for attention"},
    Near{"qwen3_vl", "qwen3", "it adds features of the vision tower to its first layers"},
    Near{"qwen3_vl_moe", "qwen3_moe", "it adds features of the vision tower to its first layers"},
    Near{"starcoder2", "llama", "it has LayerNorm and an MLP of two matrices, with biases"}};

std::string_view typeOfClass(std::string_view className) {
    for (const HfFamily& family : hfFamilies()) {
        if (family.className == className) {
            return family.modelType;
        }
    }
    return className == "MPTForCausalLM" ? "mpt" : "";
}

constexpr const char* kDescribe =
    R"(or describe the model by its "shape" in a file of fabricast.model/1)";

/// `said` is the unknown model_type or class.
Error unknownArchitecture(const JsonValue& config, const JsonValue& said) {
    std::string known;
    for (const std::string_view name : hfModelTypes()) {
        known += (known.empty() ? "known: " : ", ") + std::string(name);
    }
    const std::string keys = keysNobodyReads(config);
    const std::string why = said.shown() + " is not a supported architecture" +
                            (keys.empty() ? "" : "; not understood: " + keys);
    const std::string type = said.text().value_or("");
    const auto* const near = std::ranges::find(kNear, type, &Near::modelType);
    if (near == kNear.end()) {
        return {Error::Code::Unsupported, said.where(), why, known + "; " + kDescribe};
    }
    return {Error::Code::Unsupported,
            said.where(),
            why,
            "nearest: " + std::string(near->nearest) + "; " + std::string(near->differs) + "; " +
                kDescribe};
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
    const bool flat = wrapper.flat && config.find("text_config") == nullptr;
    FABRICAST_ASSIGN(const JsonValue* text,
                     flat ? Result<const JsonValue*>(&config) : config.require("text_config"));
    FABRICAST_TRY(text->expect(JsonValue::Kind::Object));
    FABRICAST_ASSIGN(const std::string type,
                     flat ? Result<std::string>(std::string(wrapper.textType))
                          : text->textOr("model_type", std::string(wrapper.textType)));
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
