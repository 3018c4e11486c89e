#include "planner/memory/engines/megatron/megatron_states.h"

#include "planner/ops/engine_quantization.h"
#include "planner/sharding/megatron_buffers.h"

#include <algorithm>
#include <set>

namespace fabricast {

namespace {

/// Parameters of one model chunk in the order of their modules, dense or expert ones.
std::vector<WeightUse> parametersOf(const StageProgram& program,
                                    const StageChunk& chunk,
                                    bool experts) {
    std::vector<WeightUse> list;
    for (std::size_t i = chunk.begin; i < chunk.end; ++i) {
        const PlacedSegment& segment = program.segments[i];
        for (const WeightUse& weight : segment.place.ops->weights) {
            if (weight.expert == experts && !weight.tied) {
                list.push_back(weight);
                list.back().inLayer = segment.role == SegmentRole::Layer;
            }
        }
    }
    return list;
}

/// The matrices of layers are multiplied in fewer bits, or none is.
bool isQuantized(const Settings& settings, const WeightUse& use) {
    return use.inLayer && use.isMatrix && isQuantizedByEngine(settings, use.name);
}

/// Bytes that a parameter is stored in: fp8 is for those whose products are formed in it.
std::int64_t storedBytes(const Settings& settings, const WeightUse& use) {
    const bool isNarrow = settings.precision.parameters == Dtype::Fp8;
    return use.elements * (isNarrow && !isQuantized(settings, use)
                               ? bytesPerElement(settings.precision.compute)
                               : bytesPerElement(settings.precision.parameters));
}

/// Bytes of one gradient copy that Transformer Engine returns in place of each weight gradient:
/// one for every distinct shape.
std::int64_t dummyGradients(const StageProgram& program) {
    std::set<std::int64_t> shapes;
    for (const Unit& unit : program.units) {
        for (const WeightUse& weight : unit.weights) {
            if (weight.trained && weight.addedInGemm && weight.isMatrix) {
                shapes.insert(weight.elements);
            }
        }
    }
    std::int64_t elements = 0;
    for (const std::int64_t shape : shapes) {
        elements += shape;
    }
    return elements;
}

struct Widths {
    std::int64_t parameter = 2;
    std::int64_t gradient = 4;
    std::int64_t main = 4;
    std::int64_t moments = 4;  ///< each of them
    bool copiesGradients = false;
};

/// The precision-aware optimizer reads gradients in their own type; the others copy them to fp32.
Widths widthsOf(const PrecisionSettings& precision) {
    Widths widths;
    widths.parameter = bytesPerElement(precision.parameters);
    widths.gradient = bytesPerElement(precision.gradients);
    widths.moments = bytesPerElement(precision.moments);
    widths.main = precision.masterWeights ? (precision.masterRemainder ? 2 : 4) : 0;
    const bool aware = precision.masterRemainder || precision.moments != Dtype::Fp32;
    widths.copiesGradients = precision.masterWeights && widths.gradient < 4 && !aware;
    return widths;
}

/// torch.optim's foreach AdamW makes one fp32 tensor per element of a parameter group; clipping
/// without apex makes one of the largest piece.
std::int64_t stepTemps(const Scenario& scenario, const std::vector<BufferedWeight>& pieces) {
    if (scenario.settings.optimizer.kernel != OptimizerKernel::Foreach) {
        return 0;
    }
    std::int64_t matrices = 0;
    std::int64_t vectors = 0;
    for (const BufferedWeight& piece : pieces) {
        (piece.isMatrix ? matrices : vectors) += piece.elements;
    }
    return 4 * std::max(matrices, vectors);
}

/// Muon takes the matrices inside layers and leaves the rest to Adam.
std::size_t momentsOf(OptimizerKind optimizer, const BufferedWeight& piece) {
    switch (optimizer) {
        case OptimizerKind::Sgd:
            return 0;
        case OptimizerKind::SgdMomentum:
        case OptimizerKind::Lion:
            return 1;
        case OptimizerKind::Muon:
            return piece.isMatrix && piece.inLayer ? 1 : 2;
        default:
            return 2;
    }
}

/// HybridDeviceOptimizer takes whole tensors, one after another in the order of its groups, until
/// the fraction of all elements is reached: matrices, whose weights decay, are the first group.
/// Gives back those that stay.
std::vector<BufferedWeight> splitOff(std::vector<BufferedWeight>& pieces, double fraction) {
    std::ranges::stable_partition(pieces, &BufferedWeight::isMatrix);
    std::int64_t all = 0;
    for (const BufferedWeight& piece : pieces) {
        all += piece.elements;
    }
    const double threshold = static_cast<double>(all) * fraction;
    std::int64_t moved = 0;
    const auto stay = std::ranges::find_if(pieces, [&](const BufferedWeight& piece) {
        const bool moves = static_cast<double>(moved) < threshold;
        moved += piece.elements;
        return !moves;
    });
    std::vector<BufferedWeight> kept(stay, pieces.end());
    pieces.erase(stay, pieces.end());
    return kept;
}

/// HybridDeviceOptimizer, which Megatron runs with --use-precision-aware-optimizer only
/// (optimizer/cpu_offloading of Megatron-Core 0.16.1). Of a piece that is offloaded an fp32 copy, a
/// gradient of the same type and the moments are CPU tensors; of one that stays copy and moments
/// are fp32 on the device, whatever types are asked for, and a narrower gradient is copied, too.
void addOffloaded(std::vector<BufferedWeight> pieces,
                  const Scenario& scenario,
                  MegatronStates& states) {
    constexpr int kTensors = 4;
    constexpr std::int64_t kFp32 = 4;
    const bool copies = bytesPerElement(scenario.settings.precision.gradients) < kFp32;
    const auto kept = splitOff(pieces, scenario.settings.megatron.offloadFraction);
    for (const BufferedWeight& piece : pieces) {
        states.offloaded.insert(states.offloaded.end(), kTensors, kFp32 * piece.elements);
    }
    for (const BufferedWeight& piece : kept) {
        states.mainParameters.push_back(kFp32 * piece.elements);
        states.moments.insert(states.moments.end(), copies ? 3 : 2, kFp32 * piece.elements);
    }
}

/// The optimizer is made of whole parameters first, and anew of the rank's pieces behind that.
void addFirstCopies(std::vector<BufferedWeight> weights,
                    const Scenario& scenario,
                    MegatronStates& states) {
    for (const BufferedWeight& one :
         splitOff(weights, scenario.settings.megatron.offloadFraction)) {
        states.firstCopies.push_back(4 * one.elements);
    }
}

/// The states of one kind of parameters, dense or expert, over all model chunks.
void addStates(const StageShape& stage,
               const StageProgram& program,
               const StageRank& where,
               bool experts,
               MegatronStates& states) {
    const Scenario& scenario = *stage.scenario;
    const Widths widths = widthsOf(scenario.settings.precision);
    std::vector<BufferedWeight> pieces;
    std::vector<BufferedWeight> all;
    for (std::size_t chunk = 0; chunk < program.chunks.size(); ++chunk) {
        const ChunkView& view = stage.chunks[chunk];
        const BucketRules rules = bucketRules(stage, view, experts);
        std::vector<BufferedWeight> weights;
        std::int64_t wider = 0;  // bytes of parameters that are not stored in fp8
        for (const WeightUse& use : parametersOf(program, program.chunks[chunk], experts)) {
            if (!use.trained) {
                states.frozen.push_back(use.elements * use.widthOr(widths.parameter));
                continue;
            }
            weights.push_back(
                {.elements = use.elements, .isMatrix = use.isMatrix, .inLayer = use.inLayer});
            states.parameters.push_back(storedBytes(scenario.settings, use));
            wider += states.parameters.back() - use.elements * widths.parameter;
            if (isQuantized(scenario.settings, use)) {
                states.quantized += quantizedCopies(scenario, use.elements);
            }
        }
        const MegatronBuffer buffer(weights, rules);
        const std::int64_t rank = experts ? where.expertRank : where.rank;
        const std::vector<BufferedWeight> mine = buffer.piecesOf(rank % rules.ranks);
        if (rules.distributed) {
            states.parameterBuffers.push_back(buffer.elements() * widths.parameter + wider);
        }
        states.gradientBuffers.push_back(buffer.elements() * widths.gradient);
        pieces.insert(pieces.end(), mine.begin(), mine.end());
        all.insert(all.end(), weights.begin(), weights.end());
    }
    if (scenario.layout.offload == Offload::OptimizerCpu) {
        addFirstCopies(std::move(all), scenario, states);
        addOffloaded(std::move(pieces), scenario, states);
        return;
    }
    for (const BufferedWeight& piece : pieces) {
        states.mainParameters.push_back(piece.elements * widths.main);
        states.moments.insert(states.moments.end(),
                              momentsOf(scenario.settings.optimizer.kind, piece),
                              piece.elements * widths.moments);
        states.gradientCopies += widths.copiesGradients ? 4 * piece.elements : 0;
    }
    states.stepTemps = std::max(states.stepTemps, stepTemps(scenario, pieces));
}

}  // namespace

MegatronStates megatronStates(const StageShape& stage,
                              const StageProgram& program,
                              const StageRank& where) {
    const Scenario& scenario = *stage.scenario;
    MegatronStates states;
    states.gradientWidth = bytesPerElement(scenario.settings.precision.parameters);
    for (const bool experts : {false, true}) {
        addStates(stage, program, where, experts, states);
    }
    for (const auto& list : program.lists) {
        states.scratch = std::max(states.scratch, list->scratchBytes);
    }
    if (scenario.settings.kernels.code == ModelCode::TransformerEngine) {
        states.scratch += states.gradientWidth * dummyGradients(program);
    }
    return states;
}

}  // namespace fabricast
