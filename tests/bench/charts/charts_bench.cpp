#include "gui/charts/painter_canvas.h"
#include "gui/charts/scatter_widget.h"
#include "gui/charts/span_raster.h"
#include "gui/charts/timeline_widget.h"
#include "tests/gui/charts/sample_charts.h"

#include <benchmark/benchmark.h>

#include <QApplication>
#include <QImage>
#include <QPainter>
#include <cstdint>

namespace fabricast {
namespace {

/// One frame of a chart on an image, as a window paints it.
template <class Widget>
void paintFrames(benchmark::State& state, Widget& plot, const QSize& size, double density) {
    QImage image(size * density, QImage::Format_ARGB32_Premultiplied);
    const ChartTheme theme = lightChartTheme();
    for (auto _ : state) {
        QPainter painter(&image);
        painter.scale(density, density);
        PainterCanvas canvas(painter, density);
        plot.paintPlot(canvas, size, theme);
    }
}

void scatter(benchmark::State& state) {
    ScatterWidget plot;
    plot.setValues(sampleScatter(static_cast<std::size_t>(state.range(0))));
    paintFrames(state, plot, {900, 600}, static_cast<double>(state.range(1)));
    state.SetLabel("points, density; target for 20000: 3 ms");
}
BENCHMARK(scatter)
    ->Args({10, 1})
    ->Args({2'000, 1})
    ->Args({20'000, 1})
    ->Args({20'000, 2})
    ->Unit(benchmark::kMillisecond);

void scatterSetValues(benchmark::State& state) {
    ScatterWidget plot;
    const ScatterValues values = sampleScatter(20'000);
    for (auto _ : state) {
        plot.setValues(values);
    }
    state.SetLabel("20000 points, with the front");
}
BENCHMARK(scatterSetValues)->Unit(benchmark::kMillisecond);

void scatterHover(benchmark::State& state) {
    const ScatterValues values = sampleScatter(20'000);
    const PlotFrame frame =
        scatterFrame(values, wholeView(values), {900.0, 600.0}, lightChartTheme());
    for (auto _ : state) {
        benchmark::DoNotOptimize(nearestPoint(values, frame, frame.plot.center(), 14.0));
    }
    state.SetLabel("20000 points");
}
BENCHMARK(scatterHover)->Unit(benchmark::kMillisecond);

/// 64 stages with 3906 microbatches are 500,096 spans.
const TimelineValues& longTimeline() {
    static const TimelineValues values = sampleTimeline(64, 3906);
    return values;
}

void timeline(benchmark::State& state) {
    TimelineWidget plot;
    plot.setValues(longTimeline());
    const ValueRange whole = plot.view();
    const double share = 1.0 / static_cast<double>(state.range(0));
    plot.setView({whole.low + 0.3 * whole.span(), whole.low + (0.3 + 0.7 * share) * whole.span()});
    if (state.range(0) == 1) {
        plot.showAll();
    }
    paintFrames(state, plot, {1600, 900}, static_cast<double>(state.range(1)));
    state.SetLabel("zoom, density; target: 16 ms");
}
BENCHMARK(timeline)
    ->Args({1, 1})
    ->Args({1, 2})
    ->Args({10, 1})
    ->Args({100, 1})
    ->Args({1000, 1})
    ->Args({1000, 2})
    ->Unit(benchmark::kMillisecond);

void timelineHover(benchmark::State& state) {
    const TimelineValues& values = longTimeline();
    const TimelineLayout layout =
        timelineLayout(values, {wholeTime(values)}, {1600.0, 900.0}, lightChartTheme());
    for (auto _ : state) {
        benchmark::DoNotOptimize(spanAt(values, layout, layout.lanes[20].center()));
    }
}
BENCHMARK(timelineHover)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace fabricast

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
