#include "planner/request/scenario_json.h"

#include "planner/request/settings_json.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Result<ScenarioRequest> read(std::string_view text) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "s.json"));
    return readScenario(root);
}

TEST(ScenarioJson, ReadsEveryPart) {
    const auto request = read(R"({ // who trains what
        "schema": "fabricast.scenario/1", "name": "a run",
        "model": "llama-3.1-8b",
        "cluster": {"name": "dgx-h100", "nodes": 2, "fabric": "ib-ndr"},
        "stack": "torchtitan",
        "workload": {"sequence": 8192, "global_batch": "4M tokens", "precision": "bf16",
                     "optimizer": "lion", "tokens": "15T"},
        "layout": {"tp": 8, "recompute": "full"},
        "settings": {"kernels": {"loss": "chunked"}},
        "search": {"top": 3}, "require": ["fits"], "price": "cloud"})");
    ASSERT_TRUE(request) << request.error().text();
    EXPECT_EQ(request->model.text(), "llama-3.1-8b");
    EXPECT_EQ(request->cluster.name, "dgx-h100");
    EXPECT_EQ(request->cluster.nodes, 2);
    EXPECT_EQ(request->workload.sequence, 8192);
    EXPECT_EQ(request->workload.globalBatchTokens, Tokens(4'000'000));
    EXPECT_EQ(request->workload.optimizer, OptimizerKind::Lion);
    EXPECT_TRUE(request->layout.says("recompute"));
    EXPECT_TRUE(request->settings.is(JsonValue::Kind::Object));
}

TEST(ScenarioJson, AClusterIsANameOrGpusInBoxes) {
    EXPECT_EQ(read(R"({"cluster": "dgx-h100"})")->cluster.name, "dgx-h100");
    const auto built = read(R"({"cluster": {"gpu": "rtx-4090", "gpus_per_node": 4, "gpus": 8}})");
    ASSERT_TRUE(built);
    EXPECT_EQ(built->cluster.gpusPerNode, 4);
    EXPECT_EQ(built->cluster.gpus, 8);
}

TEST(ScenarioJson, PlacementHasAnOlderSpelling) {
    const auto request = read(R"({"settings": {"megatron": {"pipeline_inside": true}}})");
    ASSERT_TRUE(request) << request.error().text();
    EXPECT_TRUE(request->layout.says("placement"));
    EXPECT_EQ(request->layout.layout.placement, RankPlacement::PpInside);
    EXPECT_TRUE(applySettings(request->settings, {}));
    const auto both = read(R"({"layout": {"placement": "dp_inside"},
                               "settings": {"megatron": {"pipeline_inside": true}}})");
    EXPECT_EQ(both.error().text().substr(0, 11), "s.json:2:77");  // the older spelling
}

TEST(ScenarioJson, ErrorsStandWhereTheMistakeIs) {
    const auto why = [](std::string_view text) { return read(text).error().text(); };
    EXPECT_EQ(why("{\"modell\": 1}"),
              "s.json:1:2: unknown key \"modell\" (did you mean \"model\"?)");
    EXPECT_EQ(why(R"({"seq": 4096})"),
              "s.json:1:2: unknown key \"seq\" (did you mean \"workload.sequence\"?)");
    EXPECT_EQ(why(R"({"global-batch": 64})"),
              "s.json:1:2: unknown key \"global-batch\" (did you mean \"workload.global_batch\"?)");
    EXPECT_EQ(why(R"({"tuning": "qlora"})"),
              "s.json:1:2: unknown key \"tuning\" (did you mean \"settings.tuning\"?)");
    EXPECT_EQ(why(R"({"recompute": "full"})"),
              "s.json:1:2: unknown key \"recompute\" (did you mean \"layout.recompute\"?)");
    EXPECT_EQ(why("{\n\"workload\": {\"sequence\": 0}}"),
              "s.json:2:26: \"sequence\" must be a whole number from 1 to 16777216, not 0");
    EXPECT_EQ(why(R"({"schema": "fabricast.plan/1"})").substr(0, 12), "s.json:1:12:");
    EXPECT_EQ(why(R"({"workload": {"global_batch": "4 GB"}})").substr(0, 12), "s.json:1:31:");
    EXPECT_EQ(why(R"({"require": "fits"})").substr(0, 12), "s.json:1:13:");
    EXPECT_EQ(why(R"({"search": []})").substr(0, 12), "s.json:1:12:");
    EXPECT_EQ(why(R"({"settings": null})").substr(0, 12), "s.json:1:14:");
    EXPECT_EQ(why("[]"), "s.json:1:1: the text must be an object, not a list");
}

TEST(ScenarioJson, MapsTransformersNamesOfOptimizers) {
    const auto hintFor = [](const std::string& name) {
        const JsonValue root =
            parseJson(R"({"workload": {"optimizer": ")" + name + R"("}})", "run.json").value();
        return readScenario(root).error().hint;
    };
    EXPECT_EQ(hintFor("adamw_torch_8bit"),
              "--optimizer adamw_8bit --set settings.optimizer.library=torchao");
    EXPECT_EQ(hintFor("adamw_torch_fused"), "--optimizer adamw");
    EXPECT_EQ(hintFor("adamx"), "did you mean \"adamw\"?");
}

}  // namespace
}  // namespace fabricast
