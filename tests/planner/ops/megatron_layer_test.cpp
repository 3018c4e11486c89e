#include "planner/ops/megatron_layer.h"

#include "tests/support/case_table.h"

#include <gtest/gtest.h>

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

TEST(MegatronLayer, RefusesModelsThatMegatronHasNoLayerFor) {
    Scenario scenario = scenarioOf(readCases("megatron_layer_bytes.csv").front());
    scenario.model.normsPerLayer = 4;
    EXPECT_FALSE(megatronLayer(scenario, 0));
}

}  // namespace
}  // namespace fabricast
