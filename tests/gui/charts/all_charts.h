#pragma once
#include "gui/charts/plot_widget.h"

#include <map>
#include <memory>
#include <string>

namespace fabricast {

/// Every chart with its sample, by name: "memory-light" is the file that the gallery makes of it.
std::map<std::string, std::unique_ptr<PlotWidget>> allCharts();

}  // namespace fabricast
