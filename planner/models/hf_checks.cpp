#include "planner/models/hf_checks.h"

#include "planner/base/nearest_name.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 3> kActivationKeys = {
    "hidden_act", "hidden_activation", "activation_function"};
/// Those of transformers' ACT2FN.
constexpr std::array<std::string_view, 22> kActivations = {"gelu",
                                                           "gelu_10",
                                                           "gelu_accurate",
                                                           "gelu_fast",
                                                           "gelu_new",
                                                           "gelu_python",
                                                           "gelu_pytorch_tanh",
                                                           "laplace",
                                                           "leaky_relu",
                                                           "linear",
                                                           "mish",
                                                           "prelu",
                                                           "quick_gelu",
                                                           "relu",
                                                           "relu2",
                                                           "relu6",
                                                           "sigmoid",
                                                           "silu",
                                                           "swish",
                                                           "swiglu",
                                                           "tanh",
                                                           "xielu"};
constexpr std::array<std::string_view, 4> kExpertKeys = {
    "num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size"};
constexpr std::array<std::string_view, 4> kWidthKeys = {
    "hidden_size", "n_embd", "n_embed", "d_model"};

const JsonValue* said(const JsonValue& config, std::string_view key) {
    const JsonValue* value = config.find(key);
    return value == nullptr || value->is(JsonValue::Kind::Null) ? nullptr : value;
}

/// What a checkpoint's weights are quantised by: "awq", "fp8"; may be empty.
std::string methodOf(const JsonValue& quantization) {
    const JsonValue* method = quantization.find("quant_method");
    return method == nullptr ? "" : method->text().value_or("");
}

}  // namespace

Result<void> checkUnshaping(const JsonValue& config) {
    for (const std::string_view key : kActivationKeys) {
        const JsonValue* value = said(config, key);
        if (value == nullptr) {
            continue;
        }
        FABRICAST_ASSIGN(const std::string name, value->text());
        if (std::ranges::find(kActivations, name) == kActivations.end()) {
            return tl::unexpected(
                value->problem("is not an activation of transformers: " + value->shown(),
                               suggestName(name, kActivations)));
        }
    }
    if (const JsonValue* theta = said(config, "rope_theta")) {
        FABRICAST_TRY(theta->number(1.0, 1e15));
    }
    return {};
}

std::vector<std::string> leftOutOf(const JsonValue& config, const ModelSpec& model) {
    std::vector<std::string> notes;
    if (const JsonValue* quantization = said(config, "quantization_config")) {
        const std::string method = methodOf(*quantization);
        notes.push_back("quantization_config" + (method.empty() ? "" : " (" + method + ")") +
                        " is left out: weights have the precision of the training");
    }
    for (const std::string_view key : kExpertKeys) {
        if (!model.moe && said(config, key) != nullptr) {
            notes.push_back(std::string(key) + " is left out: this family has no experts");
        }
    }
    if (std::ranges::none_of(
            kWidthKeys, [&config](std::string_view key) { return said(config, key) != nullptr; })) {
        notes.push_back("no hidden_size: " + std::to_string(model.hidden) +
                        ", the default of transformers");
    }
    return notes;
}

}  // namespace fabricast
