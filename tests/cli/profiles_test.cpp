#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/golden.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace fabricast {
namespace {

ProgramOutput profiles(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "profiles");
    return runProgram(arguments, {});
}

JsonValue jsonOf(const ProgramOutput& output) {
    const Result<JsonValue> root = parseJson(output.out, "out");
    EXPECT_TRUE(root) << root.error().text() << output.err;
    return root.value_or(JsonValue());
}

TEST(ProfilesCommand, ShowsAClusterWithAllItNamesAndEverySource) {
    const ProgramOutput shown = profiles({"show", "dgx-h100"});
    EXPECT_EQ(shown.code, ExitCode::Ok);
    expectGolden("profiles_show_dgx_h100.txt", shown.out, kExact);
}

TEST(ProfilesCommand, ShowsNumbersInTheirBaseUnitAsJson) {
    const JsonValue root = jsonOf(profiles({"show", "H100", "--format", "json"}));
    ASSERT_NE(root.find("profiles"), nullptr);
    const JsonValue& gpu = root.find("profiles")->items().front();
    EXPECT_EQ(gpu.find("name")->text(), "h100-sxm5-80gb");
    for (const JsonValue& fact : gpu.find("facts")->items()) {
        if (fact.find("key")->text() == "memory") {
            EXPECT_EQ(fact.find("value")->text(), "80 GB");
            EXPECT_EQ(fact.find("bytes")->integer({}), 80'000'000'000);
            EXPECT_EQ(fact.find("source")->text(), "datasheet");
        }
    }
}

TEST(ProfilesCommand, ListsOneKindInEveryFormat) {
    const ProgramOutput text = profiles({"list", "--kind", "gpu"});
    EXPECT_NE(text.out.find("h200-sxm-141gb "), std::string::npos);
    EXPECT_EQ(text.out.find("dgx-h200"), std::string::npos);
    const ProgramOutput csv = profiles({"list", "--kind", "cluster", "--format", "csv"});
    EXPECT_TRUE(csv.out.starts_with("kind,name,summary,title\ncluster,4x-rtx-4090,"));
    const JsonValue json = jsonOf(profiles({"list", "--format", "json"}));
    EXPECT_GE(json.find("profiles")->items().size(), 150U);
    EXPECT_EQ(profiles({"list", "--kind", "gpus"}).err,
              "error: --kind: unknown kind \"gpus\"\n  try: did you mean \"gpu\"?\n");
}

TEST(ProfilesCommand, VerifiesFoldersOfTheUser) {
    EXPECT_EQ(profiles({"verify"}).code, ExitCode::Ok);
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "\"700 W\"", "700"));
    const ProgramOutput wrong = profiles({"verify", "--profile-dir", mine.path()});
    EXPECT_EQ(wrong.code, ExitCode::BadInput);
    EXPECT_NE(
        wrong.out.find("gpus/h100-sxm5-80gb.json:21:23: \"value\" is 700, but a power needs a "
                       "unit (write \"value\": \"700 W\")"),
        std::string::npos)
        << wrong.out;
    const JsonValue json =
        jsonOf(profiles({"verify", "--profile-dir", mine.path(), "--format", "json"}));
    EXPECT_EQ(json.find("verdict")->text(), "not_sound");
    EXPECT_FALSE(json.find("findings")->items().empty());
    const ProgramOutput nowhere = profiles({"verify", "--profile-dir", mine.path("no")});
    EXPECT_EQ(nowhere.code, ExitCode::BadInput);
    EXPECT_NE(nowhere.err.find("is not a folder of profiles"), std::string::npos);
}

std::string ownCurve(const std::string& name, const std::string& date, const std::string& us) {
    return R"({"schema": "fabricast.collective/1", "name": ")" + name +
           R"(", "title": "ours", "machine": "dgx-h100", "date": ")" + date +
           R"(", "curves": [{"collective": "all_reduce", "ranks": 8, "nodes": 1, "points": [)" +
           "[1024, 20], [1048576, " + us + R"(]]}],
           "sources": [{"keys": "curves", "source": "measured", "from": "nccl-tests, on ours"}]})";
}

TEST(ProfilesCommand, WarnsOfMeasurementsThatContradictEachOther) {
    const TemporaryProfiles mine("contradicting");
    mine.write("collectives/measured-a.json", ownCurve("measured-a", "2026-01-20", "40"));
    mine.write("collectives/measured-b.json", ownCurve("measured-b", "2026-01-21", "70"));
    const ProgramOutput near = profiles({"verify", "--profile-dir", mine.path()});
    EXPECT_EQ(near.code, ExitCode::Ok);
    EXPECT_NE(near.out.find(" 0 warnings, "), std::string::npos) << near.out;
    mine.write("collectives/measured-b.json", ownCurve("measured-b", "2026-01-21", "400"));
    const ProgramOutput far = profiles({"verify", "--profile-dir", mine.path()});
    EXPECT_EQ(far.code, ExitCode::Ok);
    EXPECT_NE(far.out.find("measured-b.json: contradicts \"measured-a\", which is also of "
                           "dgx-h100: all_reduce of 1 MiB over 8 ranks on 1 node takes 400 us here "
                           "and 40 us there"),
              std::string::npos)
        << far.out;
    EXPECT_NE(far.out.find(" 1 warning, "), std::string::npos) << far.out;
}

// A line that begins with "::error::" is a command to a CI.
TEST(ProfilesCommand, ShowsNoFilesLineAsItsOwn) {
    const TemporaryProfiles mine("lines");
    std::string text = ownCurve("measured-a", "2026-01-20", "40");
    text.replace(text.find("\"ours\""), 6, R"("ours\n::error::x")");
    text.replace(text.find("nccl-tests, on ours"), 19, R"(by\n::error::y)");
    mine.write("collectives/measured-a.json", text);
    const ProgramOutput shown = profiles({"show", "measured-a", "--profile-dir", mine.path()});
    EXPECT_EQ(shown.out.find("\n::error::"), std::string::npos) << shown.out;
    EXPECT_NE(shown.out.find("ours\\x0a::error::x"), std::string::npos) << shown.out;
}

TEST(ProfilesCommand, WarnsOfTimesThatNoMachineTakes) {
    const TemporaryProfiles mine("absurd");
    for (const auto& [us, why] : {std::pair("20", ""),
                                  std::pair("19e6", "if one core copies them"),
                                  std::pair("40e3", "at a thousandth of the 450 GB/s of h100-sxm5"),
                                  std::pair("0.02", "nvlink take 2.33 us for what has to pass")}) {
        std::string text = ownCurve("measured-a", "2026-01-20", us);
        text.replace(text.find("[1024, 20], "), 12, "");
        mine.write("collectives/measured-a.json", text);
        const ProgramOutput said = profiles({"verify", "--profile-dir", mine.path()});
        EXPECT_EQ(said.code, ExitCode::Ok) << said.err;
        EXPECT_NE(said.out.find(why), std::string::npos) << said.out;
        EXPECT_NE(said.out.find(*why == 0 ? " 0 warnings, " : " 1 warning, "), std::string::npos)
            << said.out;
    }
}

TEST(ProfilesCommand, WarnsOfAProfileOfTheFuture) {
    const TemporaryProfiles mine("future");
    mine.write("collectives/measured-a.json", ownCurve("measured-a", "2999-01-20", "40"));
    const ProgramOutput future = profiles({"verify", "--profile-dir", mine.path()});
    EXPECT_EQ(future.code, ExitCode::Ok);
    EXPECT_NE(future.out.find("measured-a.json: is of 2999-01-20, which is in the future"),
              std::string::npos)
        << future.out;
}

TEST(ProfilesCommand, SaysWhatIsMissing) {
    EXPECT_EQ(profiles({}).code, ExitCode::BadInput);
    EXPECT_EQ(profiles({"show"}).code, ExitCode::BadInput);
    EXPECT_EQ(profiles({"show", "dgx-h10"}).err,
              "error: no profile is called \"dgx-h10\"\n  try: did you mean \"dgx-h100\"?\n");
}

TEST(ProfilesCommand, SaysHowManyThereAre) {
    const std::string text = profiles({"list", "--kind", "site"}).out;
    const auto lines = std::ranges::count(text, '\n');
    EXPECT_TRUE(text.starts_with(std::to_string(lines - 2) + " sites\nname ")) << text;
}

}  // namespace
}  // namespace fabricast
