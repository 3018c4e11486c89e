#include "planner/base/integers.h"
#include "planner/memory/engines/deepspeed/bf16_optimizer_engine.h"
#include "planner/memory/engines/deepspeed/deepspeed_engine.h"
#include "planner/memory/engines/deepspeed/zero3_engine.h"
#include "planner/memory/engines/deepspeed/zero_partition_engine.h"
#include "planner/memory/make_engines.h"
#include "planner/memory/program/registered_weights.h"
#include "planner/memory/walk/step_walk.h"

#include <algorithm>

namespace fabricast {

namespace {

using Made = Result<std::unique_ptr<ParallelEngine>>;

/// To the host, and from there on to drives if it says so.
bool offloadsOptimizer(const Scenario& scenario) {
    return scenario.layout.offload != Offload::None &&
           !scenario.settings.deepspeed.optimizerStaysOnDevice;
}

std::int64_t widthOf(const Scenario& scenario) {
    return bytesPerElement(scenario.settings.precision.parameters);
}

/// Gradients travel in the model's type, fp32 under Ulysses; torch_autocast sends those of linear
/// layers in its own.
std::int64_t wireWidth(const Scenario& scenario, const WeightUse& use) {
    if (scenario.layout.cp > 1) {
        return kFp32;
    }
    const PrecisionSettings& types = scenario.settings.precision;
    return types.autocast && use.cast ? bytesPerElement(types.compute)
                                      : bytesPerElement(types.parameters);
}

/// Codes of 4 bits lie in a column of numbers of the model's type, which are what is cut.
std::int64_t partitionedElements(const WeightUse& use) {
    return use.codeBytes > 0 ? ceilDivide(use.codeBytes, use.width) : use.elements;
}

std::vector<ZeroParameter> zeroParameters(const Scenario& scenario, const StageProgram& program) {
    std::vector<ZeroParameter> parameters;
    bool tiedHead = false;
    for (const Unit& unit : program.units) {
        for (const WeightUse& use : unit.weights) {
            tiedHead = tiedHead || (use.tied && use.cast);
        }
    }
    for (const WeightPlace& place : registeredWeights(program, scenario.model)) {
        const auto unit = static_cast<std::size_t>(place.unit);
        WeightUse use = program.units[unit].weights[static_cast<std::size_t>(place.weight)];
        if (!use.trained && scenario.layout.shard != Shard::Zero3) {
            continue;
        }
        // GPT-2's Conv1D is not among torch_autocast's modules; a table tied to the head is.
        const bool conv1d = scenario.model.family == "gpt2" && place.unit != program.rootUnit;
        use.cast = (use.cast && !conv1d) || (tiedHead && use.name == "tok_embeddings");
        parameters.push_back({.unit = place.unit,
                              .weight = place.weight,
                              .elements = partitionedElements(use),
                              .wireWidth = wireWidth(scenario, use),
                              .trained = use.trained,
                              .expert = use.expert});
    }
    std::stable_partition(parameters.begin(), parameters.end(), [](const ZeroParameter& parameter) {
        return !parameter.expert;
    });
    return parameters;
}

/// Frozen weights stay whole tensors of their own beside ZeRO-1's and -2's flat buffer.
std::vector<std::int64_t> frozenBytes(const Scenario& scenario, const StageProgram& program) {
    std::vector<std::int64_t> bytes;
    for (const Unit& unit : program.units) {
        for (const WeightUse& use : unit.weights) {
            if (!use.trained && !use.tied) {
                bytes.push_back(use.storedBytes(widthOf(scenario)));
            }
        }
    }
    return bytes;
}

/// FusedAdam steps one flat fp32 copy; torch's optimizers step a copy of each parameter.
MasterCopy masterCopy(const Settings& settings) {
    if (settings.precision.parameters == Dtype::Fp32) {
        return MasterCopy::None;
    }
    return settings.optimizer.kernel == OptimizerKernel::DeepSpeed ? MasterCopy::Flat
                                                                   : MasterCopy::PerParameter;
}

Made makePlain(const Scenario& scenario, Device& device, const StageProgram& program) {
    const PrecisionSettings& types = scenario.settings.precision;
    if (bytesPerElement(types.gradients) != bytesPerElement(types.parameters)) {
        return fail(Error::Code::Unsupported,
                    "settings.precision.gradients",
                    "DeepSpeed without ZeRO cannot sum gradients in another type than the model's",
                    "use shard zero1, zero2 or zero3");
    }
    if (scenario.layout.offload != Offload::None) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "DeepSpeed offloads under ZeRO only",
                    "use shard zero1, zero2 or zero3");
    }
    return std::make_unique<DeepSpeedEngine>(
        device,
        program.units,
        DeepSpeedOptions{.width = widthOf(scenario),
                         .master = masterCopy(scenario.settings),
                         .optimizer = scenario.settings.optimizer});
}

Made makePartitioned(const Scenario& scenario,
                     Device& device,
                     const StageProgram& program,
                     std::int64_t rank) {
    const Settings& settings = scenario.settings;
    const DeepSpeedSettings& zero = settings.deepspeed;
    const std::int64_t ranks = scenario.layout.replicas();
    const bool first = scenario.layout.shard == Shard::Zero1;
    const bool offload = offloadsOptimizer(scenario);
    if (first && !offload && settings.precision.parameters == Dtype::Bf16 &&
        settings.precision.gradients == Dtype::Fp32) {
        return std::make_unique<Bf16OptimizerEngine>(
            device,
            program.units,
            Bf16OptimizerOptions{.ranks = ranks, .optimizer = settings.optimizer});
    }
    return std::make_unique<ZeroPartitionEngine>(
        device,
        zeroParameters(scenario, program),
        ZeroPartitionOptions{
            .partitionGradients = !first,
            .width = widthOf(scenario),
            .sumWidth = bytesPerElement(settings.precision.gradients),
            .bucketElements = zero.reduceBucket,
            .overlap = zero.overlapComm,
            .contiguous = zero.contiguousGradients || offload,
            .reduceScatter = zero.reduceScatter,
            .offloadOptimizer = offload,
            .pinMemory = zero.pinMemory,
            .frozenBytes = frozenBytes(scenario, program),
            .cut = {.ranks = ranks, .rank = rank % ranks, .roundRobin = zero.roundRobin},
            .expertCut = {.ranks = ranks / scenario.layout.ep,
                          .rank = rank % ranks / scenario.layout.ep,
                          .roundRobin = zero.roundRobin},
            .optimizer = settings.optimizer});
}

/// Where each use of a weight finds its parameter; a tied head finds the embedding's.
std::map<std::pair<int, int>, std::size_t> parameterIndex(
    const std::vector<ZeroParameter>& parameters, const StageProgram& program) {
    std::map<std::pair<int, int>, std::size_t> indexOf;
    for (std::size_t index = 0; index < parameters.size(); ++index) {
        indexOf[{parameters[index].unit, parameters[index].weight}] = index;
    }
    for (const PlacedSegment& segment : program.segments) {
        const OpList& list = *segment.place.ops;
        for (std::size_t weight = 0; segment.place.tiedTo >= 0 && weight < list.weights.size();
             ++weight) {
            const auto table = indexOf.find({segment.place.unit, segment.place.tiedTo});
            if (list.weights[weight].tied && table != indexOf.end()) {
                const int use = segment.place.firstWeight + static_cast<int>(weight);
                indexOf[{segment.place.unit, use}] = table->second;
            }
        }
    }
    return indexOf;
}

Zero3Options zero3Options(const Scenario& scenario, const StageProgram& program) {
    const Settings& settings = scenario.settings;
    const DeepSpeedSettings& zero = settings.deepspeed;
    const Offload offload = scenario.layout.offload;
    return {.gather = {.ranks = scenario.layout.replicas(),
                       .expertRanks = scenario.layout.expertReplicas(),
                       .width = widthOf(scenario),
                       .limits = zero3Limits(zero),
                       .ownStream = zero.overlapComm,
                       .offload = offloadsParameters(scenario.layout.offload)},
            .sumWidth = bytesPerElement(settings.precision.gradients),
            .bucketElements = zero.reduceBucket,
            .subGroup = zero.subGroup,
            .contiguous = zero.contiguousGradients,
            .reduceScatter = zero.reduceScatter,
            .scaleBytes = program.scaleBytes(),
            .halfPrecision = settings.precision.parameters == Dtype::Fp16,
            .offloadOptimizer = offloadsOptimizer(scenario),
            .pinMemory = zero.pinMemory,
            .swap = {.optimizer = usesDrives(offload) && offloadsOptimizer(scenario),
                     .parameters = offload == Offload::ParametersNvme},
            .optimizer = settings.optimizer};
}

/// Walks one forward and backward to see the order of modules, as DeepSpeed's first steps do.
ModuleTrace recordTrace(const Scenario& scenario,
                        const StageProgram& program,
                        const std::vector<ZeroParameter>& parameters) {
    Device device;
    Zero3Engine engine(
        device, parameters, parameterIndex(parameters, program), zero3Options(scenario, program));
    engine.record();
    StepWalk walk(device, engine, program, scenario.settings.precision.autocast);
    PassBoundary boundary(device, program);
    walk.run({.actions = {{.forward = true}, {.forward = false}}}, boundary);
    return engine.recorded();
}

Made makeZero3(const Scenario& scenario, Device& device, const StageProgram& program) {
    if (scenario.layout.pp > 1) {
        return fail(Error::Code::Unsupported,
                    "layout.pp",
                    "DeepSpeed's pipeline engine runs without ZeRO-2 and ZeRO-3",
                    "use pp 1, or shard zero1");
    }
    const auto parameters = zeroParameters(scenario, program);
    auto engine = std::make_unique<Zero3Engine>(
        device, parameters, parameterIndex(parameters, program), zero3Options(scenario, program));
    engine->follow(recordTrace(scenario, program, parameters), scenario.microBatches() > 1);
    return engine;
}

}  // namespace

Made makeDeepSpeed(const Scenario& scenario,
                   Device& device,
                   const StageProgram& program,
                   std::int64_t rank) {
    if (scenario.layout.offload == Offload::Activations) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "memory of activations that DeepSpeed offloads is not modelled",
                    "use optimizer_cpu or parameters_cpu");
    }
    if (program.chunkedHead.chunks > 0) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.loss",
                    "DeepSpeed's gradients of a chunked loss are not modelled",
                    "another loss, or the stack fsdp2");
    }
    switch (scenario.layout.shard) {
        case Shard::None:
            return makePlain(scenario, device, program);
        case Shard::Zero1:
        case Shard::Zero2:
            return makePartitioned(scenario, device, program, rank);
        case Shard::Zero3:
            return makeZero3(scenario, device, program);
        default:
            break;
    }
    return fail(
        Error::Code::Unsupported, "layout.shard", "memory of this sharding is not modelled");
}

}  // namespace fabricast
