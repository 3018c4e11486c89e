#include "gui/charts/export_plot.h"
#include "tests/gui/charts/all_charts.h"

#include <QApplication>
#include <QDir>
#include <QSizeF>
#include <iostream>
#include <string>

namespace fabricast {
namespace {

/// Every chart in a folder, in both themes and at both scales, as every kind of file, and hovered.
int paintGallery(const QDir& folder) {
    const QSizeF size(760, 420);
    for (const auto& [name, plot] : allCharts()) {
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
            plot->setHovered(3);
            if (!plot->grab().save(stem + "-hover.png")) {
                std::cerr << stem.toStdString() << "-hover.png cannot be written\n";
                return 1;
            }
            plot->setHovered(-1);
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
