// The largest questions that are taken: answered before anybody gives up, and within the memory of
// a small machine.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

constexpr std::int64_t kMostBytes = std::int64_t{1} << 30;

/// The program that users have, as tools/hostile names it, is asked everything, and has 5 s of CPU
/// time; that of the tests is slower.
struct Asked {
    std::string program = FABRICAST_BINARY;
    double mostSeconds = 20.0;
    bool everything = false;
};
Asked asked() {
    const char* const named = std::getenv("FABRICAST_PROGRAM");
    return named == nullptr ? Asked()
                            : Asked{.program = named, .mostSeconds = 5.0, .everything = true};
}

struct Question {
    std::string line;     ///< as typed
    bool isLong = false;  ///< some seconds even for an optimised program
};

std::string modelOf(int layers, int experts) {
    const std::string kind =
        experts > 0 ? R"("architectures": ["MixtralForCausalLM"], "model_type": "mixtral",
                         "num_experts_per_tok": 8, "num_local_experts": )" +
                          std::to_string(experts)
                    : R"("architectures": ["LlamaForCausalLM"], "model_type": "llama")";
    return "{" + kind + R"(, "hidden_size": 1024, "intermediate_size": 512,
        "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32000,
        "hidden_act": "silu", "tie_word_embeddings": false, "num_hidden_layers": )" +
           std::to_string(layers) + "}";
}

TEST(LargeQuestions, AreAnsweredInTimeAndMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers take ten times the memory and time";
#endif
    const ScratchFolder folder;
    const std::string deep = folder.write("deep.json", modelOf(1024, 0));
    const std::string tower = folder.write("tower.json", modelOf(1024, 0));
    const std::string tall = folder.write("tall.json", modelOf(256, 0));
    const std::string wide = folder.write("wide.json", modelOf(64, 1024));
    const std::vector<Question> questions = {
        {"explain -m " + deep + " -c dgx-h100 -n 64 --stack fsdp2 --seq 4096"},
        {"plan -m " + tower + " -c dgx-h100 -n 64 --seq 4096 --global-batch 512", true},
        {"plan -m " + wide + " -c dgx-h100 -n 64 --seq 4096 --global-batch 512 --stack megatron",
         true},
        {"advise -m " + tall + " -c dgx-h100 -n 8 --seq 4096 --global-batch 64", true},
        {"plan -m llama-3.1-405b -c dgx-h100 -n 125000 --seq 4096 --global-batch 1000000"},
        {"plan -m llama-3.1-8b --gpu h100-sxm5-80gb --gpus-per-node 4096 -n 256 --fabric ib-ndr "
         "--global-batch 1048576 --seq 4096"},
        {"plan -m llama-3.1-8b -c dgx-h100 --seq 4096 --global-batch 64 --pareto --sensitivity"},
        {"simulate -m llama-3.1-8b -c dgx-h100 -n 8 --stack megatron --layout tp=8,pp=8 "
         "--seq 4096 --global-batch 32768"},
        {"simulate -m llama-3.1-8b --gpu h100-sxm5-80gb --gpus-per-node 4096 -n 1 --stack fsdp2"},
        {"plan -m gpt-oss-120b -c dgx-h100 -n 16 --pareto", true},
        {"plan -m qwen3-235b-a22b -c dgx-h100 -n 1024 --objective memory", true},
        {"plan -m gpt-oss-20b -c 8x-rtx-5090 --objective memory", true},
        {"plan -m deepseek-v3 -c dgx-h100 -n 64 --objective gpus", true},
        {"topology -c dgx-h100 -n 4096"},
    };
    const Asked asks = asked();
    for (const Question& question : questions) {
        if (question.isLong && !asks.everything) {
            continue;
        }
        Words words = {asks.program};
        const Words typed = typedWords(question.line);
        words.insert(words.end(), typed.begin(), typed.end());
        const Disturbed run = disturbedRun(words, {.mostSeconds = 120.0});
        const std::string name = typed[0] + " " + typed[2];
        EXPECT_EQ(troubleOf(run), "") << name << run.err;
        EXPECT_LE(run.code, 1) << name << run.err;
        EXPECT_LT(run.peakBytes, kMostBytes) << name;
        EXPECT_LT(run.cpuSeconds, asks.mostSeconds) << name;
        std::printf("%6.2f s %5.0f MiB  %s\n",
                    run.cpuSeconds,
                    static_cast<double>(run.peakBytes) / (1 << 20),
                    name.c_str());
    }
}

// Words of one command, functions that each call the next, lines that add to a list, options of a
// job, keys of a scenario, letters of a name.
TEST(LargeQuestions, LongFilesAreReadInTime) {
    std::string options = "torchrun --nproc-per-node 8 train.py";
    for (int i = 0; i < 100000; ++i) {
        options += " --a";
    }
    std::string chain;
    for (int i = 0; i < 30000; ++i) {
        chain += "def f" + std::to_string(i) + "(a):\n    f" + std::to_string(i + 1) + "(a)\n";
    }
    std::string lists = "A=()\n";
    std::string job = "#!/bin/bash\n";
    std::string keys = "{";
    for (int i = 0; i < 60000; ++i) {
        lists += "A+=(--x 1)\n";
        job += "#SBATCH --a" + std::to_string(i) + "=1\n";
        keys += "\"k" + std::to_string(i) + "\": 1, ";
    }
    const std::string start = "torchrun --nproc-per-node 8 train.py\n";
    const std::string name(std::size_t{4} << 20, 'x');
    const ScratchFolder folder;
    const Asked asks = asked();
    for (const std::string& file : {folder.write("run.sh", options + "\n"),
                                    folder.write("chain.py", chain),
                                    folder.write("lists.sh", lists + start),
                                    folder.write("job.sh", job + start),
                                    folder.write("keys.json", keys + "\"model\": 1}"),
                                    folder.write("name.json", "{\"model\": \"" + name + "\"}")}) {
        const Disturbed run =
            disturbedRun({asks.program, "explain", file, "-c", "dgx-h100"}, {.mostSeconds = 120.0});
        EXPECT_EQ(troubleOf(run), "") << file << run.err;
        EXPECT_LT(run.cpuSeconds, asks.mostSeconds) << file;
    }
}

}  // namespace
}  // namespace fabricast
