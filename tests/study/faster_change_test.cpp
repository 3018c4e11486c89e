#include "study/better_changes.h"
#include "study/explain.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace faster_change_test {

const Workbench& testWorkbench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

class FasterBatches : public testing::TestWithParam<const char*> {};

// A change takes no work from the step, however the batch is stated, and what is suggested, typed,
// takes as long as was said.
TEST_P(FasterBatches, StayWhatTheyWere) {
    const Question question = parseQuestion(std::string(R"({
        "model": "llama-3.1-8b", "cluster": {"name": "dgx-h100", "nodes": 4}, "stack": "megatron",
        "workload": {"sequence": 8192)") + GetParam() +
                                                R"(}, "layout": "recompute=full,tp=4"})",
                                            "run.json",
                                            {})
                                  .value();
    const Explanation before =
        explain(question, {.memory = true, .step = true, .faster = true}, testWorkbench(), {})
            .value();
    ASSERT_TRUE(before.faster);
    const Question changed = with(question, before.faster->edits).value();
    const Explanation after = explain(changed, {.step = true}, testWorkbench(), {}).value();
    EXPECT_EQ(after.scenario.workload.globalBatch, before.scenario.workload.globalBatch)
        << before.faster->set;
    EXPECT_EQ(after.step->step.value, before.faster->step.value);
    EXPECT_GT(after.step->tokensPerSecond, before.step->tokensPerSecond) << before.faster->set;
    for (const Edit& edit : before.faster->edits) {
        EXPECT_NE(before.faster->set.find(edit.path + "=" + edit.value), std::string::npos);
    }
}

INSTANTIATE_TEST_SUITE_P(Samples,
                         FasterBatches,
                         testing::Values("",
                                         R"(, "global_batch": 32)",
                                         R"(, "global_batch": "4 per rank")",
                                         R"(, "global_batch": "250k tokens")"));

}  // namespace faster_change_test
}  // namespace fabricast
