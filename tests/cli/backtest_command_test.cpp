#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kFewRuns = FABRICAST_SOURCE_DIR "/tests/cases/published/few_runs.csv";
const std::string kHeader =
    "id,model,gpu,stack,gpus,micro_batch,global_batch,seq,tp,pp,dp,layers\n";

ProgramOutput backtest(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "backtest");
    return runProgram(arguments, {});
}

/// The command's answer to a file of these bytes.
ProgramOutput of(const std::string& bytes) {
    const std::string file = tempFolder() + "runs.csv";
    EXPECT_TRUE(writeTextFile(file, bytes));
    return backtest({file, "--format", "json"});
}

TEST(BacktestCommand, SaysTheSameForAnyNumberOfThreads) {
    const ProgramOutput one = backtest({kFewRuns, "--format", "json", "--threads", "1"});
    ASSERT_EQ(one.code, ExitCode::Ok) << one.err;
    for (const char* threads : {"2", "16"}) {
        EXPECT_EQ(backtest({kFewRuns, "--format", "json", "--threads", threads}).out, one.out);
    }
}

TEST(BacktestCommand, ForecastsEveryRowAndCountsThoseOfTheBalancedSubset) {
    const ProgramOutput output = backtest({kFewRuns, "--format", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("rows")->items().size(), 20U);
    const JsonValue& all = *root->find("summary")->find("all");
    EXPECT_EQ(all.find("n")->integer({0, 100}).value_or(-1), 19);
    EXPECT_EQ(all.find("refused")->integer({0, 100}).value_or(-1), 2);
    EXPECT_EQ(all.find("sweeps")->find("n")->integer({0, 100}).value_or(-1), 1);
    const JsonValue& row = root->find("rows")->items().front();
    EXPECT_EQ(row.find("status")->text().value_or(""), "ok");
    const double forecast = row.find("predicted_step_s")->number(0, 1e9).value_or(-1);
    const double measured = row.find("measured_step_s")->number(0, 1e9).value_or(-1);
    EXPECT_NEAR(row.find("error")->number(-1, 1e9).value_or(0), forecast / measured - 1, 1e-4);
    EXPECT_LE(row.find("lo")->number(0, 1e9).value_or(1e9), forecast);
    EXPECT_GE(row.find("hi")->number(0, 1e9).value_or(-1), forecast);
}

TEST(BacktestCommand, CountsEveryRowWithAll) {
    const ProgramOutput output = backtest({kFewRuns, "--all", "--group-by", "gpu", "-f", "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    EXPECT_EQ(root->find("summary")->find("all")->find("n")->integer({0, 100}).value_or(-1), 20);
    EXPECT_EQ(root->find("group_by")->text().value_or(""), "gpu");
}

TEST(BacktestCommand, SaysWhyARowIsRefused) {
    const ProgramOutput output = backtest({kFewRuns, "--verbose"});
    EXPECT_NE(output.out.find("1 x micro_batch: the cell is empty"), std::string::npos);
    EXPECT_NE(output.out.find("\"abacus\""), std::string::npos) << output.out;
}

// A row without columns of its shape is the built-in model of its name, in any spelling.
TEST(BacktestCommand, AModelsNameAloneIsEnough) {
    const std::string about = ",h100-sxm5-80gb,fsdp2,8,1,8,4096,1,1,8,";
    const ProgramOutput output =
        of("id,model,gpu,stack,gpus,micro_batch,global_batch,seq,tp,pp,dp,layers,hidden,ffn,heads,"
           "kv_heads,vocab,measured_step_s\n"
           "name,meta-llama/Llama-3.1-8B" +
           about + ",,,,,,2.0\nshape,an 8B" + about +
           "32,4096,14336,32,8,128256,2.0\nnone,Llama-9.9-8B" + about + ",,,,,,2.0\n");
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.err;
    const auto& rows = root->find("rows")->items();
    ASSERT_EQ(rows.size(), 3U);
    const double named = rows[0].find("predicted_step_s")->number(0, 1e9).value_or(-1);
    EXPECT_GT(named, 0.0) << output.out;
    EXPECT_EQ(rows[1].find("predicted_step_s")->number(0, 1e9).value_or(-2), named);
    EXPECT_EQ(rows[2].find("status")->text().value_or(""), "refused");
}

TEST(BacktestCommand, TellsHowFarItIs) {
    std::size_t last = 0;
    const Surroundings watched{.progress = [&](std::size_t done, std::size_t all) {
        EXPECT_EQ(all, 20U);
        last = done;
    }};
    (void)runProgram({"backtest", kFewRuns, "--threads", "1"}, watched);
    EXPECT_EQ(last, 20U);
}

/// With one source nothing is said of the pairs of others.
TEST(BacktestCommand, CountsThePairsOfASingleSource) {
    const std::string file = tempFolder() + "runs.csv";
    const std::string table =
        "id,model,gpu,stack,gpus,micro_batch,global_batch,seq,dp,measured_step_s\n"
        "ours-1,llama-3.2-1b,h100,fsdp2,8,1,64,2048,8,0.5\n"
        "ours-2,llama-3.2-1b,h100,fsdp2,8,2,64,2048,8,0.4\n";
    ASSERT_TRUE(writeTextFile(file, table));
    const std::string text = backtest({file}).out;
    const std::size_t at = text.find("pairs of layouts with the same tp, pp, cp and ep: 1 of 1 in");
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find("other sources", at), std::string::npos) << text;
}

/// Two small runs with a last column of this name.
ProgramOutput ofTwoRuns(const std::string& column, const std::string& cell) {
    const std::string file = tempFolder() + "two_runs.csv";
    std::string text =
        "id,model,gpu,stack,gpus,micro_batch,global_batch,seq,tp,pp,dp,core," + column + "\n";
    for (const char* id : {"a-1", "a-2"}) {
        text += std::string(id) + ",llama-3.1-8b,h100-sxm5-80gb,fsdp2,8,1,64,4096,1,1,8,y," + cell +
                "\n";
    }
    EXPECT_TRUE(writeTextFile(file, text));
    return backtest({file});
}

TEST(BacktestCommand, WhereNothingIsComparedTheFirstLineSaysWhyAndTheExitCodeToo) {
    const auto first = [](const ProgramOutput& output) {
        return output.out.substr(0, output.out.find('\n'));
    };
    EXPECT_EQ(ofTwoRuns("measured_step_s", "6.5").code, ExitCode::Ok);
    const ProgramOutput renamed = ofTwoRuns("measured_step_ms", "6500");
    EXPECT_EQ(renamed.code, ExitCode::DoesNotFit);
    EXPECT_NE(first(renamed).find("2 of 2 counted rows forecast; nothing is compared: no row that "
                                  "is forecast has measured_step_s"),
              std::string::npos)
        << renamed.out;
    const std::string meant =
        "column \"measured_step_ms\" is not read: did you mean \"measured_step_s\"?";
    EXPECT_NE(first(renamed).find(meant), std::string::npos) << renamed.out;
    EXPECT_NE(renamed.err.find(meant), std::string::npos) << renamed.err;
    EXPECT_EQ(ofTwoRuns("measured_mfu", "0.4").err.find("is not read"), std::string::npos);
    const ProgramOutput refused = ofTwoRuns("measured_step_s", "6.5s");
    EXPECT_EQ(refused.code, ExitCode::DoesNotFit);
    EXPECT_NE(first(refused).find("nothing is compared: no row is forecast: "), std::string::npos)
        << refused.out;
    const std::string none = tempFolder() + "none.csv";
    ASSERT_TRUE(writeTextFile(none,
                              kHeader.substr(0, kHeader.size() - 1) + ",core\n" +
                                  "a-1,llama-3.1-8b,h100-sxm5-80gb,fsdp2,8,1,64,4096,1,1,8,"
                                  "32,n\n"));
    const ProgramOutput uncounted = backtest({none});
    EXPECT_EQ(uncounted.code, ExitCode::DoesNotFit);
    EXPECT_NE(first(uncounted).find("nothing is compared: no row has \"y\" as core"),
              std::string::npos)
        << uncounted.out;
}

TEST(BacktestCommand, RefusesWhatIsNoTableOfRuns) {
    const std::string files[] = {"",
                                 "\n",
                                 kHeader,
                                 "id,model\na-1,b\n",
                                 kHeader + "a-1,llama\n",
                                 std::string("\x7f"
                                             "ELF\0\0\xff\xfe\"",
                                             9),
                                 std::string(1000, '\0')};
    for (const std::string& bytes : files) {
        const ProgramOutput output = of(bytes);
        EXPECT_EQ(output.code, ExitCode::BadInput) << bytes;
        EXPECT_NE(output.err.find("runs.csv:"), std::string::npos) << bytes << "\n" << output.err;
    }
    EXPECT_EQ(backtest({"no-such-file.csv"}).code, ExitCode::BadInput);
}

TEST(BacktestCommand, SaysThatATableIsSeparatedByOtherThanCommas) {
    for (const std::string header : {"id;model;gpu;stack\n", "id\tmodel\tgpu\tstack\n"}) {
        const ProgramOutput output = of(header);
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_NE(output.err.find("not by commas"), std::string::npos) << output.err;
    }
}

TEST(BacktestCommand, WritesNoIntervalsOfNothing) {
    const std::string file = tempFolder() + "nothing.csv";
    const std::string intervals = tempFolder() + "nothing.json";
    EXPECT_TRUE(writeTextFile(file, kHeader + "a-1,x,h100,FSDP2,8,1,8,512,1,1,8,\n"));
    const ProgramOutput output = backtest({file, "--write-intervals", intervals});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("--write-intervals"), std::string::npos) << output.err;
    EXPECT_FALSE(readTextFile(intervals));
}

/// A file of intervals that no command could read is not written.
TEST(BacktestCommand, WritesNoIntervalsThatAreTooWideToRead) {
    const std::string intervals = tempFolder() + "wide.json";
    (void)ofTwoRuns("measured_step_s", "90000");
    const ProgramOutput output =
        backtest({tempFolder() + "two_runs.csv", "--write-intervals", intervals});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.err;
    EXPECT_NE(output.err.find("\"above\" is out of range"), std::string::npos) << output.err;
    EXPECT_FALSE(readTextFile(intervals));
}

ProgramOutput stepUnder(const std::string& profiles) {
    return ran("explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --section time",
               {"--profile-dir", profiles});
}

/// Whatever their name, intervals of the user's own are used, and said to be; of two none is.
TEST(BacktestCommand, TakesIntervalsOfAnyName) {
    const std::string folder = tempFolder() + "own_intervals";
    std::filesystem::create_directories(folder + "/intervals");
    ASSERT_EQ(backtest({kFewRuns, "--write-intervals", folder + "/intervals/ours.json"}).code,
              ExitCode::Ok);
    const std::string taken = stepUnder(folder).out;
    EXPECT_NE(stepUnder(tempFolder()).out, taken);
    const ProgramOutput output = backtest({kFewRuns, "--profile-dir", folder});
    EXPECT_NE(output.out.find("\nintervals of ours\n"), std::string::npos) << output.out;
    std::filesystem::rename(folder + "/intervals/ours.json", folder + "/intervals/step-time.json");
    const std::string named = readTextFile(folder + "/intervals/step-time.json").value();
    ASSERT_TRUE(writeTextFile(folder + "/intervals/ours.json", named));
    std::string renamed = named;
    renamed.replace(renamed.find("\"ours\""), 6, "\"step-time\"");
    ASSERT_TRUE(writeTextFile(folder + "/intervals/step-time.json", renamed));
    EXPECT_EQ(stepUnder(folder).code, ExitCode::BadInput);
    EXPECT_NE(stepUnder(folder).err.find("only one can be used"), std::string::npos);
    std::filesystem::remove(folder + "/intervals/ours.json");
    EXPECT_EQ(stepUnder(folder).out, taken);
}

TEST(BacktestCommand, NamesTheRowsOfAReason) {
    const ProgramOutput output = ofTwoRuns("nic_gbps_per_gpu", "0");
    EXPECT_NE(output.out.find(" [a-1, a-2]\n"), std::string::npos) << output.out;
}

TEST(BacktestCommand, SaysWhatCanHardlyBeMeant) {
    const std::string head =
        "id,model,gpu,stack,gpus,micro_batch,global_batch,seq,dp,params_b,nic_gbps_per_gpu\n";
    const std::string row = ",llama-3.1-8b,h100,fsdp2,8,1,64,4096,8,";
    const std::string file = tempFolder() + "doubts.csv";
    ASSERT_TRUE(writeTextFile(file, head + "a-1" + row + "405,\na-1" + row + "8,\n"));
    const std::string doubts = backtest({file}).err;
    EXPECT_NE(doubts.find("id \"a-1\" stands in 2 rows"), std::string::npos) << doubts;
    EXPECT_NE(doubts.find("params_b of a-1: 405, and its model has 8.03 billion parameters\n"),
              std::string::npos)
        << doubts;
    ASSERT_TRUE(writeTextFile(file, head + "a-1" + row + "8,0\na-2" + row + "8,400\n"));
    const ProgramOutput slow = backtest({file});
    EXPECT_NE(slow.out.find("1 x nic_gbps_per_gpu: is not between"), std::string::npos) << slow.out;
    EXPECT_EQ(slow.err.find("params_b"), std::string::npos) << slow.err;
}

/// Numbers that no run has are refused by row, at once.
TEST(BacktestCommand, RefusesRowsOfNumbersThatNoRunHas) {
    for (const std::string number : {"1000000000000", "1e13", "1e400", "nan", "-8", "x", "1.5"}) {
        for (std::size_t column = 4; column < 12; ++column) {
            std::vector<std::string> cells = {
                "a-1", "llama", "h100", "fsdp2", "8", "1", "8", "512", "1", "1", "8", "32"};
            cells[column] = number;
            std::string row;
            for (const std::string& cell : cells) {
                row += (row.empty() ? "" : ",") + cell;
            }
            const ProgramOutput output = of(kHeader + row + "\n");
            EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;  // none is compared
            EXPECT_NE(output.out.find("\"status\": \"refused\""), std::string::npos) << output.out;
        }
    }
}

}  // namespace
}  // namespace fabricast
