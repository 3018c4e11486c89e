#include "planner/models/hf_checks.h"

#include "planner/models/hf_config.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Result<ModelSpec> read(const std::string& more) {
    const auto config =
        parseJson(R"({"model_type": "llama", "num_hidden_layers": 2)" + more + "}", "config.json");
    return readHfConfig(config.value());
}

TEST(HfChecks, RefusesWhatTransformersWouldNotBuild) {
    EXPECT_TRUE(read(R"(, "hidden_act": "silu", "rope_theta": 500000.0)"));
    const auto act = read(R"(, "hidden_act": "gelo")");
    ASSERT_FALSE(act);
    EXPECT_EQ(act.error().hint, "did you mean \"gelu\"?");
    EXPECT_FALSE(read(R"(, "hidden_act": 3)"));
    EXPECT_FALSE(read(R"(, "rope_theta": -3)"));
    EXPECT_FALSE(read(R"(, "rope_theta": "big")"));
    EXPECT_TRUE(read(R"(, "partial_rotary_factor": 0.25, "rms_norm_eps": 1e-06)"));
    EXPECT_FALSE(read(R"(, "partial_rotary_factor": 1.5)"));
    EXPECT_FALSE(read(R"(, "rms_norm_eps": "small")"));
    EXPECT_FALSE(read(R"(, "quantization_config": "awq")"));
    const auto turned = read(R"(, "partial_rotary_factor": -1)");
    ASSERT_FALSE(turned);
    EXPECT_TRUE(turned.error().where.starts_with("config.json:1:")) << turned.error().where;
    EXPECT_EQ(turned.error().hint,
              "\"partial_rotary_factor\": 1.0, or leave it out for the default of its family");
}

TEST(HfChecks, SaysWhatIsLeftOut) {
    const ModelSpec model =
        read(R"(, "num_experts": 8, "quantization_config": {"quant_method": "awq"})").value();
    const std::vector<std::string> said = {
        "quantization_config (awq) is left out: weights have the precision of the training",
        "num_experts is left out: this family has no experts",
        "no hidden_size: 4096, the default of transformers"};
    EXPECT_EQ(model.notes, said);
    EXPECT_TRUE(read(R"(, "hidden_size": 4096)")->notes.empty());
}

}  // namespace
}  // namespace fabricast
