#include "gui/print/style_sheet.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace style_sheet_test {

QString valueOf(std::string_view css, const StyledElement& element, const StyledElement& root) {
    return StyleSheet(css).value("fill", element, root);
}

TEST(StyleSheet, TheClosestRuleCountsAndOfEquallyCloseOnesTheLast) {
    constexpr std::string_view kCss =
        "text { fill: red } .soft { fill: blue } text { fill: green } .a, .b { fill: gray }";
    EXPECT_EQ(valueOf(kCss, {"text", ""}, {}), "green");
    EXPECT_EQ(valueOf(kCss, {"text", "small soft"}, {}), "blue");
    EXPECT_EQ(valueOf(kCss, {"rect", "b"}, {}), "gray");
    EXPECT_EQ(valueOf(kCss, {"rect", ""}, {}), "");
}

TEST(StyleSheet, ARuleWithinAnotherElementIsOfThatOneAlone) {
    constexpr std::string_view kCss = "svg.chart text { fill: red }";
    EXPECT_EQ(valueOf(kCss, {"text", ""}, {"svg", "chart"}), "red");
    EXPECT_EQ(valueOf(kCss, {"text", ""}, {"svg", ""}), "");
}

TEST(StyleSheet, IsThatOfPaperAndNotOfADarkScreen) {
    constexpr std::string_view kCss =
        ":root { --ink: #111; --c: var(--ink) } .c { fill: var(--c) }\n"
        "@media (prefers-color-scheme: dark) { :root { --ink: #eee } .c { fill: white } }\n"
        "@page wide { size: A4 landscape; }\n"
        "@media print { :root { --ink: #000 } }";
    EXPECT_EQ(valueOf(kCss, {"rect", "c"}, {}), "#000");
    EXPECT_EQ(StyleSheet(kCss).resolved("p { color: var(--ink) }"), "p { color: #000 }");
    EXPECT_EQ(StyleSheet(kCss).resolved("var(--none)"), "");
}

}  // namespace style_sheet_test
}  // namespace fabricast
