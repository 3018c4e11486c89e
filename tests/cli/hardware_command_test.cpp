#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "study/hardware.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

ProgramOutput planned(const Words& more, const std::string& stack = "fsdp2") {
    Words words = {"plan",
                   "-m",
                   "llama-3.2-1b",
                   "--stack",
                   stack,
                   "--seq",
                   "2048",
                   "--global-batch",
                   "64",
                   "--tokens",
                   "1B"};
    words.insert(words.end(), more.begin(), more.end());
    return runProgram(words, {});
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// aws-p5 has the GPUs of dgx-h100; MI300X borrows the kernels of H100.
TEST(Hardware, SaysWhatCannotBeToldApartAndWhatIsBorrowed) {
    const ProgramOutput output = planned({"-c", "dgx-h100", "-c", "aws-p5", "-c", "mi300x"});
    EXPECT_TRUE(says(output.out, "aws-p5 as fast as dgx-h100, as far as forecasts tell"))
        << output.out;
    EXPECT_TRUE(says(output.out, "mi300x: kernels as fast as those measured on h100-sxm5-80gb"))
        << output.out;
    EXPECT_FALSE(says(output.out, "dgx-h100: kernels")) << output.out;
}

TEST(Hardware, SeveralClustersAreOneTable) {
    const ProgramOutput output = planned({"-c", "dgx-h100", "-c", "8x-rtx-4090", "-c", "dgx-h200"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(says(output.out, "HARDWARE  cheapest tokens: ")) << output.out;
    EXPECT_TRUE(says(output.out, "; fastest: dgx-h200, ")) << output.out;
    EXPECT_TRUE(says(output.out, " months")) << output.out;
    // Each price with its source and date.
    EXPECT_TRUE(says(output.out, "rtx-4090\n  rent: $0.34/h to $0.875/h, 2026-03-10"))
        << output.out;
}

// The cheapest and the fastest are of those that surely fit, and that is said where one may not.
TEST(Hardware, SaysWhatWouldBeCheaperIfItFits) {
    const ProgramOutput output =
        ran("plan -m llama-3.1-70b --seq 2048 --global-batch 16 -c dgx-h100 -c 8x-rtx-4090");
    EXPECT_TRUE(says(output.out, "HARDWARE  of what surely fits, cheapest tokens: dgx-h100, "))
        << output.out << output.err;
    EXPECT_TRUE(says(output.out, "\n8x-rtx-4090 is cheaper, if it fits: it likely fits\n"))
        << output.out;
}

// A share that changes nothing is a slip.
TEST(Hardware, AReserveIsNothingOrAShareThatCounts) {
    for (const char* const share : {"0", "0%", "0.01%", "10%", "0.1", "90%"}) {
        EXPECT_EQ(planned({"-c", "dgx-h100", "--reserve", share}).code, ExitCode::Ok) << share;
    }
    for (const char* const share : {"1e-308", "1e-320", "1e-5%", "0.009%", "91%", "-1%", "1GiB"}) {
        const ProgramOutput refused = planned({"-c", "dgx-h100", "--reserve", share});
        EXPECT_EQ(refused.code, ExitCode::BadInput) << share;
        EXPECT_TRUE(says(refused.err, "must be 0, or a share of a GPU's memory from 0.01 to 90 %"))
            << refused.err;
    }
}

// Whatever is typed about the cluster, in whatever order, holds for every box.
TEST(Hardware, EveryFlagOfTheClusterHoldsForEveryBox) {
    const std::vector<Words> flags = {{"-n", "2"},
                                      {"--gpus", "4"},
                                      {"--gpus-per-node", "4"},
                                      {"--reserve", "40%"},
                                      {"--fabric", "roce-100", "-n", "2"},
                                      {"--set", "cluster.nodes=4"}};
    for (const Words& flag : flags) {
        Words several = flag;
        several.insert(several.end(), {"-c", "dgx-h100", "-c", "dgx-h200", "-f", "json"});
        const ProgramOutput both = planned(several);
        ASSERT_EQ(both.code, ExitCode::Ok) << flag.front() << both.err;
        const auto root = parseJson(both.out, "out");
        for (const JsonValue& box : root->find("boxes")->items()) {
            Words one = {"-c", box.find("box")->text().value(), "--top", "1", "-f", "json"};
            one.insert(one.end(), flag.begin(), flag.end());
            const auto alone = parseJson(planned(one).out, "out");
            const JsonValue& plan = alone->find("plans")->items()[0];
            EXPECT_EQ(box.find("step_seconds")->number(0, 1e9).value(),
                      plan.find("step_s")->number(0, 1e9).value())
                << flag.front();
        }
    }
}

TEST(Hardware, TheHostMemoryOfEveryBoxIsTheOneTyped) {
    Words words = {"-c", "dgx-h100", "-c", "dgx-h200", "--set", "layout.offload=optimizer_cpu"};
    words.insert(words.end(), {"--host-memory", "2TB"});
    EXPECT_TRUE(says(planned(words, "deepspeed").out, "dgx-h200: host memory per node: "))
        << planned(words, "deepspeed").out;
    words.back() = "4GB";
    const ProgramOutput small = planned(words, "deepspeed");
    EXPECT_EQ(small.code, ExitCode::DoesNotFit);
    EXPECT_TRUE(says(small.out, "does not fit, nearest ")) << small.out;
    EXPECT_TRUE(says(small.out, "of 3.73 GiB")) << small.out;
}

TEST(Hardware, ABoxIsNamedByItsFlagAlone) {
    for (const char* assigned :
         {"cluster.gpu=h100-sxm5-80gb", "cluster=dgx-a100", R"(cluster={"name": "dgx-a100"})"}) {
        const ProgramOutput output =
            planned({"-c", "dgx-h100", "-c", "dgx-h200", "--set", assigned});
        EXPECT_EQ(output.code, ExitCode::BadInput) << assigned << output.out;
        EXPECT_TRUE(says(output.err, "names another cluster")) << output.err;
    }
}

TEST(Hardware, WhatAHostHasToHoldIsSaid) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "llama-3.1-70b",
                                             "--seq",
                                             "4096",
                                             "--global-batch",
                                             "64",
                                             "-c",
                                             "8x-rtx-5090",
                                             "-c",
                                             "8x-rtx-4090"},
                                            {});
    EXPECT_TRUE(says(output.out, " of 31.4 GiB")) << output.out;
    EXPECT_TRUE(says(output.out, "8x-rtx-4090: host memory per node: ")) << output.out;
    EXPECT_TRUE(says(output.out, "needed, not known (--host-memory")) << output.out;
}

// The rows are the plans of the boxes asked for one at a time.
TEST(Hardware, ARowIsThePlanOfTheBoxAlone) {
    const ProgramOutput both = planned({"-c", "dgx-h100", "-c", "8x-rtx-4090", "-f", "json"});
    ASSERT_EQ(both.code, ExitCode::Ok) << both.err;
    const auto root = parseJson(both.out, "out");
    for (const JsonValue& box : root->find("boxes")->items()) {
        const std::string name = box.find("box")->text().value();
        const ProgramOutput alone = planned({"-c", name, "--top", "1", "-f", "csv"});
        ASSERT_EQ(alone.code, ExitCode::Ok) << alone.err;
        EXPECT_TRUE(says(alone.out, box.find("layout")->text().value())) << alone.out;
        EXPECT_GT(box.find("usd_per_mtok")->number(0.0, 1e18).value(), 0.0);
        EXPECT_GT(box.find("paid_off_months")->number(0.0, 1e18).value(), 0.0);
    }
}

// What is not known or not modelled has a reason in its row.
TEST(Hardware, WhatIsNotKnownIsSaid) {
    const ProgramOutput output = planned({"-c", "8x-l40s", "-c", "gaudi3", "-c", "dgx-h100"});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(says(output.out, "not modelled: communication is not modelled")) << output.out;
    EXPECT_TRUE(says(output.out, "buy: not known: owned price of l40s")) << output.out;
}

TEST(Hardware, WhatIsForOneClusterIsRefused) {
    for (const Words& more :
         {Words{"--target", "mfu=40%"}, Words{"--simulate", "2"}, Words{"--pareto"}}) {
        Words words = {"-c", "dgx-h100", "-c", "dgx-h200"};
        words.insert(words.end(), more.begin(), more.end());
        const ProgramOutput output = planned(words);
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        EXPECT_TRUE(says(output.err, more.front() + ": is for one cluster")) << output.err;
    }
    EXPECT_EQ(planned({"-c", "dgx-h100", "-c", "nowhere"}).code, ExitCode::BadInput);
    const ProgramOutput target =
        planned({"-c", "dgx-h100", "-c", "dgx-h200", "--target", "days=3"});
    EXPECT_TRUE(says(target.err, "fabricast size -c dgx-h100 -c dgx-h200 --target days=3"))
        << target.err;
}

TEST(Hardware, PaysOffByWhatRentExceedsElectricity) {
    // $7,305 over $1 an hour of 730.5 hours a month.
    EXPECT_NEAR(*monthsToPayOff(Usd(7305), UsdPerHour(1.1), UsdPerHour(0.1)), 10.0, 1e-9);
    EXPECT_FALSE(monthsToPayOff(Usd(7305), UsdPerHour(0.1), UsdPerHour(0.1)));
}

}  // namespace
}  // namespace fabricast
