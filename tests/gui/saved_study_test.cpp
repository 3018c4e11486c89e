#include "gui/document/saved_study.h"

#include "study/plan.h"
#include "study/said_value.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string inFolder(const std::string& name) {
    return (std::filesystem::path(testing::TempDir()) / name).string();
}

Question smallQuestion() {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    return with(readQuestion("", "").value(), edits).value();
}

TEST(SavedStudy, ComesBackAsItWas) {
    const std::string file = inFolder("saved_study.json");
    const SavedStudy study{smallQuestion(), {.page = "memory", .chosen = "ddp dp=8", .other = ""}};
    ASSERT_TRUE(saveStudy(study, file));
    const SavedStudy opened = openStudy(file).value();
    EXPECT_EQ(opened.view.page, "memory");
    EXPECT_EQ(opened.view.chosen, "ddp dp=8");
    EXPECT_EQ(opened.view.other, "");
    EXPECT_EQ(saidValue(opened.question, "workload.global_batch"), "64");
}

TEST(SavedStudy, IsAScenarioWithTheSameAnswer) {
    const std::string file = inFolder("saved_scenario.json");
    ASSERT_TRUE(saveStudy({smallQuestion(), {.page = "memory"}}, file));
    const Workbench bench = Workbench::open({}).value();
    const PlanReport before = plan(smallQuestion(), {}, bench, {}).value();
    const PlanReport after = plan(readQuestion(file, "").value(), {}, bench, {}).value();
    ASSERT_FALSE(before.plans.empty());
    EXPECT_EQ(after.plans.front().step.step.value, before.plans.front().step.step.value);
}

TEST(SavedStudy, WhatIsShownNoMoreIsNotInTheFile) {
    const std::string file = inFolder("healed.json");
    ASSERT_TRUE(saveStudy({smallQuestion(), {.page = "topology", .failed = "node0"}}, file));
    SavedStudy opened = openStudy(file).value();
    opened.view.failed.clear();  // healed
    ASSERT_TRUE(saveStudy(opened, file));
    EXPECT_EQ(openStudy(file).value().view.failed, "");
    EXPECT_EQ(openStudy(file).value().view.page, "topology");
}

TEST(SavedStudy, SaysWhyItCannotBeSaved) {
    const auto saved = saveStudy({smallQuestion(), {}}, "/nowhere/at/all.json");
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Error::Code::Environment);
    EXPECT_EQ(saved.error().where, "/nowhere/at/all.json");
}

TEST(SavedStudy, AScenarioOfSomebodyElseOpensWithoutAView) {
    const std::string file = inFolder("plain_scenario.json");
    std::ofstream(file) << R"({"model": "gpt2", "cluster": "8x-rtx-4090"})";
    const SavedStudy opened = openStudy(file).value();
    EXPECT_EQ(opened.view.page, "");
    EXPECT_EQ(saidValue(opened.question, "cluster.name"), "8x-rtx-4090");
}

}  // namespace
}  // namespace fabricast
