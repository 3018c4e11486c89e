#include "planner/text/csv_text.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(CsvText, ReadsQuotedCellsAndNamesLines) {
    const auto table = parseCsv("a,b\r\n1,\"x, \"\"y\"\"\nz\"\n\n2,3\n", "t.csv");
    ASSERT_TRUE(table) << table.error().text();
    ASSERT_EQ(table->rows.size(), 2U);
    EXPECT_EQ(table->cell(table->rows[0], "b"), "x, \"y\"\nz");
    EXPECT_EQ(table->cell(table->rows[1], "a"), "2");
    EXPECT_EQ(table->rows[1].line, 5U);  // the quoted cell holds a line end, a line is empty
    EXPECT_EQ(table->cell(table->rows[1], "c"), "");
    EXPECT_EQ(table->where(table->rows[1], "a"), "t.csv:5, column a");
}

/// A spreadsheet on a Mac ends lines with CR alone; a table made by hand has blanks for the eye.
TEST(CsvText, TakesLinesThatEndInCrAndBlanksAroundCells) {
    const auto table = parseCsv("a , b\r 1,\t2 \r\r3, \"4 \" \r", "t.csv");
    ASSERT_TRUE(table) << table.error().text();
    ASSERT_EQ(table->rows.size(), 2U);
    EXPECT_EQ(table->cell(table->rows[0], "a"), "1");
    EXPECT_EQ(table->cell(table->rows[0], "b"), "2");
    EXPECT_EQ(table->cell(table->rows[1], "b"), "4 ");
    EXPECT_EQ(table->rows[1].line, 4U);
}

struct BadCsv {
    const char* text;
    const char* where;
    const char* why;
};
class CsvErrors : public testing::TestWithParam<BadCsv> {};

TEST_P(CsvErrors, SayWhereAndWhy) {
    const auto table = parseCsv(GetParam().text, "t.csv");
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().where, GetParam().where);
    EXPECT_NE(table.error().why.find(GetParam().why), std::string::npos) << table.error().why;
}

INSTANTIATE_TEST_SUITE_P(Files,
                         CsvErrors,
                         testing::Values(BadCsv{"a,b\n1\n", "t.csv:2", "1 cells under 2 columns"},
                                         BadCsv{"a,a\n", "t.csv:1", "two columns are called 'a'"},
                                         BadCsv{"a\n\"open\n", "t.csv:2", "never closed"},
                                         BadCsv{
                                             "a\n\"x\"y\n", "t.csv:2", "after a closing quote"}));

}  // namespace
}  // namespace fabricast
