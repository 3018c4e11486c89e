// A measured step below the simulated one.
#include "gui/charts/timeline_widget.h"
#include "gui/pages/timeline_page.h"
#include "tests/gui/used_window.h"

#include <QFile>
#include <QLabel>
#include <QPushButton>

namespace fabricast {
namespace measured_journey_test {

TEST(MeasuredJourney, ATraceIsShownBelowTheSimulatedLanesUntilItIsRemoved) {
    UsedWindow used({smallQuestion(), {.page = "timeline"}});
    auto& page = used.find<TimelinePage>("page.timeline");
    auto& chart = used.find<TimelineWidget>("timeline.chart");
    const std::size_t simulated = chart.values().lanes.size();
    page.load(FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json");
    ASSERT_TRUE(used.waits());
    ASSERT_EQ(chart.values().lanes.size(), simulated + 2);
    EXPECT_TRUE(chart.values().lanes.back().name.starts_with("measured stream"));
    EXPECT_TRUE(used.find<QLabel>("timeline.measured").text().contains("ProfilerStep#4"));
    used.find<QPushButton>("timeline.unload").click();
    EXPECT_EQ(chart.values().lanes.size(), simulated);
}

TEST(MeasuredJourney, WhatIsNoTraceIsExplainedAndTheStepStays) {
    UsedWindow used({smallQuestion(), {.page = "timeline"}});
    const QString path = used.folder.filePath("no.json");
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write("{\"plans\": []}");
    file.close();
    auto& page = used.find<TimelinePage>("page.timeline");
    page.load(path);
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("timeline.measured").text().contains("traceEvents"));
    EXPECT_TRUE(page.message().isEmpty());
    page.load("/nowhere/trace.json");
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("timeline.measured").text().contains("cannot be opened"));
}

}  // namespace measured_journey_test
}  // namespace fabricast
