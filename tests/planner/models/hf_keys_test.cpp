#include "planner/models/hf_keys.h"

#include "planner/models/hf_config.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// A config of `type` with one more key, whose value stands in line 2, column 1.
Result<ModelSpec> read(const std::string& type,
                       std::string_view key,
                       const std::string& value,
                       const std::string& around = "") {
    const std::string inner = "\"" + std::string(key) + "\":\n" + value;
    const std::string member = around.empty() ? inner : "\"" + around + "\": {" + inner + "}";
    const std::string text = "{\"model_type\": \"" + type + "\"";
    return readHfConfig(
        parseJson(text + (key == "model_type" ? "}" : ", " + member + "}"), "c").value());
}

struct Odd {
    std::string value;
    unsigned taken = 0;  ///< by keys that take one of these
};

/// No key takes what is not of its kind, nor a number that is no size, no share and no rate.
std::vector<Odd> oddValues() {
    return {{"true", HfKey::Flag},
            {"\"NaN\"", HfKey::Text},
            {"\"\"", HfKey::Text},
            {"-2"},
            {"-0.5"},
            {"1e30"},
            {"{}", HfKey::Object | HfKey::Rotation},
            {"[]", HfKey::Wholes | HfKey::Numbers | HfKey::Texts},
            {"[-2]"},
            {"[{}]"},
            {"[1e30]"},
            {"[\"\"]", HfKey::Texts}};
}

void expectRefused(std::span<const HfKey> keys, const std::string& around) {
    for (const HfKey& key : keys) {
        if (key.name == "model_type" || key.name == "text_config") {
            continue;  // what the file is, read before any other key
        }
        for (const Odd& odd : oddValues()) {
            const bool isName = !key.names.empty() && odd.taken == HfKey::Text;
            if (!isName && (key.takes & odd.taken) != 0U) {
                continue;
            }
            const Result<ModelSpec> model = read("llama", key.name, odd.value, around);
            ASSERT_FALSE(model) << key.name << ": " << odd.value;
            const Error error = model.error();
            EXPECT_TRUE(error.where.starts_with("c:2:")) << key.name << odd.value << error.text();
            EXPECT_FALSE(error.hint.empty()) << error.text();
        }
    }
}

TEST(HfKeys, NoKeyTakesWhatIsNotOfItsKind) {
    expectRefused(hfKeys(), "");
    expectRefused(hfRotationKeys(), "rope_scaling");
    expectRefused(hfRotationKeys(), "rope_parameters");
}

TEST(HfKeys, AreSortedAndNamedOnce) {
    for (const auto keys : {hfKeys(), hfRotationKeys()}) {
        EXPECT_EQ(std::ranges::adjacent_find(keys, std::ranges::greater_equal{}, &HfKey::name),
                  keys.end());
    }
}

struct Value {
    std::string type;
    std::string key;
    std::string value;
    std::string why;  ///< "": taken
};

TEST(HfKeys, WhatTransformersDividesByIsAboveZero) {
    const std::vector<Value> values = {
        {"gemma2", "final_logit_softcapping", "0", "above 0 and at most 1000000, not 0"},
        {"gemma2", "final_logit_softcapping", "null", ""},
        {"gemma2", "attn_logit_softcapping", "{}", "a number above 0"},
        {"gemma2", "attn_logit_softcapping", "null", ""},
        {"gemma2", "query_pre_attn_scalar", "-1", "not -1"},
        {"gemma2", "query_pre_attn_scalar", "[]", "not a list"},
        {"gemma2", "query_pre_attn_scalar", "224", ""},
        {"gemma3_text", "rope_local_base_freq", "\"\"", "a number from 1"},
        {"gemma3_text", "rope_local_base_freq", "10000", ""},
        {"llama", "rope_scaling", "7", "must be an object, not 7"},
        {"llama", "rope_scaling", "[1, 2]", "must be an object, not a list"},
        {"llama", "rope_scaling", "{\"rope_type\": \"linear\", \"factor\": 2.0}", ""},
        {"llama", "rope_scaling", "{\"factor\": 0}", "above 0"},
        {"llama", "rope_scaling", "{\"type\": \"liner\"}", "which transformers has not"},
        {"gemma3_text",
         "rope_parameters",
         "{\"full_attention\": {\"rope_theta\": -1}}",
         "\"rope_theta\" must be a number from 1"},
        {"opt", "dropout", "7", "from 0 to 1, not 7"},
        {"mixtral", "router_jitter_noise", "[1]", "not a list"},
        {"gpt_oss", "swiglu_limit", "{}", "not an object"},
        {"glm4_moe", "topk_group", "[1, 2]", "a whole number from 1"},
        {"glm4_moe", "n_group", "{}", "a whole number from 1"},
        {"llama", "eos_token_id", "[1, 2]", ""},
        {"llama", "hidden_act", "\"gelo\"", "\"gelo\", which transformers has not"},
        {"llama", "my_own_key", "{}", ""}};
    for (const Value& value : values) {
        const Result<ModelSpec> model = read(value.type, value.key, value.value);
        EXPECT_EQ(model.has_value(), value.why.empty()) << value.key << ": " << value.value;
        if (!model) {
            EXPECT_NE(model.error().why.find(value.why), std::string::npos) << model.error().text();
        }
    }
}

}  // namespace
}  // namespace fabricast
