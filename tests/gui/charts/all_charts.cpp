#include "tests/gui/charts/all_charts.h"

#include "gui/charts/curve_widget.h"
#include "gui/charts/memory_bars_widget.h"
#include "gui/charts/network_map_widget.h"
#include "gui/charts/scatter_widget.h"
#include "gui/charts/timeline_widget.h"
#include "gui/charts/tornado_widget.h"
#include "gui/charts/waterfall_widget.h"
#include "tests/gui/charts/sample_charts.h"

#include <utility>

namespace fabricast {
namespace {

template <class Widget, class Values>
std::unique_ptr<Widget> plotOf(Values values) {
    auto plot = std::make_unique<Widget>();
    plot->setValues(std::move(values));
    return plot;
}

}  // namespace

std::map<std::string, std::unique_ptr<PlotWidget>> allCharts() {
    std::map<std::string, std::unique_ptr<PlotWidget>> plots;
    auto scatter = plotOf<ScatterWidget>(sampleScatter(800));
    scatter->setMarks({.a = 17, .b = 30, .selected = {}});
    plots["scatter"] = std::move(scatter);
    auto brushed = plotOf<ScatterWidget>(sampleScatter(800));
    brushed->setMarks({.a = {}, .b = {}, .selected = {1, 5, 12, 40, 77, 100, 101, 102, 103}});
    plots["scatter-brushed"] = std::move(brushed);
    plots["scatter-20k"] = plotOf<ScatterWidget>(sampleScatter(20'000));
    plots["memory"] = plotOf<MemoryBarsWidget>(sampleMemory(4));
    plots["memory-16"] = plotOf<MemoryBarsWidget>(sampleMemory(16));
    plots["timeline"] = plotOf<TimelineWidget>(sampleTimeline(8, 16));
    auto near = plotOf<TimelineWidget>(sampleTimeline(8, 16));
    near->setView({0.24, 0.42});
    plots["timeline-near"] = std::move(near);
    plots["timeline-dense"] = plotOf<TimelineWidget>(sampleTimeline(32, 400));
    plots["tornado"] = plotOf<TornadoWidget>(sampleTornado());
    plots["waterfall"] = plotOf<WaterfallWidget>(sampleWaterfall());
    plots["network"] = plotOf<NetworkMapWidget>(aggregated(sampleNetwork(3, 16), 5));
    plots["scaling"] = plotOf<CurveWidget>(sampleScaling());
    plots["bandwidth"] = plotOf<CurveWidget>(sampleBandwidth());
    return plots;
}

}  // namespace fabricast
