#include "cli/exit_code.h"
#include "study/reference_words.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

TEST(ErrorsCommand, ExplainsEveryKindUnderItsExitStatus) {
    for (const ErrorCode& one : errorCodes()) {
        EXPECT_EQ(static_cast<int>(exitCodeOf(one.code)), one.exitStatus) << one.name;
        const ProgramOutput output = ran("errors " + std::to_string(one.exitStatus));
        EXPECT_NE(output.out.find(one.meaning), std::string::npos) << output.out;
    }
}

TEST(ErrorsCommand, ExplainsTheRulesOfLintAndNamesTheNearest) {
    const ProgramOutput rule = ran("errors AC02");
    EXPECT_EQ(rule.code, ExitCode::Ok) << rule.err;
    EXPECT_NE(rule.out.find("a finding of fabricast lint"), std::string::npos);
    EXPECT_NE(ran("errors 1").out.find("does not fit"), std::string::npos);
    for (const char* unknown : {"errors AC2", "errors 6", "errors 22"}) {
        EXPECT_EQ(ran(unknown).code, ExitCode::BadInput) << unknown;
    }
}

}  // namespace
}  // namespace fabricast
