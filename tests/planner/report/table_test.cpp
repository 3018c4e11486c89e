#include "planner/report/table.h"

#include <gtest/gtest.h>

#include <limits>

namespace fabricast {
namespace {

const Table kTable{{{"part"}, {"bytes", Align::Right}, {"why"}},
                   {{"weights", "12", "a|b"}, {"é", "1,234", "says \"x\", twice"}}};
const Table kGaps{{{"a"}, {"b"}}, {{"", ""}}};

TEST(Table, AlignsForATerminal) {
    EXPECT_EQ(alignedText(kTable),
              "part     bytes  why\n"
              "weights     12  a|b\n"
              "é        1,234  says \"x\", twice\n");
}

TEST(Table, EscapesForMarkdownAndCsv) {
    EXPECT_EQ(markdownText(kTable),
              "| part | bytes | why |\n| --- | ---: | --- |\n"
              "| weights | 12 | a\\|b |\n| é | 1,234 | says \"x\", twice |\n");
    EXPECT_EQ(csvText(kTable),
              "part,bytes,why\nweights,12,a|b\né,\"1,234\",\"says \"\"x\"\", twice\"\n");
}

TEST(Table, EmptyCellsKeepTheirPlace) {
    EXPECT_EQ(csvText(kGaps), "a,b\n,\n");
    EXPECT_EQ(alignedText(kGaps), "a  b\n\n");
}

TEST(Table, GroupsDigits) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(8'030'261'248), "8,030,261,248");
    EXPECT_EQ(grouped(-1000), "-1,000");
    EXPECT_EQ(grouped(std::numeric_limits<long long>::min()), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace fabricast
