#include "planner/estimate/shard_copies.h"

#include "planner/base/integers.h"
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

}  // namespace

ShardWork shardWork(const Scenario& scenario, double parameters, double layers, Way way) {
    const Settings& settings = scenario.settings;
    const Shard shard = scenario.layout.shard;
    if (settings.engine != Engine::Fsdp2 || (shard != Shard::Fsdp && shard != Shard::Hsdp)) {
        return {};
    }
    const PrecisionSettings& types = settings.precision;
    const double stored = asDouble(bytesPerElement(types.parameters));
    const double computed = asDouble(bytesPerElement(types.compute));
    const double reduced = asDouble(bytesPerElement(types.reduce));
    const double parts = asDouble(std::max<std::int64_t>(1, scenario.microBatches()));
    const double ranks = asDouble(std::max<std::int64_t>(1, shardSize(scenario.layout)));
    const bool alone = ranks <= 1.0;
    ShardWork work;
    if (way == Way::Forward || settings.torch.reshard != Reshard::Never) {
        const double gathered = castBytes(stored, computed) + kCopied * computed;
        work.bytes += parameters / ranks * gathered;
        work.bytes += alone ? parameters * kCopied * computed : 0.0;
        work.units += alone ? layers : 0.0;
    }
    if (way == Way::Backward) {
        const double summed = kAdded * stored * (parts - 1.0) / parts;
        work.bytes += parameters / ranks * (castBytes(reduced, stored) + summed);
        work.bytes += alone ? parameters * kCopied * reduced : 0.0;
    }
    return work;
}

}  // namespace fabricast
