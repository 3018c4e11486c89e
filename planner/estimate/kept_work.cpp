#include "planner/base/integers.h"
#include "planner/estimate/stage_time.h"
#include "planner/spec/dtype.h"
#include "planner/stack/rank_groups.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr double kCopied = 2.0;  ///< read and written
constexpr double kAdded = 3.0;   ///< two terms read, the sum written

double castBytes(double from, double to) {
    return from == to ? 0.0 : from + to;
}

double trainedWidth(const Settings& settings) {
    return asDouble(bytesPerElement(
        settings.tuning == Tuning::Lora ? settings.lora.dtype : settings.precision.parameters));
}

/// Of a gradient's element, on average over the microbatches: the first is not added.
double summedBytes(const Scenario& scenario) {
    const double parts = asDouble(std::max<std::int64_t>(1, scenario.microBatches()));
    return kAdded * trainedWidth(scenario.settings) * (parts - 1.0) / parts;
}

KeptWork fsdp2Work(const Scenario& scenario, double parameters, double layers, Way way) {
    const PrecisionSettings& types = scenario.settings.precision;
    const double stored = trainedWidth(scenario.settings);
    const double computed = asDouble(bytesPerElement(types.compute));
    const double reduced = asDouble(bytesPerElement(types.reduce));
    const double ranks = asDouble(std::max<std::int64_t>(1, shardSize(scenario.layout)));
    const bool alone = ranks <= 1.0;
    KeptWork work;
    if (way == Way::Forward || scenario.settings.torch.gathersLayersAgain()) {
        work.bytes += parameters / ranks * (castBytes(stored, computed) + kCopied * computed);
        work.bytes += alone ? parameters * kCopied * computed : 0.0;
        work.units += alone ? layers : 0.0;
    }
    if (way == Way::Backward) {
        work.bytes += parameters / ranks * (castBytes(reduced, stored) + summedBytes(scenario));
        work.bytes += alone ? parameters * kCopied * reduced : 0.0;
    }
    return work;
}

}  // namespace

KeptWork keptWork(const Scenario& scenario, double parameters, double layers, Way way) {
    const Engine engine = scenario.settings.engine;
    const Shard shard = scenario.layout.shard;
    if (engine == Engine::Fsdp2 && (shard == Shard::Fsdp || shard == Shard::Hsdp)) {
        return fsdp2Work(scenario, parameters, layers, way);
    }
    const bool sums = engine == Engine::Local || engine == Engine::Ddp;
    return {.bytes = sums && way == Way::Backward ? parameters * summedBytes(scenario) : 0.0};
}

}  // namespace fabricast
