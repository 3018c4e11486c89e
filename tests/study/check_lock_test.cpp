#include "study/check_lock.h"

#include "planner/text/text_files.h"
#include "study/check.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fabricast {
namespace {

const Workbench& lockWorkbench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

Question runWith(const std::string& layout, const Folders& folders = {}) {
    const std::string model = folders.file.empty() ? "llama-3.1-8b" : "mine.json";
    return parseQuestion("{\"model\": \"" + model +
                             "\", \"cluster\": \"dgx-h100\", \"stack\": \"fsdp2\", \"layout\": \"" +
                             layout + "\"}",
                         "run.json",
                         folders)
        .value();
}

CheckReport checked(const Question& question, const CheckAsk& ask = {}) {
    return check(question, ask, lockWorkbench(), {}).value();
}

CheckLock toolOf(const std::string& version = "1.0") {
    return lockOfTool(lockWorkbench().profiles(), version);
}

CheckLock lockFor(const Question& question) {
    return lockOf(toolOf(), {{.source = "run.json", .report = checked(question), .error = {}}});
}

LockDifference since(const CheckLock& lock, const CheckLock& tool, const Question& question) {
    const CheckAsk ask{.lock = std::make_shared<const LockToday>(LockToday{lock, tool})};
    return checked(question, ask).lock.value();
}

TEST(CheckLock, IsReadBackAsItIsWritten) {
    const CheckLock lock = lockFor(runWith("recompute=full"));
    EXPECT_GT(lock.profiles.size(), 100U);
    EXPECT_EQ(lock.scenarios.at("run.json").values.size(), 4U);
    EXPECT_EQ(parseLock(lockText(lock), "fabricast.lock").value(), lock);
}

TEST(CheckLock, SaysNothingWhereNothingChanged) {
    const CheckLock lock = lockFor(runWith("recompute=full"));
    const LockDifference same = since(lock, toolOf(), runWith("recompute=full"));
    EXPECT_FALSE(same.isNew);
    EXPECT_FALSE(same.scenarioChanged);
    EXPECT_TRUE(same.tool.empty());
    EXPECT_TRUE(same.values.empty());
}

TEST(CheckLock, TellsAChangedScenarioFromAChangedTool) {
    const CheckLock lock = lockFor(runWith("recompute=full"));
    const LockDifference scenario = since(lock, toolOf(), runWith("recompute=none"));
    EXPECT_TRUE(scenario.scenarioChanged);
    EXPECT_TRUE(scenario.tool.empty());
    EXPECT_EQ(scenario.values.size(), 4U);

    CheckLock older = lock;
    older.version = "0.9";
    older.profiles["gpu/h100-sxm5-80gb"] = "0123456789abcdef";
    older.scenarios["run.json"].values["step_s"] *= 0.5;
    const LockDifference tool = since(older, toolOf(), runWith("recompute=full"));
    EXPECT_FALSE(tool.scenarioChanged);
    EXPECT_EQ(tool.tool, (std::vector<std::string>{"fabricast 0.9 -> 1.0", "gpu/h100-sxm5-80gb"}));
    ASSERT_EQ(tool.values.size(), 1U);
    EXPECT_DOUBLE_EQ(tool.values.front().now, 2.0 * tool.values.front().before);
}

TEST(CheckLock, NoticesAFileThatTheScenarioNames) {
    const Folders folders{.file = tempFolder(), .typed = tempFolder()};
    const auto config = [](int layers) {
        const std::string text =
            R"({"model_type": "llama", "hidden_size": 1024, "intermediate_size": 4096,
                "num_attention_heads": 16, "num_hidden_layers": )" +
            std::to_string(layers) + R"(, "vocab_size": 32000, "torch_dtype": "bfloat16"})";
        ASSERT_TRUE(writeTextFile(tempFolder() + "mine.json", text));
    };
    config(4);
    const CheckLock lock = lockFor(runWith("recompute=full", folders));
    EXPECT_FALSE(since(lock, toolOf(), runWith("recompute=full", folders)).scenarioChanged);
    config(5);
    EXPECT_TRUE(since(lock, toolOf(), runWith("recompute=full", folders)).scenarioChanged);
}

TEST(CheckLock, DoesNotKnowAScenarioThatItLacks) {
    CheckLock lock = lockFor(runWith("recompute=full"));
    lock.scenarios.clear();
    EXPECT_TRUE(since(lock, toolOf(), runWith("recompute=full")).isNew);
}

TEST(CheckLock, IsRefusedByItsLine) {
    for (const char* text : {"[]",
                             "{\"schema\": \"fabricast.plan/1\"}",
                             "{\"schema\": \"fabricast.lock/1\", \"version\": 3}",
                             R"({"schema": "fabricast.lock/1", "version": "1", "scenarios": {"a":
                                 {"digest": "0", "step_s": -1}}, "profiles": {}})"}) {
        const auto lock = parseLock(text, "fabricast.lock");
        ASSERT_FALSE(lock) << text;
        EXPECT_NE(lock.error().text().find("fabricast.lock:"), std::string::npos)
            << lock.error().text();
    }
}

}  // namespace
}  // namespace fabricast
