#include "planner/report/explanation_report.h"
#include "planner/text/json_document.h"
#include "tests/support/memory_example.h"
#include "tests/support/step_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(ExplainJson, HoldsMemory) {
    const std::string text = explainJson(
        {.scenario = exampleScenario(), .verdict = Verdict::DoesNotFit, .memory = exampleMemory()},
        {},
        "0.0.0");
    const auto root = parseJson(text, "out");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->find("schema")->text(), "fabricast.explain/1");
    EXPECT_EQ(root->find("verdict")->text(), "does_not_fit");
    const JsonValue& memory = *root->find("memory");
    EXPECT_EQ(memory.find("capacity_bytes")->integer({}), std::int64_t{79} << 30);
    for (const char* key : {"value", "lo", "hi", "evidence"}) {
        EXPECT_TRUE(memory.find("peak_bytes")->find(key)) << key;
    }
    for (const char* key :
         {"weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes"}) {
        EXPECT_TRUE(memory.find("stages")->items()[0].find(key)) << key;
    }
}

TEST(ExplainJson, HoldsTimeAndCommunication) {
    const Explanation both{
        .scenario = exampleScenario(), .whyNoVerdict = "not modelled", .step = exampleStep()};
    const auto root = parseJson(explainJson(both, {.time = true, .comm = true}, "0.0.0"), "out");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_TRUE(root->find("verdict")->is(JsonValue::Kind::Null));
    EXPECT_EQ(root->find("verdict_why")->text(), "not modelled");
    EXPECT_FALSE(root->find("memory"));
    const JsonValue& time = *root->find("time");
    for (const char* key : {"value", "lo", "hi", "evidence"}) {
        EXPECT_TRUE(time.find("step_s")->find(key)) << key;
    }
    for (const char* key : {"tokens_per_s_gpu", "mfu", "stage"}) {
        EXPECT_TRUE(time.find(key)) << key;
    }
    double sum = 0.0;
    for (const JsonValue& part : time.find("parts")->members()) {
        sum += part.number(0, 1e9).value_or(-1.0);
    }
    EXPECT_NEAR(sum, time.find("step_s")->find("value")->number(0, 1e9).value_or(0.0), 1e-9);
    ASSERT_EQ(root->find("comm")->items().size(), 2U);
    for (const char* key : {"axis",
                            "fabric",
                            "collective",
                            "group_size",
                            "bytes",
                            "count",
                            "seconds",
                            "exposed_seconds"}) {
        EXPECT_TRUE(root->find("comm")->items()[0].find(key)) << key;
    }
}

TEST(ExplainJson, HoldsOnlyWhatWasAsked) {
    const Explanation comm{.scenario = exampleScenario(), .step = exampleStep()};
    const auto root = parseJson(explainJson(comm, {.comm = true}, "0.0.0"), "out");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_FALSE(root->find("time"));
    EXPECT_TRUE(root->find("comm"));
}

}  // namespace
}  // namespace fabricast
