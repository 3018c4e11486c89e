#include "study/said_value.h"

#include "study/saved_questions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

Question parsed(const std::string& text) {
    return parseQuestion(text, "run.json", {}).value();
}

TEST(SaidValue, IsWhatWasTypedHoweverItIsSpelled) {
    const Question question = parsed(R"({"model": "gpt2", "cluster": "dgx-h100",
        "layout": "tp=8,shard=zero1", "search": {"stacks": ["megatron", "fsdp2"]},
        "workload": {"sequence": "8k", "global_batch": 512}})");
    EXPECT_EQ(saidValue(question, "model"), "gpt2");
    EXPECT_EQ(saidValue(question, "cluster.name"), "dgx-h100");
    EXPECT_EQ(saidValue(question, "layout.tp"), "8");
    EXPECT_EQ(saidValue(question, "layout.shard"), "zero1");
    EXPECT_EQ(saidValue(question, "search.stacks"), "megatron,fsdp2");
    EXPECT_EQ(saidValue(question, "workload.sequence"), "8k");
    EXPECT_EQ(saidValue(question, "workload.global_batch"), "512");
}

TEST(SaidValue, OfQloraIsTheWordThatAFlagTakes) {
    const Question spelled = parsed(R"({"settings": {"tuning": "qlora"}})");
    const Question whole = parsed(R"({"settings": {"tuning": "lora", "lora": {"base": "nf4"}}})");
    for (const Question& question : {spelled, whole}) {
        EXPECT_EQ(saidValue(question, "settings.tuning"), "qlora");
        EXPECT_EQ(saidValue(question, "settings.lora.base"), "nf4");
    }
    const Question wide = parsed(R"({"settings": {"tuning": "lora", "lora": {"base": "int8"}}})");
    EXPECT_EQ(saidValue(wide, "settings.tuning"), "lora");
}

TEST(SaidValue, IsNothingWhereNothingIsSaid) {
    const Question question = parsed(R"({"cluster": "dgx-h100", "layout": "tp=8"})");
    EXPECT_EQ(saidValue(question, "cluster.nodes"), std::nullopt);
    EXPECT_EQ(saidValue(question, "layout.pp"), std::nullopt);
    EXPECT_EQ(saidValue(question, "workload.sequence"), std::nullopt);
}

TEST(SaidValue, OneKeySupersedesTheOtherThatNamesTheSoftware) {
    const Question file = parsed(R"({"model": "gpt2", "stack": "fsdp2"})");
    EXPECT_EQ(saidValue(file, "search.stacks"), "fsdp2");
    const std::vector<Edit> other = {{"search.stacks", "deepspeed", "--stack"}};
    const Question searched = with(file, other).value();
    EXPECT_FALSE(says(searched, "stack"));
    EXPECT_EQ(saidValue(searched, "search.stacks"), "deepspeed");
    const std::vector<Edit> none = {{"search.stacks", "null", "--stack"}};
    EXPECT_FALSE(saidValue(with(file, none).value(), "search.stacks"));
}

/// Behind `from`, the edits between both say what `to` says.
void expectEditsMake(const std::string& from, const std::string& to, const std::string& typedAs) {
    const Question before = parsed(from);
    const std::vector<Edit> edits = editsBetween(before, parsed(to));
    EXPECT_EQ(typed(edits), typedAs);
    const Question made = with(before, edits).value();
    EXPECT_TRUE(editsBetween(made, parsed(to)).empty()) << documentText(made);
}

TEST(EditsBetween, MakeOneQuestionOfAnother) {
    const std::string base = R"({"model": "gpt2", "cluster": {"name": "dgx-h100", "nodes": 2}})";
    expectEditsMake(base, base, "");
    expectEditsMake(
        base, R"({"model": "gpt2", "cluster": {"name": "dgx-h100", "nodes": 4}})", "-n 4");
    expectEditsMake(
        base, R"({"model": "gpt2", "cluster": {"name": "dgx-h100"}})", "--set cluster.nodes=null");
    expectEditsMake(base,
                    R"({"model": "gpt2", "cluster": {"name": "dgx-h100", "nodes": 2},
                        "search": {"stacks": ["fsdp2"]}, "layout": {"tp": 8}})",
                    "--layout tp=8 --stack fsdp2");
}

TEST(EditsBetween, TakeTheViewForNoDifference) {
    EXPECT_TRUE(editsBetween(parsed(R"({"model": "gpt2"})"),
                             parsed(R"({"model": "gpt2", "view": {"page": "memory"}})"))
                    .empty());
}

}  // namespace
}  // namespace fabricast
