#include "planner/text/text_files.h"
#include "tests/hardware_profiles/json_schema.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fabricast {
namespace {

/// Where an object has properties, no others: so that a new key of an answer has to be written
/// down. For those who read answers, schemas leave the door open.
void close(json& schema) {
    if (schema.is_object()) {
        if (schema.contains("properties")) {
            schema["additionalProperties"] = false;
        }
        for (auto& [key, value] : schema.items()) {
            close(value);
        }
    }
}

const std::string kSmall = " -m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 16 --no-fail ";
const std::string kBig =
    " -m llama-3.1-70b -c dgx-h100 -n 4 --stack megatron --layout tp=8,pp=4 --seq 8192 "
    "--global-batch 64 --no-fail ";

const std::string kSizes = " -m llama-3.2-1b --seq 2048 --global-batch 64 --stack fsdp2 --no-fail ";

struct AnswerCase {
    std::string schema;
    std::string line;
};

class AnswerSchema : public testing::TestWithParam<AnswerCase> {};

TEST_P(AnswerSchema, HasEveryKeyOfARealAnswer) {
    const ProgramOutput schemaOutput = ran("schema " + GetParam().schema);
    ASSERT_EQ(schemaOutput.code, ExitCode::Ok) << schemaOutput.err;
    json schema = json::parse(schemaOutput.out);
    const ProgramOutput answer = ran(GetParam().line, {"-f", "json"});
    ASSERT_FALSE(answer.out.empty()) << answer.err;
    const json document = json::parse(answer.out);
    EXPECT_EQ(complaints(schema, document), "");
    close(schema);
    EXPECT_EQ(complaints(schema, document), "");
    json other = document;
    other.erase("schema");
    EXPECT_NE(complaints(schema, other), "");
    other = document;
    other["schema"] = "fabricast.other/1";
    EXPECT_NE(complaints(schema, other), "");
}

// Nothing was published of a model that only its user has.
TEST(AnswerSchemas, FitAModelOfAFile) {
    const std::string file = tempFolder() + "/fabricast_schema_model.json";
    ASSERT_TRUE(writeTextFile(
        file,
        R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192,)"
        R"( "num_attention_heads": 32, "num_hidden_layers": 4, "num_key_value_heads": 8,)"
        R"( "vocab_size": 32000, "max_position_embeddings": 8192})"));
    const ProgramOutput answer = ran("model " + file, {"-f", "json"});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const json schema = json::parse(ran("schema model-answer").out);
    EXPECT_EQ(complaints(schema, json::parse(answer.out)), "");
}

INSTANTIATE_TEST_SUITE_P(
    Answers,
    AnswerSchema,
    testing::Values(
        AnswerCase{"plan", "plan --stack fsdp2" + kSmall},
        AnswerCase{"plan", "plan --pareto --tokens 1T --target mfu=60%" + kSmall},
        AnswerCase{"plan", "plan -m llama-3.1-70b -c 4x-rtx-4090 --seq 4096 --global-batch 8"},
        AnswerCase{"plan", "plan --stack fsdp2 --mtbf 1s --tokens 1T" + kSmall},
        AnswerCase{"plan", "plan --stack fsdp2 --sensitivity" + kSmall},
        AnswerCase{"plan",
                   "plan -m llama-3.1-405b -c 8x-rtx-4090 --seq 4096 --global-batch 16 --stack "
                   "fsdp2 --target mfu=60% --no-fail"},
        AnswerCase{"hardware", "plan -m llama-3.1-8b -c dgx-h100 -c dgx-h200 --tokens 10B"},
        AnswerCase{"hardware",
                   "plan -m llama-3.1-405b -c 4x-rtx-4090 -c 8x-rtx-4090 --forbid offload "
                   "--no-fail"},
        AnswerCase{"hardware",
                   "plan -m llama-3.1-8b -c dgx-h100 -c dgx-h200 --mtbf 1s --tokens 10B --no-fail"},
        AnswerCase{"explain", "explain --stack fsdp2" + kSmall},
        AnswerCase{"explain", "explain --sensitivity --section all --tokens 1T" + kBig},
        AnswerCase{
            "explain",
            "explain --stack fsdp2 --section all --mtbf 1s --tokens 1T --price 2.1" + kSmall},
        AnswerCase{"explain",
                   "explain -m llama-3.1-8b --gpu h100-sxm5-80gb --gpus 8 --gpus-per-node 4 "
                   "--fabric ib-ndr --host-memory 512GB --reserve 10% --stack fsdp2 --no-fail"},
        AnswerCase{"explain", "explain --section all --tokens 1T" + kBig},
        AnswerCase{"compare", "compare --with layout.recompute=full" + kBig},
        AnswerCase{"simulate", "simulate" + kBig},
        AnswerCase{"simulate", "simulate --steps 1000 --failures --stack fsdp2" + kSmall},
        AnswerCase{"simulate",
                   "simulate --steps 1000 --failures --mtbf none --stack fsdp2" + kSmall},
        AnswerCase{"advise", "advise --tokens 1T" + kSmall},
        AnswerCase{"advise", "advise --mtbf 1s" + kSmall},
        AnswerCase{"backtest",
                   "backtest " FABRICAST_SOURCE_DIR "/tests/cases/published/few_runs.csv"},
        AnswerCase{"check", "check --stack fsdp2 --require mfu>=0.9" + kSmall},
        AnswerCase{"check",
                   "check -m llama-3.1-8b -c 8x-rtx-4090 --stack fsdp2 --mtbf 1s --require fits "
                   "--require usd_per_mtok<=0.1 --no-fail"},
        AnswerCase{"size",
                   "size -c dgx-h100 -c hgx-h20 -n 1,2,4 --tokens 1B --target days=0.05" + kSizes},
        AnswerCase{
            "size",
            "size -c dgx-h100 -n 1,2 --tokens 1B --target days=0.001 --target budget=100" + kSizes},
        AnswerCase{"size", "size -c dgx-h100 -n 2 --target tokens-per-s=100k" + kSizes},
        AnswerCase{"size", "size -c dgx-h100 -n 8 --tokens 1B --mtbf 2000h" + kSizes},
        AnswerCase{"size",
                   "size -m llama-3.1-405b --seq 8192 --global-batch 64 -c 8x-rtx-4090 -n 1 "
                   "--forbid offload --no-fail"},
        AnswerCase{"sweep",
                   "plan -m llama-3.2-1b -c dgx-h100 --seq 2048 --global-batch 64 --stack fsdp2 "
                   "--sweep cluster.nodes=2"},
        AnswerCase{"sweep",
                   "plan -m llama-3.1-405b -c dgx-h100 --seq 2048 --global-batch 64 --stack fsdp2 "
                   "--forbid offload --no-fail --sweep cluster.nodes=1"},
        AnswerCase{"size-sweep",
                   "size -c dgx-h100 --tokens 1B -n 1,2 --sweep target.days=0.05" + kSizes},
        AnswerCase{"size-sweep", "size -c dgx-h100 --sweep cluster.nodes=1" + kSizes},
        AnswerCase{"size-sweep",
                   "size -c dgx-h100 --tokens 1B -n 1 --sweep target.days=0.001" + kSizes},
        AnswerCase{"lint-rules", "lint --rules"},
        AnswerCase{"model-answer", "model qwen3-30b-a3b"},
        AnswerCase{"collective-answer", "collective all_reduce 1GB -c dgx-h100 -n 2 --curve"},
        AnswerCase{"collective-answer", "collective alltoall 64MB -c 8x-rtx-4090"},
        AnswerCase{"doctor", "doctor"}),
    [](const auto& one) {
        return std::to_string(one.index) + "_" +
               one.param.schema.substr(0, one.param.schema.find('-'));
    });

/// Of a document that was made with files.
void expectSchema(const std::string& name, const json& document) {
    json schema = json::parse(ran("schema " + name).out);
    EXPECT_EQ(complaints(schema, document), "");
    close(schema);
    EXPECT_EQ(complaints(schema, document), "");
}

TEST(AnswerSchemas, HaveEveryKeyOfFindingsAndLocks) {
    const std::string folder = tempFolder() + "/schemas_" + std::to_string(::getpid());
    const std::string file = folder + "_ds.json";
    ASSERT_TRUE(writeTextFile(file, R"({"train_batch_size": 8, "gradient_cliping": 1.0})"));
    const std::string forecast = " -m llama-3.2-1b -c dgx-h100 ";
    expectSchema("lint", json::parse(ran("lint " + file + " -f json").out));
    expectSchema("lint", json::parse(ran("lint " + file + forecast + "-f json").out));
    const std::string lock = folder + ".lock";
    const std::string scenario = FABRICAST_SOURCE_DIR "/ci/example/llama-8b.json";
    ran("check " + scenario + " --update-lock --lock " + lock);
    expectSchema("lock", json::parse(readTextFile(lock).value()));
}

TEST(ScenarioSchema, TakesScenariosAndRefusesWhatTheyDoNotHave) {
    const json schema = json::parse(ran("schema scenario").out);
    for (const char* file : {"llama_8b_two_nodes.json", "deepspeed_tied_pipeline.json"}) {
        std::ifstream stream(std::filesystem::path(FABRICAST_SOURCE_DIR) / "tests/cases/scenarios" /
                             file);
        const json scenario = json::parse(stream, nullptr, true, true);  // with comments
        EXPECT_EQ(complaints(schema, scenario), "") << file;
    }
    const json stated =
        json::parse(ran("explain -f json --section all --tokens 1T" + kBig).out).at("scenario");
    EXPECT_EQ(complaints(schema, stated), "");
    EXPECT_NE(complaints(schema, json::parse(R"({"modell": "llama"})")), "");
    EXPECT_NE(complaints(schema, json::parse(R"({"layout": {"tq": 8}})")), "");
    EXPECT_NE(complaints(schema, json::parse(R"({"settings": {"kernels": {"compile": 1}}})")), "");
    EXPECT_NE(complaints(schema, json::parse(R"({"cluster": {"nodes": 0}})")), "");
}

TEST(Schema, HasEveryKeyOfHelp) {
    const json schema = json::parse(ran("schema scenario").out);
    std::size_t keys = 0;
    for (const char* topic : {"help settings", "help layout"}) {
        std::istringstream lines(ran(topic).out);
        std::string line;
        std::getline(lines, line);
        while (std::getline(lines, line)) {
            std::string path = line.substr(0, line.find(' '));
            if (path == "Missing") {
                continue;
            }
            path = (path.starts_with("settings.") ? path : "layout." + path);
            for (std::size_t dot = 0; (dot = path.find('.', dot)) != std::string::npos; ++dot) {
                path.replace(dot, 1, "/properties/");
            }
            EXPECT_TRUE(schema.contains(json::json_pointer("/properties/" + path))) << path;
            ++keys;
        }
    }
    EXPECT_GT(keys, 60U);
}

TEST(Schema, NamesTheNearestOfAnUnknownOne) {
    const ProgramOutput output = ran("schema scenari");
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("scenario"), std::string::npos) << output.err;
    EXPECT_NE(ran("schema").out.find("\nplan\n"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
