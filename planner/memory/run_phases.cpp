#include "planner/memory/run_phases.h"

#include "planner/base/integers.h"
#include "planner/memory/walk/step_walk.h"
#include "planner/sharding/fsdp2_units.h"
#include "planner/spec/dtype.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace fabricast {

namespace {

constexpr const char* kWhole = "whole weights";
constexpr const char* kSaved = "weights gathered for a checkpoint";

bool isFsdp(const Scenario& scenario) {
    const Engine engine = scenario.settings.engine;
    return engine == Engine::Fsdp1 || engine == Engine::Fsdp2;
}

std::int64_t shardRanks(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    return layout.shardSize > 0 ? layout.shardSize : layout.replicas();
}

std::int64_t storedBytes(const Scenario& scenario, const WeightUse& use) {
    return use.storedBytes(bytesPerElement(scenario.settings.precision.parameters));
}

/// Codes of a quantised base are cut in the order that they lie in.
std::int64_t shardBytes(const Scenario& scenario, const WeightUse& use) {
    if (use.packedBytes > 0) {
        return ceilDivide(use.packedBytes, shardRanks(scenario));
    }
    const std::int64_t columns = std::max<std::int64_t>(1, use.columns);
    const std::int64_t elements =
        fsdpShard({.rows = use.elements / columns, .columns = columns}, shardRanks(scenario));
    return storedBytes(scenario, use) / use.elements * elements;
}

void releaseAll(Device& device, std::vector<Storage>& storages) {
    for (const Storage storage : storages) {
        device.release(storage);
    }
    storages.clear();
}

std::int64_t unitBytes(const Scenario& scenario, const Unit& unit) {
    std::int64_t bytes = 0;
    for (const WeightUse& use : unit.weights) {
        bytes += use.tied ? 0 : storedBytes(scenario, use);
    }
    return bytes;
}

/// The logits of all ranks, as Accelerate's `gather` has them; autocast's outputs are fp32.
KeptLogits keptLogits(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    const std::int64_t elements =
        settings.phases.evaluationBatch * scenario.workload.sequence * scenario.model.vocab;
    const std::int64_t width =
        bytesPerElement(settings.precision.autocast ? Dtype::Fp32 : settings.precision.compute);
    return {.batches = settings.phases.keptLogits,
            .bytes = elements * width * scenario.layout.replicas(),
            .widened = settings.precision.autocast ? elements * width : 0,
            .held = settings.kernels.code == ModelCode::TorchTitan};
}

}  // namespace

RunPhases::RunPhases(const Scenario& scenario, Device& device)
    : scenario_(scenario),
      device_(device),
      isAny_(loads() || evaluates() ||
             scenario.settings.phases.checkpoint != SavedWeights::Sharded) {
    if (isAny_) {
        device_.mark();
    }
}

bool RunPhases::loads() const {
    return scenario_.settings.phases.loading != Loading::Meta && isFsdp(scenario_);
}

bool RunPhases::evaluates() const {
    return scenario_.settings.phases.evaluationBatch > 0;
}

/// fully_shard and FSDP1's wrapping go through the layers, and then to the root.
std::vector<const Unit*> RunPhases::inOrder(const StageProgram& program) const {
    std::vector<const Unit*> units;
    for (std::size_t i = 0; i < program.units.size(); ++i) {
        if (static_cast<int>(i) != program.rootUnit) {
            units.push_back(&program.units[i]);
        }
    }
    if (program.rootUnit >= 0) {
        units.push_back(&program.units[static_cast<std::size_t>(program.rootUnit)]);
    }
    return units;
}

/// The shards of a unit are there before its weights go. FSDP1 joins these to one first.
void RunPhases::loadUnit(const Unit& unit,
                         std::vector<Storage>& wholes,
                         std::vector<Storage>& shards) {
    const auto take = [this](std::int64_t bytes) {
        return device_.take(bytes, MemoryKind::Weights, 0, kWhole);
    };
    const bool isFlat = scenario_.settings.engine == Engine::Fsdp1;
    const Storage flat = take(isFlat ? unitBytes(scenario_, unit) : 0);
    for (const WeightUse& use : unit.weights) {
        if (!use.tied) {
            shards.push_back(take(shardBytes(scenario_, use)));
        }
    }
    device_.release(flat);
    releaseAll(device_, wholes);
}

void RunPhases::load(const StageProgram& program) {
    if (!loads()) {
        return;
    }
    device_.at("loading");
    const std::vector<const Unit*> units = inOrder(program);
    std::vector<std::vector<Storage>> wholes(units.size());
    std::vector<Storage> shards;
    const auto bring = [&](std::size_t unit) {
        for (const WeightUse& use : units[unit]->weights) {
            if (!use.tied) {
                wholes[unit].push_back(
                    device_.take(storedBytes(scenario_, use), MemoryKind::Weights, 0, kWhole));
            }
        }
    };
    const bool isWhole = scenario_.settings.phases.loading == Loading::Gpu;
    for (std::size_t unit = 0; isWhole && unit < units.size(); ++unit) {
        bring(unit);
    }
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (!isWhole) {
            bring(unit);
        }
        loadUnit(*units[unit], wholes[unit], shards);
        if (offloadsParameters(scenario_.layout.offload)) {
            releaseAll(device_, shards);
        }
    }
    releaseAll(device_, shards);
    end("loading");
}

void RunPhases::end(std::string_view name) {
    if (isAny_) {
        peaks_.push_back({name, device_.sinceMark().total(), device_.markMoment()});
        device_.mark();
    }
}

void RunPhases::evaluate(const StageProgram& program, ParallelEngine& engine) {
    StepWalk walk(device_, engine, program, scenario_.settings.precision.autocast);
    walk.evaluate(keptLogits(scenario_));
    end("evaluation");
}

/// Whole weights: FSDP2 gathers parameter by parameter. FSDP1 gathers unit by unit: the root around
/// all others, to be copied last; on the way to the host it is gone before the next is gathered.
void RunPhases::save(const StageProgram& program, ParallelEngine& engine) {
    const SavedWeights saved = scenario_.settings.phases.checkpoint;
    if (saved == SavedWeights::Sharded || !isFsdp(scenario_)) {
        return;
    }
    device_.at("checkpoint");
    engine.beginSaving();
    const bool isFlat = scenario_.settings.engine == Engine::Fsdp1;
    const bool staysOnDevice = saved == SavedWeights::Full;
    const auto take = [this](std::int64_t bytes) {
        return device_.take(bytes, MemoryKind::Gathered, 0, kSaved);
    };
    std::vector<Storage> around;
    std::vector<Storage> kept;
    const std::vector<const Unit*> units = inOrder(program);
    const Unit* const root = program.rootUnit >= 0 ? units.back() : nullptr;
    if (isFlat && root != nullptr) {
        around.push_back(take(unitBytes(scenario_, *root)));
    }
    if (!staysOnDevice) {
        releaseAll(device_, around);
    }
    for (const Unit* const unit : units) {
        const Storage flat = take(isFlat && unit != root ? unitBytes(scenario_, *unit) : 0);
        for (const WeightUse& use : unit->weights) {
            const bool isCopied = !use.tied && (!isFlat || staysOnDevice);
            kept.push_back(take(isCopied ? storedBytes(scenario_, use) : 0));
            if (!staysOnDevice) {
                releaseAll(device_, kept);
            }
        }
        device_.release(flat);
    }
    releaseAll(device_, around);
    releaseAll(device_, kept);
    end("checkpoint");
}

/// Liger's fused loss makes no logits in training; a model in evaluation mode makes all of them,
/// and transformers' loss follows (liger_kernel 0.8.5, transformers/model/*: skip_logits).
Scenario evaluatedScenario(const Scenario& scenario) {
    Scenario evaluated = scenario;
    evaluated.layout.microBatch = scenario.settings.phases.evaluationBatch;
    evaluated.workload.globalBatch = evaluated.layout.microBatch * scenario.layout.replicas();
    evaluated.settings.kernels.dropout = 0.0;
    evaluated.settings.lora.dropout = 0.0;
    if (evaluated.settings.kernels.loss == LossKernel::Liger) {
        evaluated.settings.kernels.loss = LossKernel::HuggingFace;
    }
    return evaluated;
}

}  // namespace fabricast
