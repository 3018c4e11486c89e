#include "planner/report/advice_report.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr const char* kHead = "what would change the recommendation";

// With a limit that nothing keeps there may be no change to ask about.
TEST(AdviceReport, ShowsNoTableOfNoChanges) {
    Advice advice{.most = Usd(50.0)};
    EXPECT_EQ(reportText(adviceReport(advice)).find(kHead), std::string::npos);
    EXPECT_EQ(adviceMarkdown(advice).find(kHead), std::string::npos);
    advice.changes = {{.change = "twice the nodes"}};
    EXPECT_NE(reportText(adviceReport(advice)).find(kHead), std::string::npos);
    EXPECT_NE(adviceMarkdown(advice).find(kHead), std::string::npos);
}

}  // namespace
}  // namespace fabricast
