// A measured step below the simulated one.
#include "gui/charts/timeline_widget.h"
#include "gui/pages/timeline_page.h"
#include "gui/window/study_files.h"
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

TEST(MeasuredJourney, ATraceIsSavedWithTheView) {
    UsedWindow used({smallQuestion(), {.page = "timeline"}});
    used.find<TimelinePage>("page.timeline")
        .load(FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json");
    ASSERT_TRUE(used.waits());
    const std::size_t lanes = used.find<TimelineWidget>("timeline.chart").values().lanes.size();
    const QString file = used.folder.filePath("study.json");
    ASSERT_TRUE(used.window.files().saveTo(file));

    UsedWindow again(openStudy(file.toStdString()).value());
    ASSERT_TRUE(again.waits());
    EXPECT_EQ(again.find<TimelineWidget>("timeline.chart").values().lanes.size(), lanes);
    again.find<QPushButton>("timeline.unload").click();
    EXPECT_EQ(again.window.session().trace(), "");
    EXPECT_LT(again.find<TimelineWidget>("timeline.chart").values().lanes.size(), lanes);
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

TEST(MeasuredJourney, AnotherThatCannotBeReadTakesNoneAway) {
    UsedWindow used({smallQuestion(), {.page = "timeline"}});
    auto& page = used.find<TimelinePage>("page.timeline");
    const std::string good = FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json";
    page.load(QString::fromStdString(good));
    ASSERT_TRUE(used.waits());
    const std::size_t lanes = used.find<TimelineWidget>("timeline.chart").values().lanes.size();
    page.load("/nowhere/trace.json");
    ASSERT_TRUE(used.waits());
    const QString words = used.find<QLabel>("timeline.measured").text();
    EXPECT_TRUE(words.contains("cannot be opened")) << words.toStdString();
    EXPECT_TRUE(words.contains("ProfilerStep#4")) << words.toStdString();
    EXPECT_EQ(used.find<TimelineWidget>("timeline.chart").values().lanes.size(), lanes);
    EXPECT_EQ(used.window.session().trace(), good);
    page.load(QString::fromStdString(good));
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(used.find<QLabel>("timeline.measured").text().contains("cannot be opened"));
}

TEST(MeasuredJourney, ABadTraceMovesNothingThatIsLookedAt) {
    UsedWindow used({smallQuestion(), {.page = "timeline"}});
    auto& page = used.find<TimelinePage>("page.timeline");
    auto& chart = used.find<TimelineWidget>("timeline.chart");
    page.load(FABRICAST_SOURCE_DIR "/tests/fuzz/corpus/measured_trace/torch.json");
    ASSERT_TRUE(used.waits());
    const double whole = chart.view().span();
    chart.setView({chart.view().low, chart.view().low + whole / 4});
    chart.select(SpanRef{1, 0});
    page.load("/nowhere/trace.json");
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QLabel>("timeline.measured").text().contains("cannot be opened"));
    EXPECT_DOUBLE_EQ(chart.view().span(), whole / 4);
    EXPECT_TRUE(chart.selected().has_value());
}

}  // namespace measured_journey_test
}  // namespace fabricast
