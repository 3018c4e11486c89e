#include "cli/run_program.h"
#include "planner/stack/stack.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr const char* kReadme = FABRICAST_SOURCE_DIR "/README.md";
constexpr std::string_view kBegin = "<!-- systems: begin -->\n";
constexpr std::string_view kEnd = "<!-- systems: end -->";

/// A way to train, and the words that ask for it.
struct Way {
    std::string_view title;
    std::vector<std::string> words;
};

std::vector<Way> ways() {
    const std::vector<std::string> dense = {"-m", "llama-3.2-1b"};
    const std::vector<std::string> experts = {"-m", "qwen3-30b-a3b"};
    const auto tuned = [](std::vector<std::string> words, const char* tuning) {
        words.insert(words.end(), {"--tuning", tuning});
        return words;
    };
    return {{"dense", dense},
            {"experts", experts},
            {"LoRA", tuned(dense, "lora")},
            {"QLoRA", tuned(dense, "qlora")},
            {"experts, LoRA", tuned(experts, "lora")},
            {"experts, QLoRA", tuned(experts, "qlora")}};
}

/// Whose sharding is the stack's own default, and what some stacks need besides.
struct Row {
    std::string_view stack;
    std::string_view layout;
};
std::vector<Row> rows() {
    std::vector<Row> rows;
    for (const Stack& stack : allStacks()) {
        if (stack.name == "deepspeed") {
            rows.push_back({stack.name, "shard=zero2"});
            rows.push_back({stack.name, "shard=zero3"});
        } else {
            rows.push_back({stack.name, {}});
        }
    }
    return rows;
}

ProgramOutput asked(const Row& row, const Way& way, const std::vector<std::string>& section) {
    std::vector<std::string> words = {"explain", "-c", "dgx-h200", "--seq", "2048", "--stack"};
    words.emplace_back(row.stack);
    words.insert(words.end(), way.words.begin(), way.words.end());
    if (!row.layout.empty()) {
        words.insert(words.end(), {"--layout", std::string(row.layout)});
    }
    words.insert(words.end(), section.begin(), section.end());
    return runProgram(words, {});
}

/// "memory, time, cost" as far as each is answered; "has none" where the framework has no such way.
std::string cell(const Row& row, const Way& way) {
    constexpr int kRefused = 2;
    const ProgramOutput memory = asked(row, way, {});
    const ProgramOutput cost = asked(row, way, {"--section", "cost", "--price", "$2/h"});
    const bool hasMemory = static_cast<int>(memory.code) != kRefused;
    const bool hasCost = static_cast<int>(cost.code) != kRefused;
    if (hasMemory && hasCost) {
        return "memory, time, cost";
    }
    if (hasMemory || hasCost) {
        return hasMemory ? "memory" : "time, cost";
    }
    return memory.err.find(" has no ") != std::string::npos ? "has none" : "not modelled";
}

std::string table() {
    std::string text = "| stack |";
    std::string rule = "|---|";
    for (const Way& way : ways()) {
        text += " " + std::string(way.title) + " |";
        rule += "---|";
    }
    text += "\n" + rule + "\n";
    for (const Row& row : rows()) {
        text += "| `" + std::string(row.stack) + "`" +
                (row.layout.empty() ? "" : " " + std::string(row.layout)) + " |";
        for (const Way& way : ways()) {
            text += " " + cell(row, way) + " |";
        }
        text += "\n";
    }
    return text;
}

// README's table of what is answered is what the program answers.
TEST(Systems, AreAnsweredAsTheTableSays) {
    std::ifstream in(kReadme, std::ios::binary);
    std::string page{std::istreambuf_iterator<char>(in), {}};
    const std::size_t begin = page.find(kBegin);
    const std::size_t end = page.find(kEnd);
    ASSERT_NE(begin, std::string::npos);
    ASSERT_NE(end, std::string::npos);
    const std::size_t from = begin + kBegin.size();
    const std::string answered = table();
    if (std::getenv("FABRICAST_UPDATE_GOLDEN") != nullptr) {
        page.replace(from, end - from, answered);
        std::ofstream(kReadme, std::ios::binary) << page;
        return;
    }
    EXPECT_EQ(page.substr(from, end - from), answered)
        << "rewrite README.md with FABRICAST_UPDATE_GOLDEN=1";
}

}  // namespace
}  // namespace fabricast
