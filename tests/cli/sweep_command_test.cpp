#include "cli/run_program.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kPlanned =
    "plan -m llama-3.2-1b -c dgx-h100 --seq 2048 --global-batch 64 --stack fsdp2 ";
const std::string kSized =
    "size -m llama-3.2-1b -c dgx-h100 -n 1,2,4 --seq 2048 --global-batch 64 --stack fsdp2 "
    "--tokens 1B ";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

TEST(SweepCommand, ShowsNumbersInTheUnitsOfOtherTables) {
    const ProgramOutput output = ran(kPlanned + "--sweep cluster.nodes=1,2");
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(contains(output.out, "GPUs  step s    tok/s     MFU   GiB   $/Mtok  stack  layout"))
        << output.out;
    EXPECT_FALSE(contains(output.out, "peak_bytes")) << output.out;
    const ProgramOutput numbers = ran(kPlanned + "--sweep cluster.nodes=1,2 -f csv");
    EXPECT_TRUE(contains(numbers.out, "peak_bytes")) << numbers.out;
}

TEST(SweepCommand, ShowsTheBatchWhereItFollowsThePoint) {
    const std::string open = "plan -m llama-3.2-1b -c dgx-h100 --seq 2048 --stack fsdp2 ";
    const ProgramOutput follows = ran(open + "--sweep cluster.nodes=1,2");
    EXPECT_TRUE(contains(follows.out, "GPUs  batch  step s")) << follows.out;
    EXPECT_TRUE(contains(follows.out, "8    128  ")) << follows.out;
    EXPECT_TRUE(contains(follows.out, "16    256  ")) << follows.out;
    const ProgramOutput set = ran(open + "--sweep workload.global_batch=64,128");
    EXPECT_FALSE(contains(set.out, " batch ")) << set.out;
    const ProgramOutput same = ran(kPlanned + "--sweep cluster.nodes=1,2");
    EXPECT_FALSE(contains(same.out, " batch ")) << same.out;
}

/// A value of the sweep cannot be freed beside it: what is left is to sweep something else.
TEST(SweepCommand, AHintOfALayoutThatIsNotThereCanBeTyped) {
    const ProgramOutput none = ran(kPlanned + "--sweep layout.tp=3,5");
    EXPECT_EQ(none.code, ExitCode::BadInput) << none.out;
    EXPECT_TRUE(contains(none.err, "try: leave out --sweep layout.tp\n")) << none.err;
}

TEST(SweepCommand, SaysNothingOfTargetsThatAreNotThere) {
    const std::string line = "size -m llama-3.2-1b -c dgx-h100 --seq 2048 --global-batch 64 ";
    const ProgramOutput output = ran(line + "--stack fsdp2 --sweep cluster.gpus=1,2");
    EXPECT_TRUE(contains(output.out, "\n2             dgx-h100      1     2")) << output.out;
    EXPECT_FALSE(contains(output.out, "target")) << output.out;
}

TEST(SweepCommand, FailsWhereNoPointHasAnAnswer) {
    const std::string large =
        "plan -m llama-3.1-70b -c 4x-rtx-4090 --stack fsdp2 --forbid offload ";
    const ProgramOutput none = ran(large + "--seq 4096 --sweep workload.global_batch=8,16");
    EXPECT_EQ(none.code, ExitCode::DoesNotFit) << none.out << none.err;
    EXPECT_EQ(ran(large + "--seq 4096 --sweep workload.global_batch=8,16 --no-fail").code,
              ExitCode::Ok);
    const ProgramOutput some =
        ran(large + "--global-batch 2048 --seq 1024 --sweep cluster.nodes=1,32");
    EXPECT_EQ(some.code, ExitCode::Ok) << some.out << some.err;
    const ProgramOutput missed = ran(kSized + "--sweep target.days=0.0001,0.0002");
    EXPECT_EQ(missed.code, ExitCode::DoesNotFit) << missed.out << missed.err;
    EXPECT_TRUE(contains(missed.out, "nearest: 4 x dgx-h100")) << missed.out;
}

struct Beside {
    std::string line;
    std::string flag;
};

TEST(SweepCommand, RefusesFlagsThatTheSweepSays) {
    for (const Beside& one :
         {Beside{kPlanned + "-n 2 --sweep cluster.nodes=1,2", "-n: "},
          Beside{kPlanned + "-n 2 --sweep cluster.gpus=8,16", "-n: "},
          Beside{kPlanned + "--top 3 --sweep cluster.nodes=1,2", "--top: "},
          Beside{kSized + "--sweep cluster.nodes=1,2", "-n: "},
          Beside{kSized + "--sweep cluster.name=dgx-h100,dgx-h200", "-c: "},
          Beside{kSized + "--target days=1 --sweep target.days=1,2", "--target: "}}) {
        const ProgramOutput output = ran(one.line);
        EXPECT_EQ(output.code, ExitCode::BadInput) << one.line;
        EXPECT_EQ(output.out, "");
        EXPECT_TRUE(contains(output.err, "error: " + one.flag)) << output.err;
    }
    EXPECT_EQ(ran(kSized + "--out points.jsonl").code, ExitCode::BadInput);
    EXPECT_EQ(ran(kSized + "--sweep target.weeks=1,2").code, ExitCode::BadInput);
    EXPECT_EQ(ran(kSized + "--sweep workload.sequense=1,2").code, ExitCode::BadInput);
}

/// What is typed beside the sweep would be refused as said twice.
TEST(SweepCommand, ProposesValuesOfWhatIsSwept) {
    const ProgramOutput output =
        ran("plan -m gpt2 -c dgx-h100 --global-batch 256 --stack fsdp2 --sweep cluster.nodes=1,2 "
            "--sweep seq=2k,4k");
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_TRUE(contains(output.err, "try: --sweep seq=1024")) << output.err;
    EXPECT_FALSE(contains(output.err, "--seq")) << output.err;
}

/// The other points are answered; where none can be asked about, the first reason is the error.
TEST(SweepCommand, HasARowForAValueThatCannotBe) {
    for (const std::string axis : {"seq=2048,-3", "stack=fsdp2,foo", "tp=1,3"}) {
        const bool isStack = axis.starts_with("stack");
        const std::string line = "plan -m llama-3.2-1b -c dgx-h100 --global-batch 64 " +
                                 std::string(isStack ? "" : "--stack fsdp2 ") + "--sweep " + axis;
        const ProgramOutput output = ran(line, {"-f", "csv"});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        EXPECT_TRUE(contains(output.out, ",fits,8,")) << output.out;
        EXPECT_TRUE(contains(output.out, ",refused,")) << output.out;
    }
    const std::string file = tempFolder() + "refused.jsonl";
    const ProgramOutput none = ran(kPlanned + "--sweep workload.sequense=1,2 --out " + file);
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_EQ(none.out, "");
    EXPECT_TRUE(none.err.starts_with("error: --sweep workload.sequense: unknown key"));
    EXPECT_FALSE(std::filesystem::exists(file));
    const ProgramOutput sized = ran(kSized + "--sweep target.days=2,-1");
    EXPECT_EQ(sized.code, ExitCode::Ok) << sized.err;
    EXPECT_TRUE(contains(sized.out, "dgx-h100")) << sized.out;
}

TEST(SweepCommand, WritesAPageWithAPicture) {
    for (const std::string& line : {kPlanned + "--sweep cluster.nodes=1,2",
                                    kPlanned + "--sweep layout.recompute=none,full",
                                    kSized + "--sweep target.days=0.05,0.2"}) {
        const ProgramOutput page = ran(line + " -f html");
        EXPECT_EQ(page.code, ExitCode::Ok) << page.err;
        EXPECT_TRUE(contains(page.out, "<svg")) << line;
        EXPECT_TRUE(contains(page.out, "<td>fsdp2")) << line;
    }
}

}  // namespace
}  // namespace fabricast
