#include "planner/report/xml_escaped.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(XmlEscaped, KeepsTextApartFromTags) {
    EXPECT_EQ(xmlEscaped("<a> & \"b\"\n"), "&lt;a&gt; &amp; &quot;b&quot; ");
    EXPECT_EQ(xmlEscaped("é 7\x1f"), "é 7 ");
}

}  // namespace
}  // namespace fabricast
