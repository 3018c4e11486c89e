#include "study/question.h"

#include "planner/text/text_files.h"
#include "study/question_flags.h"
#include "study/search_request.h"
#include "study/workbench.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// A question in a file.
Question read(const std::string& text) {
    const std::string file = tempFolder() + "/fabricast_question.json";
    EXPECT_TRUE(writeTextFile(file, text));
    Result<Question> question = readQuestion(file, "");
    EXPECT_TRUE(question) << question.error().text();
    return question ? *std::move(question) : Question();
}

Question changed(const Question& question, const std::vector<Edit>& edits) {
    Result<Question> other = with(question, edits);
    EXPECT_TRUE(other) << other.error().text();
    return other ? *std::move(other) : Question();
}

/// The value at a path as it is written; "" where there is none.
std::string at(const Question& question, std::string_view path) {
    const JsonValue* place = &question.root;
    while (place != nullptr && !path.empty()) {
        const std::string_view key = path.substr(0, path.find('.'));
        place = place->find(key);
        path.remove_prefix(std::min(path.size(), key.size() + 1));
    }
    return place == nullptr ? "" : place->text().value_or(place->shown());
}

TEST(Question, KeepsWhatItWasBeforeAnEdit) {
    const Question before = read(R"({"layout": "tp=2", "workload": {"sequence": 4096}})");
    const Question after = changed(before, {{"layout.tp", "8", "slider"}});
    EXPECT_EQ(at(before, "layout.tp"), "2");
    EXPECT_EQ(at(after, "layout.tp"), "8");
    EXPECT_EQ(at(after, "workload.sequence"), "4096");
    EXPECT_TRUE(before.edits.empty());
}

TEST(Question, EditsOfOneKeyBecomeOne) {
    Question question = read("{}");
    for (const char* nodes : {"1", "2", "3"}) {
        question = changed(question, {{"cluster.nodes", nodes, "slider"}});
    }
    ASSERT_EQ(question.edits.size(), 1U);
    EXPECT_EQ(typed(question.edits), "-n 3");
}

struct SupersededCase {
    const char* name;
    const char* file;
    Edit edit;
    const char* gone;
};

class Superseded : public testing::TestWithParam<SupersededCase> {};

TEST_P(Superseded, WhatIsTypedWins) {
    const Question before = read(GetParam().file);
    EXPECT_TRUE(says(before, GetParam().gone));
    const Question after = changed(before, {GetParam().edit});
    EXPECT_FALSE(says(after, GetParam().gone));
    EXPECT_EQ(at(after, GetParam().edit.path), GetParam().edit.value);
}

INSTANTIATE_TEST_SUITE_P(
    Keys,
    Superseded,
    testing::Values(SupersededCase{"nodes",
                                   R"({"cluster": {"name": "dgx-h100", "gpus": 64}})",
                                   {"cluster.nodes", "4", "-n"},
                                   "cluster.gpus"},
                    SupersededCase{"cluster",
                                   R"({"cluster": {"name": "dgx-h100", "fabric": "roce-100"}})",
                                   {"cluster.name", "dgx-a100", "-c"},
                                   "cluster.fabric"},
                    SupersededCase{"gpu",
                                   R"({"cluster": "dgx-h100"})",
                                   {"cluster.gpu", "a100-sxm4-80gb", "slider"},
                                   "cluster.name"},
                    SupersededCase{"optimizer",
                                   R"({"settings": {"optimizer": {"kind": "lion"}}})",
                                   {"workload.optimizer", "adamw", "--optimizer"},
                                   "settings.optimizer.kind"},
                    SupersededCase{"precision",
                                   R"({"settings": {"kernels": {"quantization": "mxfp8"}}})",
                                   {"workload.precision", "bf16", "--precision"},
                                   "settings.kernels.quantization"},
                    SupersededCase{"recompute",
                                   R"({"settings": {"recompute": {"kind": "full"}}})",
                                   {"layout.recompute", "none", "--layout"},
                                   "settings.recompute"},
                    SupersededCase{
                        "stack_of_an_answer",
                        R"({"schema": "fabricast.explain/1", "scenario": {"stack": "fsdp2",
                           "settings": {"engine": "fsdp2"}}})",
                        {"stack", "deepspeed", "--stack"},
                        "settings.engine"},
                    SupersededCase{"precision_of_an_answer",
                                   R"({"schema": "fabricast.explain/1", "scenario": {
                           "settings": {"precision": {"reduce": "fp32"}}}})",
                                   {"workload.precision", "mxfp8", "--precision"},
                                   "settings.precision"}),
    [](const auto& instance) { return std::string(instance.param.name); });

// Whether a program turns TF32 on does not depend on the types of its tensors.
TEST(Question, KeepsTf32UnderAnotherPrecision) {
    const Question question =
        changed(read(R"({"settings": {"precision": {"parameters": "bf16", "tf32": false}}})"),
                {{"workload.precision", "fp32", "--precision"}});
    EXPECT_EQ(at(question, "settings.precision.tf32"), "false");
    EXPECT_FALSE(says(question, "settings.precision.parameters"));
}

TEST(Question, ContradictionsOfOneCallStay) {
    // Nobody knows which of both is meant: the loader says so.
    const Question question =
        changed(read("{}"), {{"cluster.nodes", "4", "-n"}, {"cluster.gpus", "64", "--gpus"}});
    EXPECT_TRUE(says(question, "cluster.nodes") && says(question, "cluster.gpus"));
}

// What is to stay free of the memory is no number of the machine.
TEST(Question, AnotherClusterKeepsTheReserve) {
    const Question file =
        read(R"({"cluster": {"name": "dgx-h100", "reserve": "10%", "host_memory": "1 TB"}})");
    const Question other = changed(file, {{"cluster.name", "dgx-h200", "-c"}});
    EXPECT_EQ(at(other, "cluster.reserve"), "10%");
    EXPECT_FALSE(says(other, "cluster.host_memory"));
    const Question flag = changed(read("{}"), {{"cluster.reserve", "10%", "--reserve"}});
    EXPECT_EQ(typed(changed(flag, {{"cluster.name", "dgx-h200", "-c"}}).edits),
              "-c dgx-h200 --reserve '10%'");
}

TEST(Question, NullRemovesAKey) {
    const Question question =
        changed(read(R"({"layout": "tp=2,pp=4"})"), {{"layout.tp", "null", "--set"}});
    EXPECT_FALSE(says(question, "layout.tp"));
    EXPECT_EQ(at(question, "layout.pp"), "4");
    EXPECT_EQ(typed(question.edits), "--set layout.tp=null");
}

TEST(Question, KeepsTheGpusOfALaunchFileWithoutItsLayout) {
    const Question file = read(
        R"({"imported": {"from": "a.sh", "notes": []}, "layout": {"dp": 4, "tp": 8, "pp": 2}})");
    EXPECT_EQ(at(file, "imported.gpus"), "");
    const Question open = changed(file, {{"layout", "null", "--set"}});
    EXPECT_EQ(at(open, "layout.dp"), "");
    EXPECT_EQ(at(open, "imported.gpus"), "64");
    EXPECT_EQ(at(changed(file, {{"layout.dp", "null", "--set"}}), "imported.gpus"), "64");
    EXPECT_EQ(at(changed(file, {{"layout.dp", "2", "--set"}}), "imported.gpus"), "");
    EXPECT_EQ(at(changed(open, {{"cluster.nodes", "2", "-n"}}), "imported.gpus"), "");
    const Question other =
        changed(file, {{"layout.tp", "4", "--layout"}, {"layout", "null", "--set"}});
    EXPECT_EQ(at(other, "layout.tp"), "4");
    EXPECT_EQ(at(other, "layout.pp"), "");
}

TEST(Question, ListsAreReplacedAsAWhole) {
    Question question = changed(
        read("{}"), {{"search.forbid", "pp", "--forbid"}, {"search.forbid", "cp", "--forbid"}});
    EXPECT_EQ(question.root.find("search")->find("forbid")->items().size(), 2U);
    EXPECT_EQ(typed(question.edits), "--forbid pp --forbid cp");
    question = changed(question, {{"search.forbid", "vpp", "--forbid"}});
    EXPECT_EQ(typed(question.edits), "--forbid vpp");
}

TEST(Question, IsTypedByTheTableOfFlags) {
    const Question question = changed(read("{}"),
                                      {{"layout.tp", "8", "tp slider"},
                                       {"settings.kernels.loss", "chunked", "box"},
                                       {"workload.sequence", "8192", "box"},
                                       {"cluster.name", "dgx-h100", "box"},
                                       {"layout.pp", "2", "pp slider"},
                                       {"name", "it's mine", "box"}});
    // Typed as -c it would replace all of the cluster, which this edit does not.
    EXPECT_EQ(typed(question),
              question.file +
                  " --layout tp=8,pp=2 --seq 8192 --set settings.kernels.loss=chunked"
                  " --set cluster.name=dgx-h100 --set 'name=it'\\''s mine'");
}

TEST(Question, AChangeIsTypedBehindItWithoutAFlagThatIsThereAlready) {
    const Question bare = read("{}");
    const std::vector<Edit> change = {{"cluster.name", "dgx-b200", "-c"},
                                      {"cluster.nodes", "8", "-n"},
                                      {"layout.micro_batch", "1", "--layout"},
                                      {"workload.global_batch", "32", "--global-batch"},
                                      {"workload.global_batch", "2 per rank", "--global-batch"}};
    EXPECT_EQ(typedBehind(bare, change),
              "-c dgx-b200 -n 8 --layout micro_batch=1 --global-batch '2 per rank'");
    const Question question =
        changed(bare, {{"cluster.name", "dgx-h100", "-c"}, {"layout.tp", "2", "--layout"}});
    EXPECT_EQ(typedBehind(question, change),
              "--global-batch '2 per rank' --set cluster=null --set cluster.name=dgx-b200 "
              "--set cluster.nodes=8 --set layout.micro_batch=1");
}

// Also what another flag says in other words, and what is kept of a cluster.
TEST(Question, AChangeTypedBehindItReplacesWhatSaysTheSame) {
    const Question part = changed(read("{}"), {{"cluster.gpus", "4", "--gpus"}});
    EXPECT_EQ(typedBehind(part, std::vector<Edit>{{"cluster.nodes", "2", "-n"}}),
              "--set cluster.nodes=2");
    const Question open = changed(
        read("{}"), {{"cluster.name", "dgx-h100", "-c"}, {"cluster.reserve", "10%", "--reserve"}});
    EXPECT_EQ(typedBehind(open, std::vector<Edit>{{"cluster.name", "dgx-b200", "-c"}}),
              "--set cluster=null --set 'cluster.reserve=10%' --set cluster.name=dgx-b200");
    const Question layout =
        changed(read("{}"), {{"layout.tp", "4", "--layout"}, {"layout", "null", "--set"}});
    EXPECT_EQ(typed(layout.edits), "--set layout=null --layout tp=4");
}

// A command line made from edits, read as flags again, makes the same edits.
TEST(Question, EveryFlagIsTypedAsItIsRead) {
    for (const auto table : {scenarioFlags(), searchFlags()}) {
        for (const QuestionFlag& flag : table) {
            if (flag.path == "layout") {
                continue;
            }
            const std::vector<Edit> edits = {
                {std::string(flag.path), "x1", std::string(flag.typed)}};
            EXPECT_EQ(typed(edits), std::string(flag.typed) + " x1");
            EXPECT_TRUE(flagOf(flag.path) == &flag) << flag.path;
        }
    }
}

TEST(Question, ATypedLoraIsOverSixteenBits) {
    const Question file = read(R"({"settings": {"tuning": "lora", "lora": {"base": "nf4",
        "double_quantization": true, "rank": 32}}})");
    const Edit lora{"settings.tuning", "lora", "--tuning"};
    const Question typedLora = changed(file, {lora});
    EXPECT_FALSE(says(typedLora, "settings.lora.base"));
    EXPECT_FALSE(says(typedLora, "settings.lora.double_quantization"));
    EXPECT_EQ(at(typedLora, "settings.lora.rank"), "32");
    EXPECT_EQ(
        at(changed(file, {lora, {"settings.lora.base", "int8", "--set"}}), "settings.lora.base"),
        "int8");
    const Question qlora = changed(file, {{"settings.tuning", "qlora", "--tuning"}});
    EXPECT_EQ(at(qlora, "settings.lora.base"), "nf4");
    EXPECT_EQ(at(qlora, "settings.lora.double_quantization"), "true");
    const Question full = changed(file, {{"settings.tuning", "full", "--tuning"}});
    EXPECT_FALSE(says(full, "settings.lora.base")) << "without adapters there is no base";
}

TEST(Question, QloraInAFileIsWhatItsFlagIs) {
    const Question file = read(R"({"model": "gpt2", "settings": {"tuning": "qlora"}})");
    const Question flag =
        changed(read(R"({"model": "gpt2"})"), {{"settings.tuning", "qlora", "--tuning"}});
    EXPECT_EQ(documentText(file), documentText(flag));
    const auto both = parseQuestion(
        R"({"settings": {"tuning": "qlora", "lora": {"base": "int8"}}})", "run.json", {});
    ASSERT_FALSE(both) << "of two bases none is taken";
    EXPECT_EQ(both.error().where, "run.json:1:51");
}

TEST(Question, IsSavedAndReadAgain) {
    const Question question =
        changed(read(R"({"model": "gpt2", "layout": "tp=2", "cluster": {"name": "dgx-h100"}})"),
                {{"workload.global_batch", "4M tokens", "box"}, {"layout.sp", "true", "box"}});
    const std::string saved = documentText(question);
    const Question again = read(saved);
    EXPECT_EQ(documentText(again), saved);
    EXPECT_EQ(at(again, "workload.global_batch"), "4M tokens");
    EXPECT_EQ(at(again, "layout.sp"), "true");
}

TEST(Question, ANumberOfAModelIsSaidByItsConfigsKey) {
    const auto asked = parseQuestion(
        "{\"model\": {\"model_type\": \"llama\",\n\"hidden_size\": 4096}}", "run.json", {});
    ASSERT_TRUE(asked) << asked.error().text();
    EXPECT_EQ(whereSaid(*asked, "model.hidden"), "run.json:2:16");
    EXPECT_EQ(whereSaid(*asked, "model.parameters"), "");
}

TEST(Question, ErrorsNameWhereAnEditComesFrom) {
    const Question question =
        changed(read(R"({"layout": "tp=2"})"), {{"layout.tp", "many", "tp slider"}});
    const auto loaded = loadScenario(question.root, ProfileStore::builtIn(), question.folders);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().where, "tp slider layout.tp");
    EXPECT_EQ(with(question, std::vector<Edit>{{"layout..tp", "1", "--set"}}).error().where,
              "--set layout..tp");
    EXPECT_EQ(assignment("layout", "--with").error().where, "--with");
    EXPECT_FALSE(layoutEdits("tp", "--layout"));
}

TEST(Question, NamesOneStackOrThoseOfASearch) {
    const auto refusal = [](const std::string& text) {
        const Result<Question> asked = parseQuestion(text, "run.json", {});
        return asked ? checkSearch(*asked) : tl::unexpected(asked.error());
    };
    const Result<void> both =
        refusal("{\"stack\": \"ddp\",\n \"search\": {\"stacks\": [\"fsdp2\", \"megatron\"]}}");
    ASSERT_FALSE(both);
    EXPECT_EQ(both.error().where, "run.json:1:11");
    EXPECT_NE(both.error().why.find(R"("fsdp2", "megatron" (run.json:2:24))"), std::string::npos)
        << both.error().why;
    EXPECT_TRUE(refusal(R"({"stack": "fsdp2", "search": {"stacks": ["fsdp2"]}})"));
    EXPECT_TRUE(refusal(R"({"stack": "fsdp2", "search": {"stacks": []}})"));
    // What is said later wins.
    const Question file = read(R"({"stack": "ddp", "search": {"stacks": ["fsdp2"]}})");
    EXPECT_TRUE(checkSearch(changed(file, {{"stack", "ddp", "--stack"}})));
    EXPECT_TRUE(checkSearch(changed(file, {{"search.stacks", "fsdp2", "--stack"}})));
    EXPECT_TRUE(checkSearch(changed(file, {{"search", "null", "--set"}})));
    EXPECT_TRUE(checkSearch(changed(file, {{"stack", "null", "--set"}})));
}

TEST(Question, AnAnswerOfASearchIsNoQuestion) {
    const std::string file = tempFolder() + "/fabricast_plan_answer.json";
    ASSERT_TRUE(writeTextFile(file, R"({"schema": "fabricast.plan/1"})"));
    const auto question = readQuestion(file, "");
    ASSERT_FALSE(question);
    EXPECT_NE(question.error().hint.find("fabricast explain"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
