#include "cli/run_program.h"
#include "planner/text/json_document.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

ProgramOutput collectiveRun(Words more) {
    more.insert(more.begin(), "collective");
    return runProgram(more, {});
}

double numberOf(const std::string& text, const char* key) {
    const auto root = parseJson(text, "out");
    return root && root->find(key) != nullptr ? root->find(key)->number(0.0, 1e18).value_or(-1.0)
                                              : -1.0;
}

TEST(CollectiveCommand, CountsAsNcclTestsDo) {
    const ProgramOutput output =
        collectiveRun({"all_reduce", "140GB", "-c", "dgx-h100", "-n", "8", "-f", "json"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const double seconds = numberOf(output.out, "seconds");
    EXPECT_GT(seconds, 0.1);
    EXPECT_LT(seconds, 2.0);
    EXPECT_NEAR(numberOf(output.out, "algbw_bytes_per_s"), 140e9 / seconds, 1e3);
    EXPECT_NEAR(numberOf(output.out, "busbw_bytes_per_s"), 140e9 / seconds * 126 / 64, 1e3);
    const ProgramOutput cast = collectiveRun({"broadcast", "1GB", "-c", "dgx-h100", "-f", "json"});
    EXPECT_EQ(numberOf(cast.out, "algbw_bytes_per_s"), numberOf(cast.out, "busbw_bytes_per_s"));
}

// gpt2's largest bucket under DDP, as `explain --section comm` times it.
TEST(CollectiveCommand, AgreesWithTheForecastOfAStep) {
    const ProgramOutput step = runProgram({"explain",
                                           "-m",
                                           "gpt2",
                                           "-c",
                                           "dgx-h100",
                                           "--stack",
                                           "ddp",
                                           "--section",
                                           "comm",
                                           "-f",
                                           "csv"},
                                          {});
    ASSERT_EQ(step.code, ExitCode::Ok) << step.err;
    // stage,axis,use,collective,…: the columns are found by their titles.
    const auto cells = [](const std::string& line) {
        std::vector<std::string> found(1);
        for (const char c : line) {
            if (c == ',') {
                found.emplace_back();
            } else {
                found.back() += c;
            }
        }
        return found;
    };
    std::vector<std::vector<std::string>> rows;
    for (std::size_t begin = 0; begin < step.out.size();) {
        const std::size_t end = step.out.find('\n', begin);
        rows.push_back(cells(step.out.substr(begin, end - begin)));
        begin = end + 1;
    }
    const auto column = [&rows](const std::string& title) {
        std::size_t at = 0;
        while (at < rows[0].size() && rows[0][at] != title) {
            ++at;
        }
        return at;
    };
    const std::size_t bytes = column("bytes");
    const std::size_t count = column("count");
    const std::size_t seconds = column("seconds");
    ASSERT_LT(bytes, rows[0].size()) << step.out;
    ASSERT_LT(count, rows[0].size()) << step.out;
    ASSERT_LT(seconds, rows[0].size()) << step.out;
    ASSERT_GT(rows.size(), 2U);
    for (std::size_t row = 1; row < rows.size(); ++row) {
        const ProgramOutput alone =
            collectiveRun({"all-reduce", rows[row][bytes] + " B", "-c", "dgx-h100", "-f", "json"});
        ASSERT_EQ(alone.code, ExitCode::Ok) << alone.err;
        const double perCall = std::stod(rows[row][seconds]) / std::stod(rows[row][count]);
        EXPECT_NEAR(numberOf(alone.out, "seconds") / perCall, 1.0, 1e-6) << rows[row][bytes];
    }
}

TEST(CollectiveCommand, DrawsACurveThatNeverFalls) {
    const ProgramOutput output =
        collectiveRun({"alltoall", "1GiB", "-c", "dgx-h100", "-n", "2", "--curve", "-f", "json"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const auto root = parseJson(output.out, "out");
    double before = 0.0;
    for (const JsonValue& item : root->find("curve")->items()) {
        const double seconds = item.find("seconds")->number(0.0, 1e18).value();
        EXPECT_GE(seconds, before);
        before = seconds;
    }
    EXPECT_EQ(before, numberOf(output.out, "seconds"));
}

TEST(CollectiveCommand, SaysWhatItRestsOn) {
    const ProgramOutput output = collectiveRun(
        {"all_gather", "64MB", "-c", "dgx-h100", "-n", "4", "--ranks", "16", "--why"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find("group: 16 ranks, 8 in each of 2 nodes"), std::string::npos)
        << output.out;
    EXPECT_NE(output.out.find("busbw = algbw x (n-1)/n"), std::string::npos) << output.out;
}

/// Machines of one die have the mean of what was measured on each, which is no measurement.
TEST(CollectiveCommand, SaysThatAMeanIsOne) {
    const ProgramOutput mean = collectiveRun({"all_reduce", "1GB", "-c", "hgx-h100"});
    EXPECT_NE(mean.out.find(" more: their mean)\n"), std::string::npos) << mean.out;
    const ProgramOutput one = collectiveRun({"all_reduce", "1GB", "-c", "dgx-a100"});
    EXPECT_EQ(one.out.find("their mean"), std::string::npos) << one.out;
}

TEST(CollectiveCommand, RefusesByNameWithWhatToType) {
    struct Refused {
        Words words;
        std::string says;
    };
    const std::vector<Refused> cases = {
        {{"all_redcue", "1GB", "-c", "dgx-h100"}, "did you mean \"all_reduce\"?"},
        {{"all_reduce", "0 B", "-c", "dgx-h100"}, "must be above 0"},
        {{"all_reduce", "1GB"}, "no cluster given"},
        {{"all_reduce", "1GB", "-c", "dgx-h100", "--ranks", "9"}, "--ranks 8, or more nodes"},
        {{"all_reduce", "1GB", "-c", "dgx-h100", "--ranks", "1"}, "--ranks 2"},
        {{"all_reduce", "1GB", "-c", "dgx-h100", "-n", "2", "--ranks", "9"},
         "--ranks 8, or --ranks 16"},
        {{"broadcast", "1GB", "-c", "dgx-h100", "-n", "2", "--ranks", "12"},
         "12 ranks are 4 in the last node"},
        {{"all_reduce", "1GB", "--gpu", "rtx-5080", "-n", "2"}, "--fabric ib-ndr"},
        {{"all_reduce", "9000TB", "-c", "dgx-h100"}, "at most"}};
    for (const Refused& one : cases) {
        const ProgramOutput output = collectiveRun(one.words);
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        EXPECT_NE(output.err.find(one.says), std::string::npos) << output.err;
    }
}

/// Networks of one kind: whatever is sent, twice the rate takes no longer.
TEST(CollectiveCommand, AFasterNetworkOfAKindIsNotSlower) {
    const auto seconds = [](const std::string& what, const std::string& size, const char* fabric) {
        const ProgramOutput output = runProgram({"collective",
                                                 what,
                                                 size,
                                                 "-c",
                                                 "dgx-h100",
                                                 "-n",
                                                 "4",
                                                 "--fabric",
                                                 fabric,
                                                 "-f",
                                                 "json"},
                                                {});
        return parseJson(output.out, "out")->find("seconds")->number(0, 1e9).value();
    };
    for (const std::string what : {"all_gather", "all_reduce", "reduce_scatter", "alltoall"}) {
        for (const std::string size : {"4KiB", "256KiB", "16MiB", "1GiB"}) {
            double before = 1e9;
            for (const char* fabric : {"roce-100", "roce-200", "roce-400", "roce-800"}) {
                const double now = seconds(what, size, fabric);
                EXPECT_LE(now, before) << what << " " << size << " " << fabric;
                before = now;
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
