#include "planner/memory/outer_states.h"

#include "planner/base/integers.h"
#include "planner/spec/dtype.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

namespace {

constexpr std::int64_t kCopies = 2;  ///< the parameters of the last outer step, and the momentum

/// Ranks that a parameter is divided over.
std::int64_t shardsOf(const Layout& layout, bool expert) {
    if (layout.shard != Shard::Fsdp && layout.shard != Shard::Zero3 &&
        layout.shard != Shard::Hsdp) {
        return 1;
    }
    const std::int64_t ranks =
        layout.shardSize > 0 ? std::min(layout.shardSize, layout.replicas()) : layout.replicas();
    return expert ? std::max<std::int64_t>(1, std::min(ranks, layout.expertReplicas())) : ranks;
}

/// Of weights that this rank holds, and trains.
std::int64_t elementsHeld(const Scenario& scenario, const Unit& unit) {
    std::int64_t sum = 0;
    for (const WeightUse& use : unit.weights) {
        if (use.trained && !use.tied) {
            sum += ceilDivide(use.elements, shardsOf(scenario.layout, use.expert));
        }
    }
    return sum;
}

std::int64_t elementsHeld(const Scenario& scenario, const StageProgram& program) {
    std::int64_t sum = 0;
    for (const Unit& unit : program.units) {
        sum += elementsHeld(scenario, unit);
    }
    return sum;
}

bool isHeldOn(const OuterSettings& outer, OuterPlace place) {
    return outer.steps > 0 && outer.place == place;
}

}  // namespace

void holdOuter(const Scenario& scenario, const StageProgram& program, Device& device) {
    const OuterSettings& outer = scenario.settings.outer;
    if (!isHeldOn(outer, OuterPlace::Gpu)) {
        return;
    }
    constexpr std::int64_t kWidth = bytesPerElement(Dtype::Fp32);
    for (const Unit& unit : program.units) {
        if (const std::int64_t held = elementsHeld(scenario, unit); held > 0) {
            device.take(kCopies * held * kWidth, MemoryKind::Optimizer, 0, "outer optimizer");
        }
    }
    if (outer.overlap) {
        const std::int64_t difference =
            ceilDivide(elementsHeld(scenario, program), outer.fragments) * kWidth;
        device.take(difference, MemoryKind::Communication, 0, "outer exchange");
    }
}

Bytes outerOnHost(const Scenario& scenario, const StageProgram& program) {
    const OuterSettings& outer = scenario.settings.outer;
    if (!isHeldOn(outer, OuterPlace::Host)) {
        return {};
    }
    const std::int64_t held = elementsHeld(scenario, program);
    return Bytes((kCopies * held + ceilDivide(held, outer.fragments)) *
                 bytesPerElement(Dtype::Fp32));
}

std::string outerNote(const Scenario& scenario) {
    if (scenario.settings.outer.steps == 0) {
        return {};
    }
    return scenario.settings.outer.place == OuterPlace::Gpu
               ? "optimizer states include those of outer steps: 8 bytes for each trained "
                 "parameter "
                 "of a rank"
               : "the host keeps the states of outer steps (--why host)";
}

}  // namespace fabricast
