#include "tests/support/case_table.h"
#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace everyday_test {

/// What was published of a run that a question of tests/cases/everyday.csv describes: it ran, it
/// ended out of memory, or what decided is not modelled.
bool agrees(const std::string& published, const ProgramOutput& output) {
    if (published == "refused") {
        return output.code == ExitCode::BadInput && !output.err.empty();
    }
    const std::string line = output.out.substr(0, output.out.find('\n'));
    const bool misses = line.starts_with("DOES NOT FIT") || line.starts_with("UNLIKELY TO FIT");
    return !line.empty() && misses == (published == "oom");
}

TEST(EverydayQuestions, AreAnsweredAsTheyEnded) {
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/everyday.csv");
    ASSERT_GT(table.rows(), 0U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const ProgramOutput output = ran("explain " + table.text(row, "question"));
        EXPECT_TRUE(agrees(table.text(row, "published"), output))
            << table.text(row, "id") << ": " << table.text(row, "published") << "\n"
            << output.out.substr(0, output.out.find('\n')) << output.err;
        EXPECT_FALSE(table.text(row, "source").empty()) << table.text(row, "id");
    }
}

}  // namespace everyday_test
}  // namespace fabricast
