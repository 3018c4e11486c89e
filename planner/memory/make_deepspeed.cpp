#include "planner/memory/make_deepspeed.h"

#include "planner/memory/bf16_optimizer_engine.h"
#include "planner/memory/deepspeed_engine.h"
#include "planner/memory/registered_weights.h"
#include "planner/memory/zero_partition_engine.h"

namespace fabricast {

namespace {

using Made = Result<std::unique_ptr<ParallelEngine>>;

bool offloadsOptimizer(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    return (offload == Offload::OptimizerCpu || offload == Offload::ParametersCpu) &&
           !scenario.settings.deepspeed.optimizerStaysOnDevice;
}

std::int64_t widthOf(const Scenario& scenario) {
    return bytesPerElement(scenario.settings.precision.parameters);
}

/// Gradients travel in the model's type, fp32 under Ulysses; torch_autocast sends those of linear
/// layers in its own.
std::int64_t wireWidth(const Scenario& scenario, const WeightUse& use) {
    constexpr std::int64_t kFp32 = 4;
    if (scenario.layout.cp > 1) {
        return kFp32;
    }
    const PrecisionSettings& types = scenario.settings.precision;
    return types.autocast && use.cast ? bytesPerElement(types.compute)
                                      : bytesPerElement(types.parameters);
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
        if (!use.trained) {
            continue;
        }
        // GPT-2's Conv1D is not among torch_autocast's modules; a table tied to the head is.
        const bool conv1d = scenario.model.family == "gpt2" && place.unit != program.rootUnit;
        use.cast = (use.cast && !conv1d) || (tiedHead && use.name == "tok_embeddings");
        parameters.push_back({.unit = place.unit,
                              .weight = place.weight,
                              .elements = use.elements,
                              .wireWidth = wireWidth(scenario, use)});
    }
    return parameters;
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
            .cut = {.ranks = ranks, .rank = rank % ranks, .roundRobin = zero.roundRobin},
            .optimizer = settings.optimizer});
}

}  // namespace

Made makeDeepSpeed(const Scenario& scenario,
                   Device& device,
                   const StageProgram& program,
                   std::int64_t rank) {
    switch (scenario.layout.offload) {
        case Offload::OptimizerNvme:
        case Offload::ParametersNvme:
        case Offload::Activations:
            return fail(Error::Code::Unsupported,
                        "layout.offload",
                        "memory of this kind of offload is not modelled for DeepSpeed",
                        "use optimizer_cpu or parameters_cpu");
        default:
            break;
    }
    switch (scenario.layout.shard) {
        case Shard::None:
            return makePlain(scenario, device, program);
        case Shard::Zero1:
        case Shard::Zero2:
            return makePartitioned(scenario, device, program, rank);
        default:
            break;
    }
    return fail(
        Error::Code::Unsupported, "layout.shard", "memory of this sharding is not modelled");
}

}  // namespace fabricast
