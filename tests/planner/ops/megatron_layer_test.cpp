#include "planner/ops/megatron_layer.h"

#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace fabricast {
namespace {

std::int64_t number(const CaseRow& row, const char* column) {
    return std::stoll(row.at(column));
}

Scenario scenarioOf(const CaseRow& row) {
    Scenario scenario;
    ModelSpec& model = scenario.model;
    model.layers = 1;
    model.vocab = 128;
    model.hidden = number(row, "h");
    model.mlp.width = number(row, "ffn");
    model.attention.heads = number(row, "heads");
    model.attention.kvHeads = number(row, "kv");
    model.attention.headDim = number(row, "d");
    scenario.workload.sequence = number(row, "s");
    scenario.layout.microBatch = number(row, "b");
    scenario.layout.tp = number(row, "tp");
    scenario.layout.sp = number(row, "sp") != 0;
    Settings& settings = scenario.settings;
    settings.kernels.code = ModelCode::TransformerEngine;
    settings.kernels.activation = ActivationKernel::Fused;
    settings.precision.parameters = Dtype::Bf16;
    if (row.at("kind") == "gpt") {
        model.norm = NormKind::Layer;
        model.position = PositionKind::Learned;
        model.mlp = {.kind = MlpKind::Plain, .width = model.mlp.width, .bias = true};
        model.attention.qkvBias = model.attention.outBias = true;
        settings.kernels.attention = AttentionKernel::Unfused;
        settings.kernels.dropout = 0.1;
    }
    if (row.at("recompute") != "none") {
        settings.recompute = {.kind = Checkpointing::Modules, .modules = {row.at("recompute")}};
    }
    return scenario;
}

/// What the formulas leave out: a norm's mean and deviation per row, the attention's random state.
std::int64_t leftOut(const Scenario& scenario, std::int64_t tokens) {
    const bool layerNorm = scenario.model.norm == NormKind::Layer;
    const std::int64_t rows = scenario.layout.sp ? tokens / scenario.layout.tp : tokens;
    return rows * 2 * (layerNorm ? 8 : 4) + (layerNorm ? 0 : 24);
}

TEST(MegatronLayer, KeepsWhatTheOpListsOfTheLiteratureKeep) {
    for (const CaseRow& row : readCases("megatron_layer_bytes.csv")) {
        const Scenario scenario = scenarioOf(row);
        const auto layer = megatronLayer(scenario, 0);
        ASSERT_TRUE(layer) << layer.error().text();
        const std::int64_t tokens = number(row, "s") * number(row, "b");
        EXPECT_EQ(savedBytes(*layer, true) - leftOut(scenario, tokens),
                  tokens * number(row, "bytes_per_token"))
            << row.at("source") << " " << row.at("model") << " tp " << row.at("tp") << " sp "
            << row.at("sp") << " recompute " << row.at("recompute");
    }
}

TEST(MegatronLayer, RecomputedNormsFreeTheirOutputs) {
    Scenario scenario = scenarioOf(readCases("megatron_layer_bytes.csv").front());
    const std::int64_t all = savedBytes(*megatronLayer(scenario, 0), true);
    scenario.settings.recompute = {.kind = Checkpointing::Modules, .modules = {"layernorm"}};
    const std::int64_t rest = savedBytes(*megatronLayer(scenario, 0), true);
    // Two outputs of 2h and two deviations of 4 bytes, per token.
    EXPECT_EQ(all - rest, scenario.workload.sequence * (2 * 2 * scenario.model.hidden + 2 * 4));
}

// Both norms' outputs and the activation are kept in 8 bits, and the output of attention in 8 more
// beside the 16 that its own backward reads.
TEST(MegatronLayer, KeepsInputsOfProductsInTheBitsThatTheyAreMultipliedIn) {
    const auto rows = readCases("megatron_layer_bytes.csv");
    const auto plain = std::ranges::find_if(rows, [](const CaseRow& row) {
        return row.at("kind") != "gpt" && row.at("tp") == "1" && row.at("recompute") == "none";
    });
    ASSERT_NE(plain, rows.end());
    Scenario scenario = scenarioOf(*plain);
    const std::int64_t wide = savedBytes(*megatronLayer(scenario, 0), true);
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    const std::int64_t narrow = savedBytes(*megatronLayer(scenario, 0), true);
    const AttentionSpec& attention = scenario.model.attention;
    const std::int64_t saved =
        2 * scenario.model.hidden + scenario.model.mlp.width - attention.heads * attention.headDim;
    EXPECT_EQ(wide - narrow, saved * scenario.workload.sequence * scenario.layout.microBatch);
}

std::int64_t opsNamed(const OpList& list, std::string_view name) {
    return std::count_if(
        list.ops.begin(), list.ops.end(), [name](const Op& op) { return op.name == name; });
}

// apply_rotary_pos_emb of Megatron-Core 0.16: "mscale is not supported by TE's fused RoPE".
TEST(MegatronLayer, WritesRotaryEmbeddingOutWhereItIsScaledOrNotFused) {
    Scenario scenario = scenarioOf(readCases("megatron_layer_bytes.csv").front());
    const auto fused = [&scenario] { return opsNamed(*megatronLayer(scenario, 0), "rope"); };
    const auto halves = [&scenario] {
        return opsNamed(*megatronLayer(scenario, 0), "rotate_half");
    };
    EXPECT_EQ(fused(), 2);
    EXPECT_EQ(halves(), 0);
    scenario.model.attention.scaledRotary = true;
    EXPECT_EQ(fused(), 0);
    EXPECT_EQ(halves(), 2);
    scenario.model.attention.scaledRotary = false;
    scenario.settings.megatron.ropeFusion = false;
    EXPECT_EQ(fused(), 0);
    EXPECT_EQ(halves(), 2);
}

TEST(MegatronLayer, LatentAttentionCopiesItsHeadsWithoutTheFusedRotation) {
    Scenario scenario = scenarioOf(readCases("megatron_layer_bytes.csv").front());
    AttentionSpec& attention = scenario.model.attention;
    attention = {.kind = AttentionKind::Latent,
                 .heads = attention.heads,
                 .kvHeads = attention.heads,
                 .headDim = 192,
                 .qLoraRank = 1536,
                 .kvLoraRank = 512,
                 .qkNopeDim = 128,
                 .qkRopeDim = 64,
                 .vHeadDim = 128};
    const OpList fused = *megatronLayer(scenario, 0);
    scenario.settings.megatron.ropeFusion = false;
    const OpList written = *megatronLayer(scenario, 0);
    EXPECT_EQ(opsNamed(fused, "rotate_half"), 0);
    EXPECT_EQ(opsNamed(written, "rotate_half"), 2);
    EXPECT_EQ(opsNamed(written, "rope"), 0);
    EXPECT_EQ(opsNamed(written, "attention"), opsNamed(fused, "attention"));
}

TEST(MegatronLayer, RefusesModelsThatMegatronHasNoLayerFor) {
    Scenario scenario = scenarioOf(readCases("megatron_layer_bytes.csv").front());
    scenario.model.normsPerLayer = 4;
    EXPECT_FALSE(megatronLayer(scenario, 0));
}

}  // namespace
}  // namespace fabricast
