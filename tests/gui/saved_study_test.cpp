#include "gui/document/saved_study.h"

#include "gui/document/history.h"
#include "study/plan.h"
#include "study/said_value.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string inFolder(const std::string& name) {
    return tempFolder() + name;
}

Question questionToSave() {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    return with(readQuestion("", "").value(), edits).value();
}

TEST(SavedStudy, ComesBackAsItWas) {
    const std::string file = inFolder("saved_study.json");
    const SavedStudy study{questionToSave(),
                           {.page = "memory", .chosen = "ddp dp=8", .hardware = "dgx-h100, x"}};
    ASSERT_TRUE(saveStudy(study, file));
    const SavedStudy opened = openStudy(file).value();
    EXPECT_EQ(opened.view.page, "memory");
    EXPECT_EQ(opened.view.chosen, "ddp dp=8");
    EXPECT_EQ(opened.view.other, "");
    EXPECT_EQ(opened.view.hardware, "dgx-h100, x");
    EXPECT_EQ(saidValue(opened.question, "workload.global_batch"), "64");
}

// Saved elsewhere than it was read: what is kept for after a crash names files from there.
TEST(SavedStudy, WhatIsKeptNamesFilesFromWhereTheStudyLies) {
    const std::filesystem::path folder = inFolder("kept_study");
    std::filesystem::create_directories(folder / "sub");
    std::ofstream(folder / "mine.json") << "{}";
    std::ofstream(folder / "study.json") << R"({"model": "mine.json"})";
    const Question question = readQuestion((folder / "study.json").string(), "").value();
    const ViewState view{.file = (folder / "sub" / "other.json").string()};
    const std::string text = studyText({question, view}).value();
    EXPECT_NE(text.find(R"("model": "../mine.json")"), std::string::npos) << text;
    EXPECT_NE(studyText({question, {}}).value().find(R"("model": "mine.json")"), std::string::npos);
}

TEST(SavedStudy, IsAScenarioWithTheSameAnswer) {
    const std::string file = inFolder("saved_scenario.json");
    ASSERT_TRUE(saveStudy({questionToSave(), {.page = "memory"}}, file));
    const Workbench bench = Workbench::open({}).value();
    const PlanReport before = plan(questionToSave(), {}, bench, {}).value();
    const PlanReport after = plan(readQuestion(file, "").value(), {}, bench, {}).value();
    ASSERT_FALSE(before.plans.empty());
    EXPECT_EQ(after.plans.front().step.step.value, before.plans.front().step.step.value);
}

std::string textOf(const std::string& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// A folder with a model's config.json.
std::string modelFolder(const std::string& name) {
    const std::string folder = inFolder(name);
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/config.json")
        << R"({"model_type": "llama", "hidden_size": 768, "intermediate_size": 2048,
              "num_hidden_layers": 4, "num_attention_heads": 12, "num_key_value_heads": 12,
              "vocab_size": 32000, "max_position_embeddings": 4096})";
    return folder;
}

TEST(SavedStudy, IsNotWrittenOverTheModelThatItReads) {
    const std::string config = modelFolder("study_of_a_model") + "/config.json";
    const std::string before = textOf(config);
    const Question question = readQuestion(config, "").value();
    EXPECT_TRUE(isReadBy(question, config));
    const auto saved = saveStudy({question, {}}, config);
    ASSERT_FALSE(saved);
    EXPECT_EQ(saved.error().code, Error::Code::BadInput);
    EXPECT_EQ(textOf(config), before);
    const std::string study = inFolder("study_of_a_model.json");
    ASSERT_TRUE(saveStudy({question, {}}, study));
    EXPECT_FALSE(isReadBy(openStudy(study).value().question, study));
}

TEST(SavedStudy, IsNotWrittenOverALaunchFile) {
    const std::string script = inFolder("study_of_a_script.sh");
    std::ofstream(script) << "#!/bin/bash\ntorchrun --nproc_per_node 8 train.py --bf16 True "
                             "--per_device_train_batch_size 1\n";
    const Question question = readQuestion(script, "").value();
    EXPECT_TRUE(isReadBy(question, script));
    EXPECT_FALSE(saveStudy({question, {}}, script));
    const std::string study = inFolder("study_of_a_script.json");
    const auto saved = saveStudy({question, {}}, study);
    ASSERT_TRUE(saved);
    EXPECT_TRUE(saveStudy({*saved, {}}, study)) << "it is its own now";
}

TEST(SavedStudy, FindsItsModelFromWhereItIsSaved) {
    const std::string folder = modelFolder("model_beside_the_window");
    const Question question =
        with(readQuestion("", tempFolder()).value(),
             std::vector<Edit>{{"model", "model_beside_the_window/config.json", "-m"},
                               {"cluster.name", "dgx-h100", "-c"}})
            .value();
    const std::string study = folder + "/deeper/study.json";
    std::filesystem::create_directories(folder + "/deeper");
    ASSERT_TRUE(saveStudy({question, {}}, study));
    EXPECT_EQ(saidValue(openStudy(study).value().question, "model"), "../config.json");
    EXPECT_EQ(saidValue(openStudy(study).value().question, "cluster.name"), "dgx-h100");
    const Workbench bench = Workbench::open({}).value();
    EXPECT_TRUE(plan(readQuestion(study, "").value(), {}, bench, {}));
}

/// A folder that is moved takes its model with it.
TEST(SavedStudy, NamesWhatLiesBesideItFromWhereItLies) {
    const std::string folder = modelFolder("model_with_its_study");
    const std::string config = std::filesystem::absolute(folder + "/config.json").string();
    const auto saved = [&config](const std::string& study) {
        const Question question =
            with(readQuestion("", "").value(),
                 std::vector<Edit>{{"model", config, "-m"}, {"cluster.name", "dgx-h100", "-c"}})
                .value();
        EXPECT_TRUE(saveStudy({question, {}}, study));
        return saidValue(openStudy(study).value().question, "model");
    };
    EXPECT_EQ(saved(folder + "/study.json"), "config.json");
    EXPECT_EQ(saved(inFolder("elsewhere.json")), "model_with_its_study/config.json");
    std::filesystem::create_directories(inFolder("another_folder"));
    EXPECT_EQ(saved(inFolder("another_folder/study.json")), config);
}

TEST(SavedStudy, WhatIsShownNoMoreIsNotInTheFile) {
    const std::string file = inFolder("healed.json");
    ASSERT_TRUE(saveStudy({questionToSave(), {.page = "topology", .failed = "node0"}}, file));
    SavedStudy opened = openStudy(file).value();
    opened.view.failed.clear();  // healed
    ASSERT_TRUE(saveStudy(opened, file));
    EXPECT_EQ(openStudy(file).value().view.failed, "");
    EXPECT_EQ(openStudy(file).value().view.page, "topology");
}

TEST(SavedStudy, KeepsTheCommentsOfItsFile) {
    const std::string file = modelFolder("study_with_comments") + "/study.json";
    const std::string text =
        "{\n  // ours\n  \"model\": \"./config.json\", // small\n"
        "  \"cluster\": {\"name\": \"dgx-h100\", \"nodes\": 1}\n}\n";
    std::ofstream(file) << text;
    SavedStudy study = openStudy(file).value();
    ASSERT_TRUE(saveStudy(study, file));
    EXPECT_EQ(textOf(file), text);
    study.question = with(study.question, std::vector<Edit>{{"cluster.nodes", "2", "-n"}}).value();
    study.view.page = "memory";
    EXPECT_TRUE(commentsLost(study, file).empty());
    ASSERT_TRUE(saveStudy(study, file));
    EXPECT_EQ(textOf(file),
              "{\n  // ours\n  \"model\": \"./config.json\", // small\n"
              "  \"cluster\": {\"name\": \"dgx-h100\", \"nodes\": 2},\n"
              "  \"view\": { \"page\": \"memory\" }\n}\n");
}

// The window goes on with what the file says, also where it undoes.
TEST(SavedStudy, IsNamedFromWhereItLiesOnceItIsSaved) {
    const std::filesystem::path folder = inFolder("saved_elsewhere");
    std::filesystem::create_directories(folder / "sub");
    std::ofstream(folder / "mine.json") << "{}";
    std::ofstream(folder / "other.json") << "{}";
    std::ofstream(folder / "study.json") << R"({"model": "mine.json"})";
    const Question first = readQuestion((folder / "study.json").string(), "").value();
    History history(first);
    const std::string other = (folder / "other.json").string();
    ASSERT_TRUE(history.edit(std::vector<Edit>{{"model", other, "-m"}}, {.title = "other"}));
    history.undo();
    const std::string path = (folder / "sub" / "study.json").string();
    const auto saved = saveStudy({history.now(), {}}, path);
    ASSERT_TRUE(saved);
    history.markSaved(*saved);
    EXPECT_EQ(saidValue(history.now(), "model"), "../mine.json");
    EXPECT_EQ(filesNamed(history.now()).front().folder, (folder / "sub").string());
    EXPECT_EQ(typed(history.now()), path);
    EXPECT_TRUE(whereSaid(history.now(), "model").starts_with(path));
    history.redo();
    EXPECT_EQ(typed(history.now()), path + " -m " + other);
}

TEST(SavedStudy, SaysWhyItCannotBeSaved) {
    const auto saved = saveStudy({questionToSave(), {}}, "/nowhere/at/all.json");
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
