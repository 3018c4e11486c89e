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
/// Numbers that transformers computes with, between what it can: a share of a head's width that
/// turns, a rate of dropped values, what keeps a norm from dividing by 0.
struct NumberKey {
    std::string_view name;
    double least = 0.0;
    double most = 1.0;
    std::string_view usual;
};
constexpr std::array kNumberKeys = {NumberKey{"rope_theta", 1.0, 1e15, "10000.0"},
                                    NumberKey{"partial_rotary_factor", 0.0, 1.0, "1.0"},
                                    NumberKey{"rotary_pct", 0.0, 1.0, "0.25"},
                                    NumberKey{"attention_dropout", 0.0, 1.0, "0.0"},
                                    NumberKey{"hidden_dropout", 0.0, 1.0, "0.0"},
                                    NumberKey{"resid_pdrop", 0.0, 1.0, "0.0"},
                                    NumberKey{"embd_pdrop", 0.0, 1.0, "0.0"},
                                    NumberKey{"attn_pdrop", 0.0, 1.0, "0.0"},
                                    NumberKey{"rms_norm_eps", 0.0, 1.0, "1e-06"},
                                    NumberKey{"layer_norm_eps", 0.0, 1.0, "1e-05"},
                                    NumberKey{"layer_norm_epsilon", 0.0, 1.0, "1e-05"},
                                    NumberKey{"initializer_range", 0.0, 1e3, "0.02"},
                                    NumberKey{"router_aux_loss_coef", 0.0, 1e3, "0.001"},
                                    NumberKey{"routed_scaling_factor", 0.0, 1e6, "1.0"}};

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

Result<void> checkNumber(const JsonValue& value, const NumberKey& key) {
    const Result<double> number = value.number(key.least, key.most);
    if (number) {
        return {};
    }
    Error error = number.error();
    error.hint = "\"" + std::string(key.name) + "\": " + std::string(key.usual) +
                 ", or leave it out for the default of its family";
    return tl::unexpected(std::move(error));
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
    for (const NumberKey& key : kNumberKeys) {
        if (const JsonValue* value = said(config, key.name)) {
            FABRICAST_TRY(checkNumber(*value, key));
        }
    }
    if (const JsonValue* quantization = said(config, "quantization_config")) {
        FABRICAST_TRY(quantization->expect(JsonValue::Kind::Object));
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
