#include "planner/memory/engines/megatron/megatron_states.h"
#include "planner/memory/engines/torch/ddp_engine.h"
#include "planner/memory/engines/torch/fsdp1_engine.h"
#include "planner/memory/engines/torch/fsdp2_engine.h"
#include "planner/memory/engines/torch/local_engine.h"
#include "planner/memory/make_engines.h"
#include "planner/sharding/fsdp2_units.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fabricast {

namespace {

bool syncsEachMicroStep(const Settings& settings) {
    return settings.torch.sync == GradientSync::EachMicroBatch;
}

/// The weights that a lookup reads are those of nn.Embedding, by unit and weight.
std::set<std::pair<int, int>> tableWeights(const StageProgram& program) {
    std::set<std::pair<int, int>> tables;
    for (const PlacedSegment& segment : program.segments) {
        for (const Op& op : segment.place.ops->ops) {
            if (op.kind != OpKind::Lookup) {
                continue;
            }
            for (const int weight : op.weights) {
                tables.emplace(segment.place.unit, segment.place.firstWeight + weight);
            }
        }
    }
    return tables;
}

void addTensor(std::vector<StepTensor>& all,
               const WeightUse& use,
               bool isTable,
               std::int64_t width) {
    for (StepTensor tensor : parameterTensors({{.weights = {use}}}, width)) {
        tensor.isTable = isTable;
        all.push_back(tensor);
    }
}

/// Trained tensors unit by unit.
std::vector<StepTensor> tensorsByUnit(const StageProgram& program, std::int64_t width) {
    const auto tables = tableWeights(program);
    std::vector<StepTensor> all;
    for (std::size_t unit = 0; unit < program.units.size(); ++unit) {
        const std::vector<WeightUse>& weights = program.units[unit].weights;
        for (std::size_t weight = 0; weight < weights.size(); ++weight) {
            const std::pair place{static_cast<int>(unit), static_cast<int>(weight)};
            addTensor(all, weights[weight], tables.contains(place), width);
        }
    }
    return all;
}

/// Trained tensors in the model's order. Trainers that do not decay norms and biases step them as a
/// second group.
std::vector<std::vector<StepTensor>> optimizerGroups(const StageProgram& program,
                                                     const Settings& settings,
                                                     std::int64_t width) {
    const auto tables = tableWeights(program);
    std::vector<StepTensor> all;
    for (const PlacedSegment& segment : program.segments) {
        const SegmentPlace& place = segment.place;
        const Unit& unit = program.units[static_cast<std::size_t>(place.unit)];
        const int end = place.firstWeight + static_cast<int>(place.ops->weights.size());
        for (int weight = place.firstWeight; weight < end; ++weight) {
            const WeightUse& use = unit.weights[static_cast<std::size_t>(weight)];
            addTensor(all, use, tables.contains({place.unit, weight}), width);
        }
    }
    if (!settings.optimizer.decayGroups) {
        return {all};
    }
    const auto vectors =
        std::stable_partition(all.begin(), all.end(), [](const StepTensor& tensor) {
            return tensor.columns > 0 || tensor.stack > 0;
        });
    return {{all.begin(), vectors}, {vectors, all.end()}};
}

LocalOptions localOptions(const Scenario& scenario, const StageProgram& program) {
    const Settings& settings = scenario.settings;
    const std::int64_t width = bytesPerElement(settings.precision.parameters);
    return {.width = width,
            .setToNone = settings.torch.setToNone,
            .optimizer = settings.optimizer,
            .groups = optimizerGroups(program, settings, width)};
}

DdpOptions ddpOptions(const Scenario& scenario, const StageProgram& program) {
    const Settings& settings = scenario.settings;
    const std::int64_t width = bytesPerElement(settings.precision.parameters);
    return {.width = width,
            .gradientIsView = settings.torch.bucketView,
            .syncEachMicroStep = syncsEachMicroStep(settings),
            .setToNone = settings.torch.setToNone,
            .optimizer = settings.optimizer,
            .tensors = tensorsByUnit(program, width)};
}

Result<std::unique_ptr<ParallelEngine>> makeFsdp1(const StageShape& stage,
                                                  Device& device,
                                                  const StageProgram& program,
                                                  std::int64_t rank) {
    const Scenario& scenario = *stage.scenario;
    const Settings& settings = scenario.settings;
    const Offload offload = scenario.layout.offload;
    if (offload != Offload::None && offload != Offload::ParametersCpu) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "FSDP1 offloads parameters together with everything else, or nothing",
                    "use offload parameters_cpu");
    }
    Fsdp1Options options;
    options.shards = stage.shards;
    options.rank = rank % options.shards;
    options.storedWidth = bytesPerElement(settings.precision.parameters);
    options.computeWidth = bytesPerElement(settings.precision.compute);
    options.reduceWidth = bytesPerElement(settings.precision.reduce);
    options.reshardAfterForward = !settings.torch.shardGradOp;
    options.originalParameters = settings.torch.useOrigParams;
    options.backwardPrefetch = settings.torch.backwardPrefetch;
    options.forwardPrefetch = settings.torch.forwardPrefetch;
    options.syncEachMicroStep = syncsEachMicroStep(settings);
    options.setToNone = settings.torch.setToNone;
    options.offload = offload == Offload::ParametersCpu;
    options.wrapsTrained = settings.tuning == Tuning::Lora;
    options.scaleBytes = program.scaleBytes();
    options.rootUnit = program.rootUnit;
    options.optimizer = settings.optimizer;
    return std::make_unique<Fsdp1Engine>(device, program.units, options);
}

Fsdp2Options fsdp2Options(const StageShape& stage, const StageProgram& program) {
    const Scenario& scenario = *stage.scenario;
    const Settings& settings = scenario.settings;
    const Layout& layout = scenario.layout;
    const bool pipelined = layout.pp > 1;
    Fsdp2Options options;
    options.shards = stage.shards;
    options.expertShards = stage.expertShards;
    options.cutsExpertRows = cutsExpertRows(stage);
    options.tiesOneParameter = tiesOneParameter(scenario);
    options.storedWidth = bytesPerElement(settings.precision.parameters);
    options.computeWidth = bytesPerElement(settings.precision.compute);
    options.reduceWidth = bytesPerElement(settings.precision.reduce);
    options.masterWidth = settings.precision.masterWeights ? bytesPerElement(Dtype::Fp32) : 0;
    options.syncEachMicroStep = syncsEachMicroStep(settings);
    options.reduceAtEnd = pipelined;
    options.rootUnit = program.rootUnit;
    const Reshard reshard = settings.torch.reshard;
    // The root is freed: the recorded steps ask for reshard_after_forward=True by name.
    const int last = settings.torch.oneUnit ? program.rootUnit : program.headUnit;
    options.keptUnit = fsdpKeeps(scenario).last ? last : -1;
    options.reshardAfterForward =
        reshard == Reshard::Always || (reshard == Reshard::Default && !pipelined);
    options.reshardAfterBackward = !pipelined;
    options.offload = layout.offload == Offload::ParametersCpu;
    options.optimizer = settings.optimizer;
    return options;
}

/// FSDP2, and Megatron-FSDP with everything sharded: bf16 shards beside fp32 masters, gathered per
/// layer. Its other sharding strategies keep whole buffers that are not modelled.
Result<std::unique_ptr<ParallelEngine>> makeFsdp2(const StageShape& stage,
                                                  Device& device,
                                                  const StageProgram& program) {
    const Scenario& scenario = *stage.scenario;
    const Layout& layout = scenario.layout;
    const bool torch = scenario.settings.engine == Engine::Fsdp2;
    if (layout.offload != Offload::None && layout.offload != Offload::Activations &&
        !(layout.offload == Offload::ParametersCpu && torch)) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "FSDP2 offloads parameters together with everything else, or nothing",
                    "use offload parameters_cpu");
    }
    const bool megatron = scenario.settings.engine == Engine::MegatronFsdp;
    if (megatron && layout.shard != Shard::Fsdp && layout.shard != Shard::Zero3 &&
        layout.shard != Shard::Hsdp) {
        return fail(Error::Code::Unsupported,
                    "layout.shard",
                    "memory of Megatron-FSDP is modelled for optim_grads_params only",
                    "use shard=fsdp, or the stack megatron");
    }
    return std::make_unique<Fsdp2Engine>(device, program.units, fsdp2Options(stage, program));
}

Result<void> checkMegatronOffload(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    if (offload != Offload::OptimizerCpu) {
        return {};
    }
    const bool distributed = scenario.settings.megatron.distributedOptimizer;
    if (!distributed || scenario.settings.optimizer.kind != OptimizerKind::AdamW) {
        return fail(Error::Code::BadInput,
                    distributed ? "settings.optimizer.kind" : "layout.shard",
                    distributed ? "--use-precision-aware-optimizer only supported with adam"
                                : "--use-precision-aware-optimizer only supported with distributed "
                                  "optimizer",
                    distributed ? "--optimizer adamw" : "shard=zero1");
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<ParallelEngine>> makeEngine(const Scenario& scenario,
                                                   Device& device,
                                                   const StageProgram& program,
                                                   const StageRank& where) {
    FABRICAST_ASSIGN(const StageShape stage, stageShape(scenario, where.stage));
    if (stage.shardsContext) {  // torchtitan, whatever the data ranks do
        return makeFsdp2(stage, device, program);
    }
    switch (scenario.settings.engine) {
        case Engine::Local:
            return std::make_unique<LocalEngine>(
                device, program.units, localOptions(scenario, program));
        case Engine::Ddp:
            return std::make_unique<DdpEngine>(
                device, program.units, ddpOptions(scenario, program));
        case Engine::DeepSpeed:
            return makeDeepSpeed(scenario, device, program, where.rank);
        case Engine::Fsdp1:
            return makeFsdp1(stage, device, program, where.rank);
        case Engine::Fsdp2:
        case Engine::MegatronFsdp:
            return makeFsdp2(stage, device, program);
        case Engine::Megatron:
            FABRICAST_TRY(checkMegatronOffload(scenario));
            if (stage.chunks.size() != program.chunks.size()) {
                return fail(Error::Code::Unsupported,
                            "layout.schedule",
                            "memory of Megatron's buffers in a pipeline of two directions is not "
                            "modelled",
                            "use 1f1b or interleaved");
            }
            return std::make_unique<MegatronEngine>(device, megatronStates(stage, program, where));
        default:
            break;
    }
    return fail(Error::Code::Unsupported, "stack", "memory of this engine is not modelled");
}

}  // namespace fabricast
