#include "cli/run_program.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(Errors, AreWrittenAsPrintableText) {
    const ProgramOutput answer = runProgram({"model", "\x1b[31m\xff"}, {});
    EXPECT_EQ(answer.err.find('\x1b'), std::string::npos) << answer.err;
    EXPECT_NE(answer.err.find("\\x1b[31m\\xff"), std::string::npos) << answer.err;
}

}  // namespace
}  // namespace fabricast
