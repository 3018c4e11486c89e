#include "planner/memory/reference_model.h"

#include "planner/sharding/fsdp2_units.h"
#include "planner/spec/dtype.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

namespace {

/// Elements of a weight that this rank holds of the copy.
std::int64_t heldElements(const Scenario& scenario, const WeightUse& use) {
    if (scenario.settings.reference == Reference::Whole) {
        return use.elements;
    }
    const Layout& layout = scenario.layout;
    const std::int64_t ranks = layout.shardSize > 0 ? layout.shardSize : layout.replicas();
    const std::int64_t columns = std::max<std::int64_t>(1, use.columns);
    return fsdpShard({.rows = use.elements / columns, .columns = columns}, ranks);
}

}  // namespace

void holdReference(const Scenario& scenario, const StageProgram& program, Device& device) {
    if (scenario.settings.reference == Reference::None) {
        return;
    }
    for (const Unit& unit : program.units) {
        for (const WeightUse& use : unit.weights) {
            if (!use.tied) {
                device.take(heldElements(scenario, use) * bytesPerElement(Dtype::Bf16),
                            MemoryKind::Weights,
                            0,
                            "reference model");
            }
        }
    }
    device.take(program.bufferBytes, MemoryKind::Buffers);
}

std::string referenceNote(const Scenario& scenario) {
    switch (scenario.settings.reference) {
        case Reference::None:
            return {};
        case Reference::Whole:
            return "weights include a frozen bf16 reference model, whole on each GPU; what "
                   "generates the samples is not included";
        case Reference::Sharded:
            return "weights include a frozen bf16 reference model, sharded like the one that is "
                   "trained; what generates the samples is not included";
    }
    return {};
}

}  // namespace fabricast
