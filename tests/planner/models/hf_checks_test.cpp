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

TEST(HfChecks, TurnsColumnsInPairs) {
    EXPECT_TRUE(read(R"(, "partial_rotary_factor": 0.25)"));
    EXPECT_TRUE(read(R"(, "rope_parameters": {"partial_rotary_factor": 0.5})"));
    const auto said = [](const std::string& more) { return read(more).error(); };
    EXPECT_EQ(
        said(R"(, "partial_rotary_factor": 0.2)").why,
        "\"partial_rotary_factor\" makes 25 columns of a head turn, which are turned in pairs");
    EXPECT_EQ(said(R"(, "head_dim": 33)").where, "config.json:1:61");
    EXPECT_EQ(said(R"(, "head_dim": 33)").hint, "an even number of them: 34");
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
