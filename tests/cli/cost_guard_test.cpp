#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/temp_folder.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What the program answers, and within how long.
struct Timed {
    ProgramOutput answer;
    double seconds = 0.0;
};

Timed timed(const std::vector<std::string>& words) {
    const auto begin = std::chrono::steady_clock::now();
    ProgramOutput answer = runProgram(words, {});
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return {std::move(answer), passed.count()};
}

Timed ofTopology(const std::string& name, const std::string& text) {
    const std::string file = tempFolder() + "/" + name;
    EXPECT_TRUE(writeTextFile(file, text));
    return timed({"topology", "--file", file, "--gpu", "h100-sxm5-80gb"});
}

TEST(CostGuard, AHeadingOfNamesIsRefusedAtTheFirstTooMany) {
    std::string heading;
    for (int gpu = 0; gpu < 300'000; ++gpu) {
        heading += "\tGPU" + std::to_string(gpu);
    }
    const Timed refused = ofTopology("names.txt", heading + "\n");
    EXPECT_EQ(refused.answer.code, ExitCode::BadInput);
    EXPECT_NE(refused.answer.err.find("more than 256 devices"), std::string::npos)
        << refused.answer.err.substr(0, 300);
    EXPECT_LT(refused.seconds, 3.0) << "a quadratic reader takes a minute";
}

TEST(CostGuard, AHostHasFewCpus) {
    std::string xml = "<system version=\"1\">\n";
    for (int cpu = 0; cpu < 3000; ++cpu) {
        xml += "<cpu numaid=\"" + std::to_string(cpu) + "\" arch=\"x86_64\"/>\n";
    }
    const Timed refused = ofTopology("cpus.xml", xml + "</system>\n");
    EXPECT_EQ(refused.answer.code, ExitCode::BadInput);
    EXPECT_NE(refused.answer.err.find("more than 64 <cpu>"), std::string::npos)
        << refused.answer.err.substr(0, 300);
    EXPECT_LT(refused.seconds, 3.0);
}

TEST(CostGuard, AGraphThatIsTooLargeIsSaidBeforeTheSearch) {
    const Timed refused = timed({"plan",
                                 "--simulate",
                                 "5",
                                 "-m",
                                 "deepseek-v3",
                                 "-c",
                                 "dgx-h100",
                                 "-n",
                                 "20000",
                                 "--global-batch",
                                 "160000",
                                 "--seq",
                                 "4096"});
    EXPECT_EQ(refused.answer.code, ExitCode::BadInput);
    EXPECT_NE(refused.answer.err.find("more than 131072 GPUs"), std::string::npos)
        << refused.answer.err;
    EXPECT_LT(refused.seconds, 1.0);
}

TEST(CostGuard, MoreGpusThanALayoutHasAreRefusedAtOnce) {
    for (const char* command : {"plan", "advise"}) {
        const Timed refused = timed({command,
                                     "-m",
                                     "llama-3.1-8b",
                                     "--gpu",
                                     "h100-sxm5-80gb",
                                     "--gpus-per-node",
                                     "4096",
                                     "--fabric",
                                     "ib-ndr",
                                     "-n",
                                     "4096",
                                     "--global-batch",
                                     "16777216",
                                     "--seq",
                                     "4096"});
        EXPECT_EQ(refused.answer.code, ExitCode::BadInput) << refused.answer.out;
        EXPECT_NE(refused.answer.err.find("more than the 10000000 GPUs that are searched"),
                  std::string::npos)
            << refused.answer.err;
        EXPECT_NE(refused.answer.err.find("-n 2441"), std::string::npos) << refused.answer.err;
        EXPECT_LT(refused.seconds, 1.0) << command;
    }
}

/// A model of this many layers, with experts or without.
std::string modelOf(int layers, int experts) {
    const std::string file =
        tempFolder() + "/model_" + std::to_string(layers) + "_" + std::to_string(experts) + ".json";
    const std::string kind =
        experts > 0 ? R"("architectures": ["MixtralForCausalLM"], "model_type": "mixtral",
                         "num_experts_per_tok": 8, "num_local_experts": )" +
                          std::to_string(experts)
                    : R"("architectures": ["LlamaForCausalLM"], "model_type": "llama")";
    EXPECT_TRUE(writeTextFile(file,
                              "{" + kind + R"(, "hidden_size": 1024, "intermediate_size": 512,
        "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32000,
        "hidden_act": "silu", "tie_word_embeddings": false, "num_hidden_layers": )" +
                                  std::to_string(layers) + "}"));
    return file;
}

TEST(CostGuard, AModelThatIsTooLargeToSearchIsNamedAtOnce) {
    const auto refusal = [](const std::string& line, const std::string& model) {
        std::vector<std::string> words = typedWords(line);
        words.insert(words.end(), {"-m", model, "-c", "dgx-h100", "-n", "64", "--seq", "4096"});
        const Timed refused = timed(words);
        EXPECT_EQ(refused.answer.code, ExitCode::BadInput) << refused.answer.out;
        EXPECT_LT(refused.seconds, 5.0) << line << ": what is worked on takes minutes";
        return refused.answer.err;
    };
    const auto says = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    says(refusal("plan --global-batch 1024", modelOf(8, 100'000)),
         "100000 experts in a layer, more than the 1024 that are searched");
    says(refusal("explain --stack ddp --global-batch 512", modelOf(10'000, 0)),
         "\"num_hidden_layers\" must be a whole number from 1 to 1024, not 10000");
    says(refusal("advise --global-batch 512", modelOf(1000, 0)),
         "1000 layers, more than the 256 that are searched for each way to train\n"
         "  try: fabricast plan, which searches once and takes 1024 layers");
    says(refusal("advise --global-batch 512", modelOf(1000, 128)),
         "  try: fabricast explain, with a stack and a layout");
    says(refusal("plan --global-batch 512", modelOf(1000, 128)),
         "128000 experts in all layers, more than the 65536 that are searched");
    says(refusal("explain --stack fsdp2 --global-batch 1024 --set "
                 "settings.kernels.experts=sequential",
                 modelOf(8, 100'000)),
         "800000 experts of a GPU, computed one by one, are more than the 65536 that are walked");
    says(refusal("explain --stack megatron --section time --global-batch 1024",
                 modelOf(100, 100'000)),
         "10000000 experts in all layers are more than the 4000000 that are walked");
    says(refusal("simulate --stack megatron --layout tp=8,pp=8 --global-batch 65536",
                 modelOf(1000, 0)),
         "ops in the layers of all passes are more than the 5000000");
}

TEST(CostGuard, SensitivityDoesNotWalkTheFrontierAgain) {
    const std::vector<std::string> question =
        typedWords("plan -m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 64 --pareto");
    std::vector<std::string> both = question;
    both.emplace_back("--sensitivity");
    const Timed alone = timed(question);
    const Timed together = timed(both);
    EXPECT_EQ(together.answer.code, ExitCode::Ok) << together.answer.err;
    EXPECT_LT(together.seconds, 4.0 * alone.seconds + 2.0) << alone.seconds;
}

struct LongQuestion {
    std::string line;
    std::string where;  ///< what asks for so much
    std::string why;
    std::string less;  ///< what is quick instead, and typed
};

/// What grows with a number that was typed is refused before it is begun, unless --long is typed:
/// then it begins, and can be stopped.
TEST(CostGuard, WorkOfMinutesIsRefusedAtOnceUnlessItMayTakeLong) {
    const std::string step =
        "simulate -m llama-3.1-8b -c dgx-h100 --stack megatron --layout "
        "pp=4,tp=2 --seq 8192 --global-batch 64 ";
    const std::string planned = "-m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 512 ";
    const std::vector<LongQuestion> questions = {
        {step + "--steps 1000000 --jitter 1% --runs 20000",
         "--runs",
         "20000 runs of 1000000 steps would take about",
         "--runs 1"},
        {step + "--steps 1000000 --failures --mtbf 20h --runs 200000",
         "--runs",
         "200000 runs of 1000000 steps would take about",
         "--runs "},
        {step + "--steps 1000000000 --jitter 1% --runs 1",
         "--runs",
         "1 run of 1000000000 steps would take about",
         "fewer --steps"},
        {"plan -m llama-3.1-8b -c dgx-h100 -n 8 --seq 8192 --global-batch 4096 --stack megatron "
         "--layout tp=2,pp=8,micro_batch=1 --simulate 100 --top 100",
         "--simulate",
         " simulations would take about",
         "--simulate "}};
    std::stop_source stopped;
    stopped.request_stop();
    for (const LongQuestion& question : questions) {
        const Timed refused = timed(typedWords(question.line));
        const std::string& err = refused.answer.err;
        EXPECT_EQ(refused.answer.code, ExitCode::BadInput) << question.line << refused.answer.out;
        EXPECT_EQ(refused.answer.out, "");
        EXPECT_EQ(err.find("error: " + question.where + ": "), 0U) << err;
        EXPECT_NE(err.find(question.why), std::string::npos) << err;
        EXPECT_NE(err.find("without --long"), std::string::npos) << err;
        EXPECT_NE(err.find(question.less), std::string::npos) << err;
        const ProgramOutput begun = runProgram(typedWords(question.line + " --long"),
                                               {.stop = [&] { return stopped.get_token(); }});
        EXPECT_EQ(begun.err.find("without --long"), std::string::npos) << begun.err;
    }
}

/// What an error says to type instead is begun.
TEST(CostGuard, FewerRunsThanAreRefusedAreTaken) {
    const std::string line = "simulate -m gpt2 -c dgx-h100 --stack ddp --steps 100000 --jitter 1% ";
    const std::string err = timed(typedWords(line + "--runs 20000")).answer.err;
    const std::string begin = "try: --runs ";
    const std::size_t found = err.find(begin);
    ASSERT_NE(found, std::string::npos) << err;
    const std::size_t from = found + begin.size();
    const std::string runs = err.substr(from, err.find(',', from) - from);
    std::stop_source stopped;
    stopped.request_stop();
    const ProgramOutput begun = runProgram(typedWords(line + "--runs " + runs),
                                           {.stop = [&] { return stopped.get_token(); }});
    EXPECT_EQ(begun.code, ExitCode::Interrupted) << runs << begun.err;
}

}  // namespace
}  // namespace fabricast
