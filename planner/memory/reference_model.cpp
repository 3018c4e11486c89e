#include "planner/memory/reference_model.h"

#include "planner/base/integers.h"
#include "planner/sharding/fsdp2_units.h"
#include "planner/spec/dtype.h"
#include "planner/spec/names.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

namespace {

/// That a sharded model is divided over.
std::int64_t shardsOfReference(const Layout& layout) {
    return layout.shardSize > 0 ? layout.shardSize : layout.replicas();
}

/// Elements of a weight that this rank holds of the copy.
std::int64_t heldElements(const Scenario& scenario, const WeightUse& use) {
    if (scenario.settings.reference == Reference::Whole) {
        return use.elements;
    }
    const std::int64_t columns = std::max<std::int64_t>(1, use.columns);
    return fsdpShard({.rows = use.elements / columns, .columns = columns},
                     shardsOfReference(scenario.layout));
}

void takeReference(const Scenario& scenario, std::int64_t elements, Device& device) {
    const std::int64_t width = bytesPerElement(scenario.settings.referenceModel.dtype);
    device.take(elements * width, MemoryKind::Weights, 0, "reference model");
}

std::string sizeOfReference(const ReferenceSettings& model) {
    return model.parameters == 0 ? ""
                                 : " of " + std::to_string(model.parameters) +
                                       " parameters, without what its forward needs beside them";
}

}  // namespace

void holdReference(const Scenario& scenario, const StageProgram& program, Device& device) {
    const Settings& settings = scenario.settings;
    if (settings.reference == Reference::None) {
        return;
    }
    if (const std::int64_t parameters = settings.referenceModel.parameters; parameters > 0) {
        const std::int64_t ranks =
            settings.reference == Reference::Whole ? 1 : shardsOfReference(scenario.layout);
        return takeReference(scenario, ceilDivide(parameters, ranks), device);
    }
    for (const Unit& unit : program.units) {
        for (const WeightUse& use : unit.weights) {
            if (!use.tied) {
                takeReference(scenario, heldElements(scenario, use), device);
            }
        }
    }
    device.take(program.bufferBytes, MemoryKind::Buffers);
}

std::string referenceNote(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const ReferenceSettings& model = settings.referenceModel;
    if (settings.reference == Reference::None) {
        return {};
    }
    const std::string what =
        model.forward ? "a frozen " + std::string(nameOf(model.dtype)) + " reference model"
                      : "an average of the weights in " + std::string(nameOf(model.dtype));
    return "weights include " + what + sizeOfReference(model) +
           (settings.reference == Reference::Whole ? ", whole on each GPU"
                                                   : ", sharded like the one that is trained") +
           (model.forward ? "; what generates the samples is not included" : "");
}

}  // namespace fabricast
