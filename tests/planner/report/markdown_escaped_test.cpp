#include "planner/report/markup.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

namespace fabricast {
namespace {

struct EscapedCase {
    std::string written;
    std::string expected;
};

TEST(MarkdownEscaped, LeavesNoTagsLinksAndPictures) {
    for (const auto& [written, expected] : std::initializer_list<EscapedCase>{
             {"| <img src=x onerror=alert(1)> |\n", "| &lt;img src=x onerror=alert(1)> |\n"},
             {"![a](http://b/c.png)", "![a]\\(http://b/c.png)"},
             {"<details>open", "&lt;details>open"},
             {" </details>\n", " &lt;/details>\n"},
             {"a < b, c <= d <", "a < b, c <= d <"},
             {"</a><!-- <?x <http://b>", "&lt;/a>&lt;!-- &lt;?x &lt;http://b>"},
             {"no end", "no end"},
             {"", ""}}) {
        EXPECT_EQ(markdownEscaped(written), expected);
        EXPECT_EQ(markdownEscaped(expected), expected) << "once is enough";
    }
}

// What GitHub's Markdown takes for code, and what only looks like it.
TEST(MarkdownEscaped, LeavesCodeAsItIs) {
    for (const auto& [written, expected] :
         std::initializer_list<EscapedCase>{{"`a<b>` <i>", "`a<b>` &lt;i>"},
                                            {"``a`<b>`` <i>", "``a`<b>`` &lt;i>"},
                                            {"```\n<b>\n```\n<i>\n", "```\n<b>\n```\n&lt;i>\n"},
                                            {"`a <b>\n", "`a &lt;b>\n"},
                                            {"\\`<b>` <i>", "\\`&lt;b>` &lt;i>"},
                                            {"\\\\`<b>`", "\\\\`<b>`"},
                                            {"| `a | <b>` |", "| `a | &lt;b>` |"},
                                            {"| `a \\| <b>` |", "| `a \\| <b>` |"}}) {
        EXPECT_EQ(markdownEscaped(written), expected) << written;
    }
}

TEST(MarkdownEscaped, LeavesWhatReportsThemselvesWrite) {
    const std::string folds =
        "<!-- fabricast:check -->\n<details><summary>why, and what would mend it</summary>\n\n"
        "```\na\n```\n</details>\n";
    EXPECT_EQ(markdownEscaped(folds), folds);
}

}  // namespace
}  // namespace fabricast
