#pragma once
#include "gui/charts/curve.h"
#include "gui/charts/memory_bars.h"
#include "gui/charts/network_map.h"
#include "gui/charts/scatter.h"
#include "gui/charts/timeline.h"
#include "gui/charts/tornado.h"
#include "gui/charts/waterfall.h"

#include <cstddef>

namespace fabricast {

/// Charts as they look for real questions, made by code: the same ones each time.
ScatterValues sampleScatter(std::size_t points);
MemoryBarValues sampleMemory(std::size_t stages);
/// A pipeline of so many stages, each with microbatches forward and backward, and transfers.
TimelineValues sampleTimeline(std::size_t stages, std::size_t microBatches);
TornadoValues sampleTornado();
WaterfallValues sampleWaterfall();
NetworkMapValues sampleNetwork(std::int32_t pods, std::uint32_t nodesPerPod);
CurveValues sampleScaling();
CurveValues sampleBandwidth();

}  // namespace fabricast
