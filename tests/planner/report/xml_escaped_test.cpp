#include "planner/report/markup.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(XmlEscaped, KeepsTextApartFromTags) {
    EXPECT_EQ(xmlEscaped("<a> & \"b\"\n"), "&lt;a&gt; &amp; &quot;b&quot; ");
    EXPECT_EQ(xmlEscaped("é 7\x1f"), "é 7\\x1f");
    EXPECT_EQ(xmlEscaped("a\u202e\u2028"), R"(a\xe2\x80\xae\xe2\x80\xa8)");
}

}  // namespace
}  // namespace fabricast
