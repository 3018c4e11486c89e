#include "planner/report/html_page.h"

#include "tests/support/golden.h"
#include "tests/support/well_formed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

Report exampleReport() {
    Table table{
        {{"stage"}, {"weights", Align::Right}, {"loss", Align::Right}, {"peak", Align::Right}},
        {{"0", "4.00", "0.00", "4.00"}, {"1", "3.00", "2.00", "5.00"}}};
    BarChart bars = stackedBarsOf(table, "weights", "peak");
    bars.title = "Memory at its peak";
    bars.limit = {.at = 8.0, .text = "8.00 GiB"};
    Report report("FITS  5.00 GiB of 8.00 GiB  loss\n  a model on a cluster\n\nGiB per GPU\n");
    report.add(table).add(bars).add("\nassumed: sequence 4096 (default)\n");
    report.add(PointChart{.title = "Speed",
                          .xTitle = "GiB",
                          .yTitle = "tokens/s",
                          .series = {"plan"},
                          .points = {{.x = 4.0, .y = 6000.0, .name = "a", .label = "1"},
                                     {.x = 4.05, .y = 6010.0, .name = "b", .label = "2"},
                                     {.x = 9.0, .y = 8000.0, .name = "c", .label = "3"}}});
    report.add("STEP  2.5 s\n\nnext: fabricast explain -m a\n");
    return report;
}

/// The page without its style, which is no answer.
std::string withoutStyle(std::string page) {
    const std::size_t from = page.find("<style>") + 7;
    return page.erase(from, page.find("</style>") - from);
}

TEST(HtmlPage, IsHeadingTablesPicturesNotesAndTheNextCommand) {
    const std::string page = htmlPage(exampleReport(), {"Explain", "fabricast 1.0", "fabricast x"});
    EXPECT_EQ(xmlTrouble(page), "");
    expectGolden("html_page.html", withoutStyle(page), kExact);
}

TEST(HtmlPage, PrintsTablesAndFiguresThatFitOnAPageInOnePiece) {
    const std::string page = htmlPage(exampleReport(), {"Explain", "fabricast 1.0", "fabricast x"});
    const std::string print = page.substr(page.find("@media print"));
    EXPECT_NE(print.find(".scroll { break-inside: avoid; }"), std::string::npos);
    // A4 lying down has 210 - 2·14 = 182 mm for a figure and its title.
    EXPECT_NE(print.find("figure svg { max-height: 150mm; }"), std::string::npos);
}

TEST(HtmlPage, IsTheSameAnswerAsItsText) {
    EXPECT_EQ(reportText(exampleReport()),
              "FITS  5.00 GiB of 8.00 GiB  loss\n"
              "  a model on a cluster\n\n"
              "GiB per GPU\n"
              "stage  weights  loss  peak\n"
              "0         4.00  0.00  4.00\n"
              "1         3.00  2.00  5.00\n\n"
              "assumed: sequence 4096 (default)\n"
              "STEP  2.5 s\n\n"
              "next: fabricast explain -m a\n");
}

TEST(HtmlPage, ShowsWhatNamesContainAndRunsNothingOfIt) {
    const std::string evil = "</td><script>alert(1)</script>\" onload=\"x\x01&";
    Report report("FITS  " + evil + "  " + evil + "\n  " + evil + "\nassumed: " + evil + "\n\n" +
                  evil + "\n");
    Table table{{{evil}, {"value"}}, {{evil, "1"}, {evil, "2"}}};
    BarChart bars = barsOf(table, evil, "value");
    bars.title = evil;
    bars.series = {evil};
    bars.limit = {.at = 3.0, .text = evil};
    report.add(table).add(bars).add(
        PointChart{.title = evil,
                   .xTitle = evil,
                   .yTitle = evil,
                   .series = {evil},
                   .points = {{.x = 1.0, .y = 1.0, .name = evil, .label = evil},
                              {.x = 2.0, .y = 2.0, .name = evil}}});
    report.add("next: " + evil + "\n");
    const std::string page = htmlPage(report, {evil, evil, evil});
    std::vector<std::string> elements;
    EXPECT_EQ(xmlTrouble(page, &elements), "");
    EXPECT_EQ(std::ranges::count(elements, "script"), 0);
    EXPECT_EQ(page.find("onload=\"x"), std::string::npos);
    EXPECT_EQ(page.find('\x01'), std::string::npos);
    EXPECT_NE(page.find("&lt;script&gt;alert(1)"), std::string::npos);
}

TEST(HtmlPage, AsksForNothingElse) {
    const std::string page = htmlPage(exampleReport(), {"Explain", "fabricast 1.0", "fabricast x"});
    for (const char* outside : {" src=", " href=", "url(", "@import", "<script", "<link", "<img"}) {
        EXPECT_EQ(page.find(outside), std::string::npos) << outside;
    }
}

TEST(HtmlPage, HasATitleWhereNoLineIsOne) {
    const std::string page =
        htmlPage(Report("A and B are alike\n"), {"Compare", "tool", "command"});
    EXPECT_NE(page.find("<h1>Compare</h1>"), std::string::npos);
    EXPECT_NE(page.find("<title>Compare</title>"), std::string::npos);
}

TEST(XmlTrouble, IsFound) {
    EXPECT_NE(xmlTrouble("<a><b></a></b>"), "");
    EXPECT_NE(xmlTrouble("<a>&nbsp;</a>"), "");
    EXPECT_NE(xmlTrouble("<a>"), "");
    EXPECT_NE(xmlTrouble("<a/><b/>"), "");
    EXPECT_NE(xmlTrouble("<a b=\"<\"/>"), "");
    EXPECT_EQ(xmlTrouble("<!DOCTYPE html>\n<a b=\">\">x<c/></a>\n"), "");
}

}  // namespace
}  // namespace fabricast
