#include "gui/charts/curve_widget.h"
#include "gui/charts/export_plot.h"
#include "gui/charts/memory_bars_widget.h"
#include "gui/charts/network_map_widget.h"
#include "gui/charts/scatter_widget.h"
#include "gui/charts/timeline_widget.h"
#include "gui/charts/tornado_widget.h"
#include "gui/charts/waterfall_widget.h"
#include "tests/gui/charts/sample_charts.h"

#include <QApplication>
#include <QDir>
#include <QSizeF>
#include <iostream>
#include <map>
#include <memory>
#include <string>

namespace fabricast {
namespace {

using Plots = std::map<std::string, std::unique_ptr<PlotWidget>>;

template <class Widget, class Values>
std::unique_ptr<Widget> plotOf(Values values) {
    auto plot = std::make_unique<Widget>();
    plot->setValues(std::move(values));
    return plot;
}

Plots allPlots() {
    Plots plots;
    auto scatter = plotOf<ScatterWidget>(sampleScatter(800));
    scatter->setMarks({.a = 17, .b = 30, .selected = {}});
    plots["scatter"] = std::move(scatter);
    plots["scatter-20k"] = plotOf<ScatterWidget>(sampleScatter(20'000));
    plots["memory"] = plotOf<MemoryBarsWidget>(sampleMemory(4));
    plots["memory-16"] = plotOf<MemoryBarsWidget>(sampleMemory(16));
    plots["timeline"] = plotOf<TimelineWidget>(sampleTimeline(8, 16));
    plots["timeline-dense"] = plotOf<TimelineWidget>(sampleTimeline(32, 400));
    plots["tornado"] = plotOf<TornadoWidget>(sampleTornado());
    plots["waterfall"] = plotOf<WaterfallWidget>(sampleWaterfall());
    plots["network"] = plotOf<NetworkMapWidget>(aggregated(sampleNetwork(3, 16), 5));
    plots["scaling"] = plotOf<CurveWidget>(sampleScaling());
    plots["bandwidth"] = plotOf<CurveWidget>(sampleBandwidth());
    return plots;
}

/// Every chart in a folder, in both themes and at both scales, as every kind of file.
int paintGallery(const QDir& folder) {
    const QSizeF size(760, 420);
    for (const auto& [name, plot] : allPlots()) {
        plot->resize(size.toSize());
        for (const ChartTheme& theme : {lightChartTheme(), darkChartTheme()}) {
            plot->setTheme(theme);
            const QString stem =
                folder.filePath(QString::fromStdString(name + (theme.isDark ? "-dark" : "-light")));
            for (const int scale : {1, 2}) {
                const QString file = stem + "@" + QString::number(scale) + ".png";
                if (!plotImage(*plot, size, scale).save(file)) {
                    std::cerr << file.toStdString() << " cannot be written\n";
                    return 1;
                }
            }
            for (const char* kind : {".svg", ".pdf", ".csv"}) {
                if (const auto outcome = exportPlot(*plot, stem + kind); !outcome) {
                    std::cerr << outcome.error().text() << '\n';
                    return 1;
                }
            }
        }
        std::cout << name << ": " << plot->describe() << '\n';
    }
    return 0;
}

}  // namespace
}  // namespace fabricast

/// charts_gallery FOLDER
int main(int argc, char** argv) {
    const QApplication application(argc, argv);
    const QDir folder(argc > 1 ? argv[1] : ".");
    if (!folder.mkpath(".")) {
        std::cerr << folder.path().toStdString() << " cannot be made\n";
        return 1;
    }
    return fabricast::paintGallery(folder);
}
