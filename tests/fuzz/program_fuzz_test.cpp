#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/fuzz/random_scenario.h"
#include "tests/support/case_count.h"
#include "tests/support/temp_folder.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

// A debug build with sanitizers takes some ten times what users wait.
constexpr std::chrono::seconds kLongest{10};

fs::path scratch() {
    static const fs::path folder = [] {
        const fs::path made = fs::path(tempFolder()) / "fabricast_fuzz";
        fs::create_directories(made);
        return made;
    }();
    return folder;
}

std::vector<std::string> textsUnder(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(FABRICAST_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ".json") {
            files.push_back(entry.path());
        }
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> texts;
    for (const fs::path& file : files) {
        texts.push_back(readTextFile(file.string()).value_or(""));
    }
    return texts;
}

/// Without waiting for the disk, as writeTextFile does.
void write(const fs::path& file, const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
}

double numberAt(const JsonValue& object, std::string_view key) {
    const JsonValue* value = object.find(key);
    return value == nullptr ? 0.0 : value->number(-1.0, 1e300).value_or(-1.0);
}

/// Every count of bytes is one, seconds are finite and none negative, and every interval has its
/// value inside.
bool isSound(const JsonValue& value) {
    if (value.name().ends_with("_bytes") && value.is(JsonValue::Kind::Integer) &&
        value.integer({}).value_or(-1) < 0) {
        return false;
    }
    if (value.name().ends_with("_s") && !value.is(JsonValue::Kind::Object) &&
        value.number(-1e-9, 1e300).value_or(-1.0) < -1e-9) {
        return false;
    }
    if (value.find("lo") != nullptr && value.find("hi") != nullptr) {
        const double middle = numberAt(value, "value");
        if (numberAt(value, "lo") < 0 || numberAt(value, "lo") > middle ||
            middle > numberAt(value, "hi")) {
            return false;
        }
    }
    const auto parts = value.is(JsonValue::Kind::Array) ? value.items() : value.members();
    return std::all_of(parts.begin(), parts.end(), isSound);
}

/// Exit 0, 1 or 2; one JSON document or an error with the reason; within the time limit.
ExitCode expectAnAnswerOrAnError(const std::vector<std::string>& arguments,
                                 const std::string& text) {
    const auto begin = std::chrono::steady_clock::now();
    const ProgramOutput output = runProgram(arguments, {});
    const auto took = std::chrono::steady_clock::now() - begin;
    EXPECT_LT(took, kLongest) << text;
    EXPECT_LE(static_cast<int>(output.code), 2) << output.err << text;
    if (output.code == ExitCode::BadInput) {
        EXPECT_EQ(output.out, "") << text;
        EXPECT_TRUE(output.err.starts_with("error: ")) << text;
    } else {
        const auto document = parseJson(output.out, "out");
        EXPECT_TRUE(document && isSound(*document)) << output.out << text;
    }
    return output.code;
}

TEST(ProgramFuzz, MutatedScenarios) {
    const std::vector<std::string> seeds = textsUnder("tests/cases/scenarios");
    const std::string file = (scratch() / "scenario.json").string();
    for (std::size_t seed = 0; seed < cases(4000); ++seed) {
        TextMutator mutator(seed);
        const std::string text = mutator.mutated(seeds[seed % seeds.size()]);
        write(file, text);
        expectAnAnswerOrAnError({"explain", file, "--format", "json"}, text);
    }
}

TEST(ProgramFuzz, RandomScenarios) {
    const std::string file = (scratch() / "random.json").string();
    std::size_t answered = 0;
    for (std::size_t seed = 0; seed < cases(3000); ++seed) {
        const std::string text = RandomScenario(seed).text();
        write(file, text);
        const ExitCode code = expectAnAnswerOrAnError({"explain", file, "--format", "json"}, text);
        answered += code == ExitCode::BadInput ? 0U : 1U;
    }
    EXPECT_GT(answered, cases(3000) / 100) << "hardly any reached the engine";
}

TEST(ProgramFuzz, RandomScenariosInTime) {
    const std::string file = (scratch() / "random_time.json").string();
    std::size_t answered = 0;
    for (std::size_t seed = 0; seed < cases(300); ++seed) {
        const std::string text = RandomScenario(seed).text();
        write(file, text);
        const ExitCode code = expectAnAnswerOrAnError(
            {"explain", file, "--section", "all", "--format", "json"}, text);
        answered += code == ExitCode::BadInput ? 0U : 1U;
    }
    EXPECT_GT(answered, cases(300) / 100) << "hardly any reached the engine";
}

TEST(ProgramFuzz, MutatedTopologies) {
    const fs::path folder = fs::path(FABRICAST_SOURCE_DIR) / "tests/cases/topology";
    std::vector<std::string> seeds;
    for (const char* name :
         {"two_boxes.json", "four_h100.xml", "eight_h100.txt", "four_4090.txt"}) {
        seeds.push_back(readTextFile((folder / name).string()).value_or(""));
    }
    const std::string file = (scratch() / "topology").string();
    for (std::size_t seed = 0; seed < cases(1000); ++seed) {
        TextMutator mutator(seed);
        const std::string text = mutator.mutated(seeds[seed % seeds.size()]);
        write(file, text);
        expectAnAnswerOrAnError(
            {"topology", "--file", file, "--gpu", "h100-sxm5-80gb", "--format", "json"}, text);
    }
}

TEST(ProgramFuzz, MutatedModels) {
    const std::vector<std::string> seeds = textsUnder("tests/cases/params");
    const std::string file = (scratch() / "config.json").string();
    for (std::size_t seed = 0; seed < cases(2000); ++seed) {
        TextMutator mutator(seed);
        const std::string text = mutator.mutated(seeds[mutator.below(seeds.size())]);
        write(file, text);
        expectAnAnswerOrAnError({"model", file, "--format", "json"}, text);
        expectAnAnswerOrAnError({"explain", "-m", file, "-c", "dgx-h100", "-f", "json"}, text);
    }
}

TEST(ProgramFuzz, MutatedProfiles) {
    const fs::path folder = scratch() / "profiles";
    const std::vector<std::pair<std::string, std::string>> kinds = {{"gpus", "h100-sxm5-80gb"},
                                                                    {"nodes", "dgx-h100"},
                                                                    {"clusters", "dgx-h100"},
                                                                    {"fabrics", "ib-ndr"},
                                                                    {"models", "gpt2"}};
    for (std::size_t seed = 0; seed < cases(1000); ++seed) {
        TextMutator mutator(seed);
        const auto& [kind, name] = kinds[seed % kinds.size()];
        const std::string path = kind + "/" + name + ".json";
        const auto original =
            readTextFile((fs::path(FABRICAST_SOURCE_DIR) / "hardware_profiles" / path).string());
        ASSERT_TRUE(original);
        const std::string text = mutator.mutated(*original);
        fs::remove_all(folder);
        fs::create_directories(folder / kind);
        write(folder / path, text);
        expectAnAnswerOrAnError({"explain",
                                 "-m",
                                 "gpt2",
                                 "-c",
                                 "dgx-h100",
                                 "-f",
                                 "json",
                                 "--profile-dir",
                                 folder.string()},
                                text);
    }
}

TEST(ProgramFuzz, MutatedPricesAndSites) {
    const std::vector<std::pair<std::string, std::string>> kinds = {
        {"--price", "prices/market-2026-05.json"},
        {"--price", "prices/aws-2026-06.json"},
        {"--site", "sites/typical.json"},
        {"--site", "sites/meta-rsc-1.json"}};
    const std::string file = (scratch() / "budget.json").string();
    std::size_t answered = 0;
    for (std::size_t seed = 0; seed < cases(120); ++seed) {
        TextMutator mutator(seed);
        const auto& [flag, path] = kinds[seed % kinds.size()];
        const auto original =
            readTextFile((fs::path(FABRICAST_SOURCE_DIR) / "hardware_profiles" / path).string());
        ASSERT_TRUE(original);
        const std::string text = mutator.mutated(*original);
        write(file, text);
        const ExitCode code = expectAnAnswerOrAnError({"explain",
                                                       "-m",
                                                       "gpt2",
                                                       "-c",
                                                       "dgx-h100",
                                                       "--stack",
                                                       "ddp",
                                                       "--section",
                                                       "cost",
                                                       "--tokens",
                                                       "1T",
                                                       "-f",
                                                       "json",
                                                       flag,
                                                       file},
                                                      text);
        answered += code == ExitCode::BadInput ? 0U : 1U;
    }
    EXPECT_GT(answered, cases(120) / 100) << "hardly any reached the budget";
}

}  // namespace
}  // namespace fabricast
