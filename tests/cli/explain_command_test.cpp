#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace fabricast {
namespace {

const std::string kScenarios = FABRICAST_SOURCE_DIR "/tests/cases/scenarios";

ProgramOutput explain(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "explain");
    return runProgram(arguments, {});
}

/// The 8B model on eight H100 as torchtitan shards it: it fits.
std::vector<std::string> small(const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"-m",
                                          "llama-3.1-8b",
                                          "-c",
                                          "dgx-h100",
                                          "-n",
                                          "1",
                                          "--stack",
                                          "torchtitan",
                                          "--seq",
                                          "4096",
                                          "--global-batch",
                                          "8"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

JsonValue documentOf(const std::vector<std::string>& arguments) {
    const ProgramOutput output = explain(arguments);
    EXPECT_EQ(output.err, "");
    auto root = parseJson(output.out, "out");
    EXPECT_TRUE(root) << output.out;
    return root ? *std::move(root) : JsonValue();
}

std::int64_t number(const JsonValue& object, const std::string& key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? -1 : value->integer({}).value_or(-1);
}

TEST(ExplainCommand, KeepsItsContract) {
    const JsonValue root = documentOf(small({"--section", "memory", "--format", "json"}));
    EXPECT_EQ(root.find("schema")->text(), "fabricast.explain/1");
    EXPECT_EQ(root.find("verdict")->text(), "fits");
    const JsonValue& memory = *root.find("memory");
    const JsonValue& peak = *memory.find("peak_bytes");
    EXPECT_LE(number(peak, "lo"), number(peak, "value"));
    EXPECT_LE(number(peak, "value"), number(peak, "hi"));
    EXPECT_GT(number(memory, "capacity_bytes"), number(peak, "hi"));
    const JsonValue& stage = memory.find("stages")->items()[0];
    std::int64_t sum = 0;
    for (const char* kind : {"weights",
                             "gradients",
                             "optimizer",
                             "activations",
                             "recomputed",
                             "gathered",
                             "communication",
                             "backward",
                             "loss",
                             "workspace",
                             "buffers"}) {
        sum += number(stage, std::string(kind) + "_bytes");
    }
    EXPECT_EQ(sum, number(stage, "requested_bytes"));
}

TEST(ExplainCommand, ExitsWithTheVerdict) {
    EXPECT_EQ(explain(small({})).code, ExitCode::Ok);
    const std::vector<std::string> tooLong = {"--seq", "131072", "--layout", "recompute=none"};
    std::vector<std::string> arguments = {"-m", "llama-3.1-8b", "-c", "dgx-h100"};
    arguments.insert(arguments.end(), tooLong.begin(), tooLong.end());
    const ProgramOutput output = explain(arguments);
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(output.out.starts_with("DOES NOT FIT  ")) << output.out;
    arguments.emplace_back("--no-fail");
    EXPECT_EQ(explain(arguments).code, ExitCode::Ok);
}

TEST(ExplainCommand, QuietLeavesOutWhatIsNotTheAnswer) {
    const std::string all = explain(small({})).out;
    const std::string quiet = explain(small({"-q"})).out;
    EXPECT_NE(all.find("\nnext: fabricast explain -m llama-3.1-8b"), std::string::npos);
    EXPECT_EQ(quiet, all.substr(0, all.find("\nassumed: ")));
    const std::string other = explain(small({"--set", "settings.kernels.compile=true"})).out;
    EXPECT_NE(other.find(" --set settings.kernels.compile=true --why "), std::string::npos);
}

TEST(ExplainCommand, TheSameBytesEveryTime) {
    for (const char* format : {"text", "json", "csv", "md"}) {
        EXPECT_EQ(explain(small({"--format", format})).out,
                  explain(small({"--format", format})).out);
    }
}

TEST(ExplainCommand, ReadsAScenarioFileAndFlagsOverIt) {
    const std::string file = kScenarios + "/llama_8b_two_nodes.json";
    const JsonValue plain = documentOf({file, "-f", "json"});
    const auto gpus = [](const JsonValue& root) {
        return root.find("scenario")->find("cluster")->find("gpus")->integer({}).value_or(-1);
    };
    EXPECT_EQ(gpus(plain), 16);
    EXPECT_EQ(plain.find("scenario")->find("workload")->find("global_batch")->integer({}), 32);
    EXPECT_EQ(gpus(documentOf({file, "-n", "4", "-f", "json"})), 32);
    EXPECT_EQ(gpus(documentOf({file, "--set", "cluster.nodes=1", "-f", "json"})), 8);
    const JsonValue layout =
        *documentOf({file, "--layout", "tp=2", "-f", "json"}).find("scenario")->find("layout");
    EXPECT_EQ(layout.find("tp")->integer({}), 2);
    EXPECT_EQ(layout.find("dp")->integer({}), 8);
    EXPECT_EQ(explain({kScenarios + "/config_beside_it.json"}).err, "");
    EXPECT_EQ(explain({"config_beside_it.json", "-C", kScenarios}).err, "");
    EXPECT_EQ(explain({kScenarios + "/deepspeed_tied_pipeline.json"}).err, "");
}

TEST(ExplainCommand, WhatItAnswersCanBeAskedAgain) {
    // .scenario of an answer, as a scenario file, has the same answer.
    const std::string file = tempFolder() + "/fabricast_again.json";
    const ProgramOutput first = explain(small({"-f", "json"}));
    const std::size_t begin = first.out.find("\"scenario\": {") + 12;
    const std::size_t end = first.out.find("\"asked\": {");
    const std::string scenario = first.out.substr(begin, first.out.rfind(',', end) - begin);
    ASSERT_TRUE(writeTextFile(file, scenario));
    const ProgramOutput again = explain({file, "-f", "json"});
    EXPECT_EQ(again.err, "");
    const auto answered = [](const std::string& out) {
        const std::size_t hardware = out.find("\"hardware\": {");
        return out.substr(0, out.find("\"asked\": {")) +
               out.substr(hardware, out.find("\"assumed\"") - hardware);
    };
    EXPECT_EQ(answered(again.out), answered(first.out));
}

// Under the name of its file a model would be read back as a built-in one, or as none.
TEST(ExplainCommand, AModelOfAFileCanBeAskedAgainFromAnyFolder) {
    namespace fs = std::filesystem;
    const std::string folder = tempFolder() + "/fabricast_again";
    fs::create_directories(folder + "/x/llama-3.1-8b");
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,)"
        R"( "num_attention_heads": 32, "num_hidden_layers": 4, "num_key_value_heads": 8,)"
        R"( "vocab_size": 32000, "max_position_embeddings": 8192})";
    ASSERT_TRUE(writeTextFile(folder + "/x/llama-3.1-8b/config.json", config));
    const std::string answer = folder + "/answer.json";
    const auto modelOf = [](const JsonValue& document) {
        return document.find("scenario")->find("model");
    };
    for (const std::string model : {"x/llama-3.1-8b", "./x/../x/llama-3.1-8b/config.json"}) {
        const ProgramOutput first = explain(
            {"-C", folder, "-m", model, "-c", "dgx-h100", "--stack", "fsdp2", "-f", "json"});
        ASSERT_TRUE(writeTextFile(answer, first.out)) << first.err;
        const auto document = parseJson(first.out, "out");
        ASSERT_TRUE(document) << first.err;
        const std::string said = modelOf(*document)->text().value_or("");
        EXPECT_TRUE(fs::path(said).is_absolute()) << said;
        EXPECT_TRUE(fs::exists(said)) << said;
        const ProgramOutput again = explain({answer, "-f", "json"});
        EXPECT_EQ(again.err, "");
        EXPECT_EQ(again.out.substr(0, again.out.find("\"assumed\"")),
                  first.out.substr(0, first.out.find("\"assumed\"")));
    }
    ASSERT_TRUE(writeTextFile(
        answer, R"({"cluster": "dgx-h100", "stack": "fsdp2", "model": )" + config + "}"));
    const ProgramOutput inPlace = explain({answer, "-f", "json"});
    const auto document = parseJson(inPlace.out, "out");
    ASSERT_TRUE(document) << inPlace.err;
    EXPECT_TRUE(modelOf(*document)->is(JsonValue::Kind::Object)) << inPlace.out;
}

TEST(ExplainCommand, WhyShowsTheFormula) {
    const ProgramOutput why = explain(small({"--why", "activations"}));
    EXPECT_EQ(why.code, ExitCode::Ok);
    EXPECT_NE(why.out.find("activations = "), std::string::npos) << why.out;
    EXPECT_EQ(explain(small({"--why", "nonsense"})).code, ExitCode::BadInput);
    EXPECT_NE(explain(small({"-v"})).out.find(why.out), std::string::npos);
}

TEST(ExplainCommand, WhySaysTheStatesPerParameter) {
    // 16 bytes of 8,030,261,248 parameters over 8 GPUs
    const ProgramOutput why = explain(small({"--why", "states"}));
    EXPECT_NE(why.out.find("states = 16,060,522,496 B"), std::string::npos) << why.out;
    EXPECT_NE(why.out.find("(4 weights + 4 gradients + 8 moments)/d, d = 8"), std::string::npos)
        << why.out;
    EXPECT_EQ(explain(small({"--why", "deepspeed_estimate"})).code, ExitCode::BadInput);
}

TEST(ExplainCommand, WhySaysWhatDataParallelRanksExchange) {
    const ProgramOutput why = explain(small({"--why", "traffic"}));
    EXPECT_NE(why.out.find("reduce-scatter of fp32 gradients x1\n"), std::string::npos) << why.out;
}

TEST(ExplainCommand, ErrorsNameTheFlag) {
    EXPECT_EQ(explain({}).err,
              "error: model: no model and no cluster given\n  try: -m llama-3.1-8b -c dgx-h100\n");
    EXPECT_EQ(explain({"-m", "llama-3.1-8b"}).err.substr(0, 33),
              "error: cluster: no cluster given\n");
    EXPECT_EQ(explain(small({"--layout", "tp=3"})).err,
              "error: --layout: layout.tp: tp 3 x pp 1 x cp 1 = 3, which does not divide 8 GPUs\n"
              "  try: --set layout.tp=2, or --set layout.tp=4\n");
    EXPECT_EQ(explain(small({"--layout", "tq=3"})).err,
              "error: --layout: unknown key \"tq\"\n  try: did you mean \"tp\"?\n");
    EXPECT_EQ(explain(small({"--set", "settings.precision.reduce=bf61"})).err,
              "error: --set settings.precision.reduce: \"reduce\" cannot be \"bf61\"\n"
              "  try: did you mean \"bf16\"?\n");
    EXPECT_EQ(explain(small({"--set", "settings"})).code, ExitCode::BadInput);
    EXPECT_EQ(explain(small({"--section", "tiem"})).err,
              "error: --section: cannot be \"tiem\"\n  try: did you mean \"time\"?\n");
    EXPECT_EQ(explain({"-m", "gpt2", "-c", "dgx-h100", "--gpu", "h100-sxm5-80gb"}).code,
              ExitCode::BadInput);
    EXPECT_EQ(explain({"-m", "gpt2", "-c", "dgx-h100", "--seq", "many"}).err.substr(0, 26),
              "error: --seq: \"sequence\" m");
}

TEST(ExplainCommand, SaysThatRoutingIsTakenAsBalanced) {
    const std::string line = "assumed: balanced routing: ";
    const std::string question = "-m mixtral-8x7b -c dgx-h100 -n 8 --stack megatron --layout ep=8";
    EXPECT_NE(ran("explain --no-fail " + question).out.find(line), std::string::npos);
    EXPECT_NE(ran("plan " + question).out.find(line), std::string::npos);
    for (const char* const more : {" --set settings.kernels.imbalance=1.3",
                                   " --set settings.kernels.imbalance=1",
                                   " --set settings.kernels.capacity_factor=1.2",
                                   " --layout ep=1"}) {
        EXPECT_EQ(ran("explain --no-fail " + question + more).out.find(line), std::string::npos)
            << more;
    }
}

// One line shows how near the others come.
TEST(ExplainCommand, NamesOneChangeThatDoesNotFitWhereAnotherDoes) {
    const std::string text = ran("explain -m llama-3.1-8b -c 8x-rtx-4090 --stack fsdp2").out;
    const std::size_t fails = text.find("still does not fit");
    EXPECT_NE(fails, std::string::npos) << text;
    EXPECT_EQ(fails, text.rfind("still does not fit")) << text;
}

}  // namespace
}  // namespace fabricast
