#include "cli/run_program.h"
#include "tests/support/program_answer.h"
#include "tests/support/typed_words.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

ProgramOutput answerTo(const std::string& line) {
    return runProgram(typedWords(line), {});
}

// Every chunk of a rank crosses the line, whose time a forecast of one crossing would miss.
TEST(Sites, RefuseSeveralChunksOfAPipelineThatSpansThem) {
    const std::string run =
        "explain -m llama-3.1-8b -c dgx-h100 -n 4 --stack megatron --seq 8192 --global-batch 128 "
        "--sites 2 --wan 10Gbps --section time --layout recompute=full,tp=2,pp=4";
    const ProgramOutput several = answerTo(run + ",vpp=2");
    EXPECT_EQ(several.code, ExitCode::BadInput) << several.out;
    EXPECT_NE(several.err.find("layout.vpp: several chunks a rank are not modelled"),
              std::string::npos)
        << several.err;
    EXPECT_EQ(answerTo(run).code, ExitCode::Ok);
    EXPECT_EQ(answerTo(run + ",vpp=2,placement=pp_inside").code, ExitCode::Ok);
}

TEST(Sites, StayWhereOtherGpusAreSuggested) {
    const ProgramOutput output = answerTo(
        "plan -m llama-3.1-8b -c dgx-h100 -n 2 --sites 2 --wan 1Gbps --stack fsdp2 --seq 8192 "
        "--global-batch 64 --target tokens-per-s=100k");
    // The line decides: without it any of them would be fast enough.
    EXPECT_NE(output.out.find("what would help"), std::string::npos) << output.out << output.err;
    for (const char* const other : {"-c dgx-h200 -n 2", "-c dgx-b200 -n 2"}) {
        const std::size_t row = output.out.find(other);
        const std::string line = row == std::string::npos
                                     ? ""
                                     : output.out.substr(row, output.out.find('\n', row) - row);
        EXPECT_EQ(line.find(" yes "), std::string::npos) << line;
    }
}

}  // namespace
}  // namespace fabricast
