#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace fabricast {
namespace hints_test {

using Words = std::vector<std::string>;

/// What an error is about, whatever its numbers: an answer to a hint must not be the same again.
std::string kindOf(const ProgramOutput& output) {
    std::string kind;
    for (const char letter : output.err.substr(0, output.err.find('\n'))) {
        if (std::isdigit(static_cast<unsigned char>(letter)) == 0) {
            kind += letter;
        }
    }
    return output.code == ExitCode::BadInput ? kind : "";
}

/// The hint of an error; empty: it has none.
std::string hintOf(const ProgramOutput& output) {
    const std::string begin = "\n  try: ";
    const std::size_t found = output.err.find(begin);
    if (output.code != ExitCode::BadInput || found == std::string::npos) {
        return "";
    }
    const std::size_t start = found + begin.size();
    return output.err.substr(start, output.err.find('\n', start) - start);
}

/// The words of a hint up to where prose begins: "--precision fp16, or another GPU" is two words.
/// Nothing where it is not typed as it stands.
Words typedOf(const std::string& hint) {
    Words typed;
    for (std::string word : typedWords(hint.substr(0, hint.find_first_of(",;(:")))) {
        const bool isSetting = word.starts_with("settings.") && word.find('=') != std::string::npos;
        if (isSetting && (typed.empty() || typed.back() != "--set")) {
            typed.emplace_back("--set");
        }
        typed.push_back(std::move(word));
    }
    const bool isTyped = typed.size() > 1 && typed.size() % 2 == 0 &&
                         std::ranges::all_of(typed, [&typed](const std::string& word) {
                             return (&word - typed.data()) % 2 == 1 || word.starts_with("--");
                         });
    return isTyped ? typed : Words();
}

/// The question with what a hint says in place of what it said of the same.
Words withHint(Words question, const Words& typed) {
    for (std::size_t i = 0; i + 1 < typed.size(); i += 2) {
        const std::string key = typed[i + 1].substr(0, typed[i + 1].find('='));
        for (std::size_t at = 0; at + 1 < question.size();) {
            const bool isSet = typed[i] == "--set" && question[at + 1].starts_with(key + "=");
            const bool isSame = question[at] == typed[i] && (typed[i] != "--set" || isSet);
            const auto from = question.begin() + static_cast<std::ptrdiff_t>(at);
            isSame ? void(question.erase(from, from + 2)) : void(++at);
        }
        question.insert(question.end(), {typed[i], typed[i + 1]});
    }
    return question;
}

std::string lineOf(const Words& words) {
    std::string line;
    for (const std::string& word : words) {
        line += word + " ";
    }
    return line;
}

const Words kMachines = {"-c dgx-h100",
                         "-c dgx-h100 -n 3",
                         "--gpu v100-sxm2-32gb --gpus 8",
                         "--gpu rtx-4090 --gpus 1",
                         "--gpu mi300x --gpus 8",
                         "-c dgx-a100-80gb -n 4"};
const Words kModels = {"gpt2", "mixtral-8x7b"};
const Words kOdd = {"--precision bf16",
                    "--precision fp8",
                    "--precision fp8_blockwise",
                    "--precision mxfp8",
                    "--precision nvfp4",
                    "--precision fp16",
                    "--precision pure_bf16",
                    "--tuning lora --stack megatron",
                    "--tuning qlora --stack axolotl",
                    "--tuning qlora --stack fsdp2",
                    "--stack deepspeed --layout shard=zero3,pp=2",
                    "--stack deepspeed --set settings.precision.moments=bf16",
                    "--stack megatron --layout tp=3",
                    "--stack fsdp2 --layout tp=2",
                    "--stack torchtitan",
                    "--stack axolotl",
                    "--global-batch 7",
                    "--seq 1000000",
                    "--optimizer muon",
                    "--set settings.kernels.attention=foo",
                    "--set settings.kernels.attention_code=flash2",
                    "--set settings.kernels.fp8_attention=true",
                    "--set settings.outer.steps=100",
                    "--tuning lora --set settings.lora.rank=0",
                    "--set settings.lora.rank=8",
                    "--price $0/h",
                    "--reserve 2",
                    "--sites 5",
                    "--host-memory 1YB"};

/// Nobody who types what is proposed is told the same again.
void expectNoDeadEnd(const std::string& question) {
    const Words asked = typedWords(question);
    const ProgramOutput output = runProgram(asked, {});
    const Words typed = typedOf(hintOf(output));
    if (typed.empty()) {
        return;
    }
    const ProgramOutput next = runProgram(withHint(asked, typed), {});
    EXPECT_NE(kindOf(next), kindOf(output)) << question << "\n" << output.err;
    if (next.code == ExitCode::BadInput) {
        // One more step may be needed, but not one back.
        const Words back = typedOf(hintOf(next));
        EXPECT_NE(lineOf(withHint(withHint(asked, typed), back)), lineOf(asked))
            << question << "\n"
            << output.err << next.err;
        EXPECT_TRUE(typed[0] != "--precision" ||
                    kindOf(next).find("precision") == std::string::npos)
            << question << "\n"
            << output.err << next.err;
    }
}

class Hints : public testing::TestWithParam<std::string> {};

TEST_P(Hints, LeadOn) {
    for (const std::string& odd : kOdd) {
        for (const std::string& model : kModels) {
            for (const char* const command : {"explain", "check"}) {
                expectNoDeadEnd(std::string(command) + " -m " + model + " " + GetParam() + " " +
                                odd);
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Machines, Hints, testing::ValuesIn(kMachines));

TEST(Hints, OfSearchesLeadOn) {
    for (const std::string& odd : kOdd) {
        for (const char* const command : {"plan", "size"}) {
            expectNoDeadEnd(std::string(command) + " -m gpt2 --gpu v100-sxm2-32gb --gpus 4 " + odd);
        }
    }
}

/// The sizes of a hint that ends "shard_size=8, 16 or 24"; none where it proposes no size.
Words shardSizesOf(const std::string& hint) {
    const std::size_t at = hint.find("shard_size=");
    Words sizes;
    std::string number;
    for (const char letter : at == std::string::npos ? "" : hint.substr(at) + " ") {
        const bool isDigit = std::isdigit(static_cast<unsigned char>(letter)) != 0;
        if (!isDigit && !number.empty()) {
            sizes.push_back(number);
            number.clear();
        }
        number += isDigit ? std::string(1, letter) : "";
    }
    return sizes;
}

// A group of shards divides the ranks of dp x cp, and to most stacks it is of whole groups of cp: a
// size that one rule proposes is not what the other refuses.
TEST(Hints, AboutShardGroupsProposeWhatIsTaken) {
    for (const std::string stack : {"torchtitan", "accelerate", "axolotl"}) {
        for (const std::string ranks : {"dp=6,cp=4", "dp=3,cp=8"}) {
            const std::string question = "explain -m llama-3.1-8b -c dgx-h100 -n 3 --stack " +
                                         stack + " --layout shard=hsdp," + ranks + ",shard_size=";
            for (const char* const size : {"5", "6", "8", "12", "16"}) {
                const ProgramOutput refused = ran(question + size);
                for (const std::string& better : shardSizesOf(hintOf(refused))) {
                    const ProgramOutput next = ran(question + better);
                    EXPECT_EQ(next.err.find("does not divide"), std::string::npos)
                        << stack << " " << ranks << " " << size << ": " << refused.err << next.err;
                    EXPECT_EQ(next.err.find("is not a multiple"), std::string::npos)
                        << stack << " " << ranks << " " << size << ": " << refused.err << next.err;
                }
            }
        }
    }
    const ProgramOutput whole =
        ran("explain -m llama-3.1-8b -c dgx-h100 -n 3 --stack accelerate --layout "
            "shard=hsdp,dp=3,cp=8,shard_size=8");
    EXPECT_EQ(
        hintOf(whole),
        "--set layout.shard=fsdp --set layout.shard_size=null, or --set layout.shard_size=24");
}

}  // namespace hints_test
}  // namespace fabricast
