// Questions that make sense, at random: what plan finds, explain says of its layout again.
#include "cli/run_program.h"
#include "planner/profiles/profile_store.h"
#include "planner/stack/stack.h"
#include "planner/text/json_document.h"
#include "tests/hostile/soundness.h"
#include "tests/support/case_count.h"
#include "tests/support/program_answer.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace question_fuzz_test {

using Words = std::vector<std::string>;

class RandomQuestion {
public:
    explicit RandomQuestion(std::uint64_t seed) : random_(seed) {}

    Words scenario() {
        Words words = {"-m", profile(ProfileKind::Model), "-c", profile(ProfileKind::Cluster)};
        add(words, 1, "-n", kNodes);
        add(words, 1, "--seq", kSequences);
        add(words, 1, "--global-batch", kBatches);
        add(words, 4, "--precision", kPrecisions);
        add(words, 3, "--optimizer", kOptimizers);
        add(words, 4, "--tuning", kTunings);
        add(words, 3, "--tokens", kTokens);
        return words;
    }
    Words search() {
        Words words = {"--top", "2", "-f", "json"};
        const auto stacks = allStacks();
        const std::string stack(stacks[random_.below(stacks.size())].name);
        words.insert(words.end(), {"--stack", stack});
        add(words, 2, "--objective", kObjectives);
        return words;
    }

private:
    using Choices = std::array<std::string_view, 6>;
    static constexpr Choices kNodes = {"1", "1", "2", "2", "4", "8"};
    static constexpr Choices kSequences = {"512", "1024", "1024", "2048", "2048", "4096"};
    static constexpr Choices kBatches = {"16", "32", "64", "96", "128", "512"};
    static constexpr Choices kPrecisions = {
        "bf16", "fp16", "fp32", "pure_bf16", "fp8_tensorwise", "mxfp8"};
    static constexpr Choices kOptimizers = {
        "adamw", "adamw_8bit", "adafactor", "lion", "sgd", "muon"};
    static constexpr Choices kTunings = {"full", "lora", "lora", "lora", "qlora", "qlora"};
    static constexpr Choices kTokens = {"1B", "10B", "100B", "1T", "15T", "1M"};
    static constexpr Choices kObjectives = {"tokens", "time", "cost", "energy", "gpus", "memory"};

    void add(Words& words, std::size_t oneIn, const std::string& flag, const Choices& choices) {
        if (random_.oneIn(oneIn)) {
            words.insert(words.end(), {flag, std::string(choices[random_.below(choices.size())])});
        }
    }
    std::string profile(ProfileKind kind) {
        static const ProfileStore store = ProfileStore::builtIn();
        const auto files = store.files(kind);
        return files[random_.below(files.size())].name;
    }

    TextMutator random_;
};

/// The keys of a plan's layout as they are typed.
std::string layoutOf(const JsonValue& plan) {
    std::string text = "recompute=" + textOf(plan, "recompute");
    for (const JsonValue& key : plan.find("layout")->members()) {
        text += "," + key.name() + "=" +
                (key.is(JsonValue::Kind::Boolean) ? std::string(*key.boolean() ? "on" : "off")
                 : key.is(JsonValue::Kind::String)
                     ? *key.text()
                     : std::to_string(*key.integer({0, std::int64_t{1} << 30})));
    }
    return text;
}

std::string gpusOf(const JsonValue& plan) {
    double gpus = 1.0;
    for (const char* const key : {"dp", "tp", "pp", "cp"}) {
        gpus *= numberOf(*plan.find("layout"), key);
    }
    return std::to_string(static_cast<std::int64_t>(gpus));
}

/// A plan's layout by itself: the same memory, verdict and step.
void expectTheSameOf(const JsonValue& plan, const Words& scenario) {
    Words words = scenario;
    *std::ranges::find(words, "-n") = "--gpus";
    *std::next(std::ranges::find(words, "--gpus")) = gpusOf(plan);
    words.insert(words.begin(), "explain");
    words.insert(words.end(),
                 {"--stack", textOf(plan, "stack"), "--layout", layoutOf(plan), "-f", "json"});
    words.insert(words.end(), {"--section", "all"});
    const ProgramOutput answer = runProgram(words, {});
    const std::string asked = testing::PrintToString(words) + answer.err;
    ASSERT_EQ(troubleOf(answer), "") << asked;
    ASSERT_NE(answer.code, ExitCode::BadInput) << asked;
    const JsonValue root = jsonOf(answer.out);
    const JsonValue& memory = *plan.find("memory");
    EXPECT_EQ(textOf(root, "verdict"), textOf(memory, "verdict")) << asked;
    EXPECT_EQ(numberOf(*root.find("memory")->find("peak_bytes"), "value"),
              numberOf(memory, "peak_bytes"))
        << asked;
    const double step = numberOf(plan, "step_s");
    EXPECT_NEAR(numberOf(*root.find("time")->find("step_s"), "value"), step, 1e-9 * step) << asked;
}

TEST(QuestionFuzz, ExplainAgreesWithPlan) {
    std::size_t answered = 0;
    for (std::size_t seed = 0; seed < cases(40); ++seed) {
        RandomQuestion question(seed);
        const Words scenario = question.scenario();
        Words words = scenario;
        words.insert(words.begin(), "plan");
        for (const std::string& word : question.search()) {
            words.push_back(word);
        }
        const ProgramOutput answer = runProgram(words, {});
        // Where all is refused the answer says so, and is no error.
        ASSERT_EQ(troubleOf(static_cast<int>(answer.code), answer.out, answer.out + answer.err, ""),
                  "")
            << testing::PrintToString(words) << answer.err;
        if (answer.code != ExitCode::Ok) {
            continue;
        }
        const JsonValue root = jsonOf(answer.out);
        for (const JsonValue& plan : root.find("plans")->items()) {
            expectTheSameOf(plan, scenario);
        }
        ++answered;
    }
    EXPECT_GT(answered, cases(40) / 10) << "hardly any has a plan";
}

}  // namespace question_fuzz_test
}  // namespace fabricast
