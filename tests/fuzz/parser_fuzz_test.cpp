// Every parser by itself, with what did harm once and with some thousand broken inputs of it;
// tools/fuzz looks for more, guided by coverage.
#include "tests/fuzz/parsers/parsers.h"
#include "tests/fuzz/parsers/seeds.h"
#include "tests/support/case_count.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace fabricast {
namespace parser_fuzz_test {

constexpr std::chrono::milliseconds kLongestParse{2000};

class ParserFuzz : public testing::TestWithParam<FuzzedParser> {
protected:
    static void expectSound(const std::string& bytes) {
        const auto begin = std::chrono::steady_clock::now();
        EXPECT_EQ(GetParam().take(bytes), "") << bytes;
        EXPECT_LT(std::chrono::steady_clock::now() - begin, kLongestParse) << bytes;
    }
};

TEST_P(ParserFuzz, TakesItsCorpus) {
    const std::vector<std::string> seeds = seedsOf(GetParam());
    ASSERT_FALSE(seeds.empty()) << GetParam().seeds;
    for (const std::string& seed : seeds) {
        expectSound(seed);
    }
}

TEST_P(ParserFuzz, TakesBrokenInput) {
    const std::vector<std::string> seeds = seedsOf(GetParam());
    for (std::size_t round = 0; round < cases(20000); ++round) {
        TextMutator mutator(round);
        expectSound(mutator.mutated(seeds[round % seeds.size()]));
    }
}

INSTANTIATE_TEST_SUITE_P(Parsers,
                         ParserFuzz,
                         testing::ValuesIn(fuzzedParsers().begin(), fuzzedParsers().end()),
                         [](const testing::TestParamInfo<FuzzedParser>& one) {
                             return std::string(one.param.name);
                         });

}  // namespace parser_fuzz_test
}  // namespace fabricast
