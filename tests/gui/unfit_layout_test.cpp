// What the pages say of a layout that does not fit.
#include "gui/charts/plot_widget.h"
#include "gui/pages/page.h"
#include "tests/gui/used_window.h"

#include <QLabel>
#include <QToolButton>

namespace fabricast {
namespace unfit_layout_test {

/// Recomputing nothing has no room on GPUs of 24 GB.
SavedStudy unfitStudy() {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"search.stacks", "fsdp2", "--stack"},
                                     {"layout.recompute", "none", "--fix"},
                                     {"workload.sequence", "4096", "--seq"},
                                     {"workload.tokens", "1B", "--tokens"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    return {with(readQuestion("", "").value(), edits).value(), {}};
}

TEST(UnfitLayout, HasNoNumbersWithoutThatWord) {
    UsedWindow used(unfitStudy());
    for (const char* page : {"cost", "sensitivity", "timeline", "evidence"}) {
        ASSERT_TRUE(used.window.showPage(page));
        ASSERT_TRUE(used.waits()) << page;
        const auto& words = used.find<QLabel>((std::string(page) + ".unfit").c_str());
        EXPECT_TRUE(words.isVisible()) << page;
        EXPECT_TRUE(words.text().contains("does not fit")) << page;
    }
    used.window.session().edit(
        {{"layout.recompute", "full", "--fix"}, {"cluster.host_memory", "512GB", "--host-memory"}},
        {.title = "full"});
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(used.find<QLabel>("evidence.unfit").isVisible());
}

TEST(UnfitLayout, OffersNoChartThatIsNotThere) {
    UsedWindow used(unfitStudy());
    EXPECT_FALSE(used.find<QToolButton>("layouts.chart").isVisible());
    ASSERT_TRUE(used.window.showPage("sensitivity"));
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.page()->chart(), nullptr);
    const QString words = used.find<QLabel>("sensitivity.headline").text();
    EXPECT_TRUE(words.contains("What makes it fit, twice as much of: GPU memory size"))
        << words.toStdString();
}

}  // namespace unfit_layout_test
}  // namespace fabricast
