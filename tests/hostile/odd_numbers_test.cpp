// Numbers that no machine has, wherever one is read: an answer that can be, or the number's name.
#include "planner/text/json_document.h"
#include "tests/hostile/soundness.h"
#include "tests/support/case_count.h"
#include "tests/support/profile_folder.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

constexpr std::array kOdd = {"0", "-1", "1e-300", "1e300", "nan", "inf", "9223372036854775807"};

/// What no answer has: a time below zero, or a GPU that multiplies faster than it can.
std::string impossible(const JsonValue& value) {
    if (value.is(JsonValue::Kind::Object) || value.is(JsonValue::Kind::Array)) {
        const bool isObject = value.is(JsonValue::Kind::Object);
        for (const JsonValue& part : isObject ? value.members() : value.items()) {
            if (std::string why = impossible(part); !why.empty()) {
                return why;
            }
        }
        return {};
    }
    const auto number = value.number(-1e300, 1e300);
    if (!number) {
        return {};
    }
    if (value.name().ends_with("_s") && *number < 0) {
        return value.name() + " is below zero";
    }
    return value.name() == "mfu" && *number > 1 ? "the MFU is " + std::to_string(*number) : "";
}

std::string troubleOfJson(const ProgramOutput& answer) {
    std::string trouble = troubleOf(answer);
    if (!trouble.empty() || answer.code == ExitCode::BadInput) {
        return trouble;
    }
    const auto root = parseJson(answer.out, "out");
    return root ? impossible(*root) : root.error().text();
}

/// The paths of all numbers of an object: "settings.torch.bucket_cap_mb".
void addNumbers(const JsonValue& value, const std::string& path, Words& found) {
    if (value.is(JsonValue::Kind::Object)) {
        for (const JsonValue& member : value.members()) {
            addNumbers(member, path + (path.empty() ? "" : ".") + member.name(), found);
        }
    } else if (value.is(JsonValue::Kind::Integer) || value.is(JsonValue::Kind::Number)) {
        found.push_back(path);
    }
}

const Words kQuestion = {"explain",
                         "-m",
                         "mixtral-8x7b",
                         "-c",
                         "dgx-h100",
                         "-n",
                         "2",
                         "--stack",
                         "megatron",
                         "--layout",
                         "tp=2,pp=2,ep=4",
                         "--seq",
                         "4096",
                         "--global-batch",
                         "64",
                         "--section",
                         "all",
                         "--tokens",
                         "1T",
                         "--price-kind",
                         "owned",
                         "-f",
                         "json"};

ProgramOutput asked(const Words& more) {
    Words words = kQuestion;
    words.insert(words.end(), more.begin(), more.end());
    return runProgram(words, {});
}

TEST(OddNumbers, OfAScenario) {
    const JsonValue answer = jsonOf(asked({}).out);
    const JsonValue* const scenario = answer.find("scenario");
    ASSERT_NE(scenario, nullptr);
    Words paths;
    addNumbers(*scenario, "", paths);
    ASSERT_GT(paths.size(), 30U);
    std::size_t refused = 0;
    for (const std::string& path : paths) {
        for (const char* const odd : kOdd) {
            const std::string set = path + "=" + odd;
            const ProgramOutput output = asked({"--set", set});
            EXPECT_EQ(troubleOfJson(output), "") << set << "\n" << output.err;
            refused += output.code == ExitCode::BadInput ? 1U : 0U;
        }
    }
    EXPECT_GT(refused, paths.size()) << "most are refused";
}

/// Where the numbers of a JSON text begin and end: those by themselves, and those that a text
/// begins with ("80 GB").
std::vector<std::pair<std::size_t, std::size_t>> numbersIn(const std::string& text) {
    constexpr std::string_view kDigits = "0123456789.e+-";
    std::vector<std::pair<std::size_t, std::size_t>> found;
    bool quoted = false;
    for (std::size_t at = 1; at < text.size(); ++at) {
        const bool opens = text[at - 1] == '"';
        quoted = opens ? !quoted : quoted;
        if ((!quoted || opens) && std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
            const std::size_t end = std::min(text.find_first_not_of(kDigits, at), text.size());
            found.emplace_back(at, end);
            at = end;
        }
    }
    return found;
}

TEST(OddNumbers, OfProfiles) {
    const std::vector<std::string> files = {"gpus/h100-sxm5-80gb.json",
                                            "nodes/dgx-h100.json",
                                            "fabrics/ib-ndr.json",
                                            "kernels/h100-sxm5-80gb.json",
                                            "collectives/nccl-2-30.json",
                                            "collectives/measured-h100-sxm.json",
                                            "software/megatron.json",
                                            "intervals/step-time.json",
                                            "runtimes/usual.json",
                                            "hosts/usual.json",
                                            "prices/market-2026-05.json",
                                            "sites/typical.json"};
    std::mt19937_64 random(20261120);
    for (std::size_t number = 0; number < cases(120); ++number) {
        const std::string& file = files[number % files.size()];
        const std::string text = shippedProfile(file);
        const auto places = numbersIn(text);
        ASSERT_FALSE(places.empty()) << file;
        const auto [begin, end] = places[random() % places.size()];
        const char* const odd = kOdd[random() % kOdd.size()];
        const TemporaryProfiles mine;
        mine.write(file, std::string(text).replace(begin, end - begin, odd));
        const ProgramOutput output = asked({"--profile-dir", mine.path()});
        const std::string line = text.substr(text.rfind('\n', begin) + 1,
                                             text.find('\n', end) - text.rfind('\n', begin));
        EXPECT_EQ(troubleOfJson(output), "")
            << file << ": " << odd << " for " << text.substr(begin, end - begin) << " in " << line
            << output.err;
    }
}

TEST(OddNumbers, OfFlags) {
    const std::vector<Words> questions = {
        {"plan", "-m", "gpt2", "-c", "dgx-h100", "--seq", "1024", "--global-batch", "64"},
        {"explain", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "--section", "cost"},
        {"simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "--steps", "100"},
        {"topology", "-c", "dgx-h100", "-n", "2"}};
    const Words flags = {"--seq",
                         "--global-batch",
                         "-n",
                         "--gpus",
                         "--tokens",
                         "--mtbf",
                         "--price",
                         "--top",
                         "--runs",
                         "--steps",
                         "--jitter",
                         "--seed",
                         "--spares",
                         "--stragglers",
                         "--wan",
                         "--sites",
                         "--target",
                         "--threads"};
    for (const Words& question : questions) {
        for (const std::string& flag : flags) {
            for (const char* const odd : kOdd) {
                Words words = question;
                words.push_back(flag + "=" + odd);
                const ProgramOutput output = runProgram(words, {});
                EXPECT_EQ(troubleOf(output), "")
                    << question.front() << " " << words.back() << output.out << output.err;
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
