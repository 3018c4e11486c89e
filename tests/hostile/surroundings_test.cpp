// Whatever a machine is set to: the same question, the same bytes.
#include "cli/run_program.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>
#include <vector>

namespace fabricast {
namespace surroundings_test {

using Words = std::vector<std::string>;

const std::vector<Words> kQuestions = {
    {"plan", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--seq", "8192", "--global-batch", "64"},
    {"explain",
     "-m",
     "gpt2",
     "-c",
     "dgx-h100",
     "--stack",
     "ddp",
     "--section",
     "all",
     "--set",
     "settings.torch.bucket_cap_mb=12.5",
     "-f",
     "json"},
    {"simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp"},
    {"topology", "-c", "dgx-h100", "-n", "2", "-f", "svg"},
    {"backtest", FABRICAST_SOURCE_DIR "/tests/cases/published/nowhere.csv"},
    {"profiles", "show", "h100-sxm5-80gb"}};

/// "1.234.567,5", as much of Europe writes numbers.
class Commas : public std::numpunct<char> {
protected:
    [[nodiscard]] char do_decimal_point() const override { return ','; }
    [[nodiscard]] char do_thousands_sep() const override { return '.'; }
    [[nodiscard]] std::string do_grouping() const override { return "\3"; }
};

TEST(Surroundings, ALocaleWithCommasChangesNoByte) {
    std::vector<ProgramOutput> usual;
    for (const Words& question : kQuestions) {
        usual.push_back(runProgram(question, {}));
    }
    const std::locale before =
        std::locale::global(std::locale(std::locale::classic(), new Commas));  // NOLINT: it owns it
    ASSERT_EQ(std::use_facet<std::numpunct<char>>(std::locale()).decimal_point(), ',');
    for (std::size_t at = 0; at < kQuestions.size(); ++at) {
        const ProgramOutput output = runProgram(kQuestions[at], {});
        EXPECT_EQ(output.out, usual[at].out) << kQuestions[at].front();
        EXPECT_EQ(output.err, usual[at].err) << kQuestions[at].front();
    }
    std::locale::global(before);
}

TEST(Surroundings, TheEnvironmentChangesNoByte) {
    const std::vector<Words> environments = {{"LC_ALL=de_DE.UTF-8", "LANG=de_DE.UTF-8"},
                                             {"LC_ALL=tr_TR.UTF-8"},
                                             {"LC_ALL=no/such\x1b[31m"},
                                             {"LC_NUMERIC=fr_FR"},
                                             {"TZ=Pacific/Chatham", "TERM=dumb", "COLUMNS=1"},
                                             {"COLUMNS=99999999999999999999", "LINES=-1"},
                                             {"NO_COLOR=1", "CLICOLOR=1"},
                                             {"HOME=/nonexistent", "TMPDIR=/nonexistent"},
                                             {"OMP_NUM_THREADS=nan", "POSIXLY_CORRECT=1"}};
    for (const Words& question : kQuestions) {
        Words words = {FABRICAST_BINARY};
        words.insert(words.end(), question.begin(), question.end());
        const Disturbed usual = disturbedRun(words);
        EXPECT_EQ(troubleOf(usual), "") << usual.err;
        for (const Words& environment : environments) {
            const Disturbed run = disturbedRun(words, {.variables = environment});
            EXPECT_EQ(run.out, usual.out) << environment.front();
            EXPECT_EQ(run.err, usual.err) << environment.front();
        }
    }
}

}  // namespace surroundings_test
}  // namespace fabricast
