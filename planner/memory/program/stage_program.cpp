#include "planner/memory/program/stage_program.h"

#include "planner/memory/program/ordered_stages.h"
#include "planner/ops/attention_kernels.h"
#include "planner/ops/dense_layer.h"
#include "planner/ops/embedding_and_head.h"
#include "planner/ops/hf_code.h"
#include "planner/ops/layer_segment.h"
#include "planner/ops/megatron_vocab.h"
#include "planner/ops/native_attention.h"
#include "planner/ops/quantized_linear.h"
#include "planner/ops/rank_shape.h"
#include "planner/ops/trained_weights.h"
#include "planner/sharding/fsdp2_units.h"
#include "planner/spec/stage_split.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

constexpr std::int64_t kIdBytes = 8;  ///< token ids, labels and positions are int64

/// Builds segments one after another and files their weights under units.
class StageBuilder {
public:
    explicit StageBuilder(const Scenario& scenario) : scenario_(scenario) {}

    int newUnit() {
        program.units.emplace_back();
        return static_cast<int>(program.units.size()) - 1;
    }

    PlacedSegment& place(const OpList& list, int unit, SegmentRole role, std::string name) {
        Unit& mine = program.units[static_cast<std::size_t>(unit)];
        PlacedSegment segment;
        segment.place = {.ops = &list,
                         .unit = unit,
                         .firstWeight = static_cast<int>(mine.weights.size()),
                         .identity = static_cast<int>(program.segments.size())};
        segment.role = role;
        segment.name = std::move(name);
        for (const WeightUse& use : list.weights) {
            mine.weights.push_back(use);
            mine.weights.back().inLayer = role == SegmentRole::Layer;
        }
        program.segments.push_back(std::move(segment));
        return program.segments.back();
    }

    const OpList& own(OpList list) {
        program.lists.push_back(std::make_unique<OpList>(std::move(list)));
        return *program.lists.back();
    }

    StageProgram program;
    std::map<std::tuple<bool, bool, int>, const OpList*> layers;  ///< by their kind

private:
    const Scenario& scenario_;
};

/// What tells layers apart: dense from sparse, which mask their attention reads or whether it has
/// positions, and where part of
/// the model is frozen, those before the first trained one, that one, and those after it.
std::tuple<bool, bool, int> kindOf(const Scenario& scenario, std::int64_t layer) {
    const bool frozen = !scenario.settings.trainsAll();
    const std::int64_t first = firstTrainedLayer(scenario);
    const int place = !frozen || layer > first ? 2 : layer == first ? 1 : 0;
    const bool apart = ((writesAttention(scenario) || hfCodeOf(scenario).rotatesInWindows) &&
                        hasWindow(scenario.model, layer)) ||
                       masksWindow(scenario, layer);
    return {scenario.model.isSparse(layer), apart, place};
}

/// Layers of one kind share one op list, in whichever chunk they are.
Result<void> addLayers(StageBuilder& builder,
                       const Scenario& scenario,
                       std::int64_t first,
                       std::int64_t count) {
    const int whole = scenario.settings.torch.oneUnit ? builder.program.rootUnit : -1;
    const RecomputeSettings& recompute = scenario.settings.recompute;
    const std::int64_t checkpointed = first + checkpointedLayers(recompute, count);
    const bool together = recompute.kind == Checkpointing::Full && recompute.layers > 1;
    const std::int64_t span = together ? recompute.layers : 1;  // layers of a checkpoint
    for (std::int64_t layer = first; layer < first + count; ++layer) {
        const OpList*& list = builder.layers[kindOf(scenario, layer)];
        if (list == nullptr) {
            FABRICAST_ASSIGN(OpList ops, layerSegment(scenario, layer));
            list = &builder.own(std::move(ops));
        }
        const int unit = whole >= 0 ? whole : builder.newUnit();
        PlacedSegment& segment =
            builder.place(*list, unit, SegmentRole::Layer, "layer " + std::to_string(layer));
        segment.layer = layer;
        segment.opensUnit = whole < 0;
        segment.closesUnit = whole < 0;
        segment.checkpoint = layer < checkpointed ? recompute.kind : Checkpointing::None;
        segment.opensCheckpoint = (layer - first) % span == 0;
        segment.closesCheckpoint = (layer - first + 1) % span == 0 || layer + 1 == first + count;
        segment.reentrant = isMegatronCode(scenario);
    }
    return {};
}

void addEmbedding(StageBuilder& builder, const Scenario& scenario, int rootUnit) {
    const int unit = rootUnit >= 0 ? rootUnit : builder.newUnit();
    PlacedSegment& embedding = builder.place(
        builder.own(embeddingSegment(scenario)), unit, SegmentRole::Embedding, "embedding");
    embedding.opensUnit = rootUnit < 0;
    embedding.closesUnit = rootUnit < 0 && !sharesEnds(scenario);
}

/// The chunked head's weights belong to the unit of the final norm; its segments are not walked in
/// order but from the loss.
void addChunkedHead(StageBuilder& builder, const Scenario& scenario, int unit) {
    ChunkedHead& chunked = builder.program.chunkedHead;
    chunked.head =
        builder.place(builder.own(headChunkSegment(scenario)), unit, SegmentRole::Head, "").place;
    chunked.loss =
        builder.place(builder.own(lossChunkSegment(scenario)), unit, SegmentRole::Loss, "").place;
    builder.program.segments.resize(builder.program.segments.size() - 2);
    const RankShape shape = rankShape(scenario);
    const std::int64_t elements = shape.tokens * scenario.model.hidden;
    chunked.chunks = scenario.settings.kernels.lossChunks;
    chunked.accumulatorBytes = 4 * elements;
    chunked.gradientBytes = residualWidth(scenario.settings) * elements;
    chunked.copyBytes = shape.batch > 1 ? chunked.gradientBytes : 0;
}

void addHead(StageBuilder& builder, const Scenario& scenario, int rootUnit) {
    const bool own = wrapsEnds(scenario);
    int unit = rootUnit;
    if (own) {
        unit = sharesEnds(scenario) ? 0 : builder.newUnit();
        builder.program.headUnit = unit;
    }
    PlacedSegment& norm = builder.place(
        builder.own(finalNormSegment(scenario)), unit, SegmentRole::Norm, "final norm");
    norm.opensUnit = own && !sharesEnds(scenario);
    if (isMegatronCode(scenario) && scenario.model.mtpDepth > 0) {
        PlacedSegment& further = builder.place(builder.own(megatronPredictions(scenario)),
                                               unit,
                                               SegmentRole::Head,
                                               "multi-token prediction");
        // Its tables are the model's first, or, on a stage without one, the first of its own.
        further.place.tiedTo = scenario.layout.pp == 1 ? 0 : further.place.firstWeight;
        return;
    }
    if (scenario.settings.kernels.loss == LossKernel::Chunked) {
        norm.closesUnit = own;
        addChunkedHead(builder, scenario, unit);
        return;
    }
    PlacedSegment& head = builder.place(builder.own(headSegment(scenario)),
                                        unit,
                                        SegmentRole::Head,
                                        fusesLoss(scenario) ? "head with loss" : "head");
    head.closesUnit = own;
    if (sharesEnds(scenario)) {
        head.place.tiedTo = 0;  // the embedding was placed first
    }
    if (fusesLoss(scenario)) {
        const std::vector<WeightUse>& weights = head.place.ops->weights;
        builder.program.rootHead =
            weights.back().tied ? head.place.tiedTo
                                : head.place.firstWeight + static_cast<int>(weights.size()) - 1;
    } else {
        builder.place(builder.own(lossSegment(scenario)), unit, SegmentRole::Loss, "loss");
    }
}

/// Between steps: the batch, and the rotary angles: each model chunk's, or each layer's where its
/// attention is latent. Unfused attention has a mask.
void holdMegatronTensors(StageProgram& program, const Scenario& scenario) {
    constexpr std::int64_t kLossMaskBytes = 4;
    const RankShape shape = rankShape(scenario);
    const KernelSettings& kernels = scenario.settings.kernels;
    program.tablesPersist = true;
    program.inputBytes =
        shape.tokens * (kernels.positionIds ? 3 * kIdBytes + kLossMaskBytes : kIdBytes);
    if (kernels.attention == AttentionKernel::Unfused) {
        program.inputBytes += shape.sequence * shape.sequence;
    }
    if (scenario.model.position == PositionKind::Rope) {
        const AttentionSpec& attention = scenario.model.attention;
        const bool latent = attention.kind == AttentionKind::Latent;
        const std::int64_t dim = latent ? attention.qkRopeDim : attention.headDim;
        auto holders = static_cast<std::int64_t>(program.chunks.size());
        if (latent) {
            holders = std::count_if(
                program.segments.begin(), program.segments.end(), [](const PlacedSegment& segment) {
                    return segment.role == SegmentRole::Layer;
                });
            const bool last = program.chunks.back().sentBytes == 0;
            holders += last ? scenario.model.mtpDepth : 0;
        }
        program.bufferBytes = holders * 4 * (shape.sequence * dim + dim / 2);
    }
}

EmbeddingName embeddingName(const Scenario& scenario) {
    if (isMegatronCode(scenario)) {
        return EmbeddingName::ForForward;
    }
    return scenario.settings.kernels.code == ModelCode::HuggingFace ? EmbeddingName::ForLayers
                                                                    : EmbeddingName::None;
}

/// torchtitan's layers each hold a rotary table of their own (one complex number per position and
/// pair, or fp32 cosines and sines), and its expert layers a bias and a count per expert.
std::int64_t titanBufferBytes(const StageProgram& program, const Scenario& scenario) {
    const ModelSpec& model = scenario.model;
    const bool latent = model.attention.kind == AttentionKind::Latent;
    const bool pairs = scenario.settings.kernels.rope == RopeKernel::Complex || latent;
    const std::int64_t dim = latent ? model.attention.qkRopeDim : model.attention.headDim;
    std::int64_t bytes = 0;
    for (const PlacedSegment& segment : program.segments) {
        if (segment.role != SegmentRole::Layer) {
            continue;
        }
        bytes += (pairs ? 4 : 8) * scenario.workload.sequence * dim;
        const bool sparse = std::any_of(
            segment.place.ops->ops.begin(), segment.place.ops->ops.end(), [](const Op& op) {
                return op.kind == OpKind::GroupedGemm;
            });
        bytes += sparse ? 2 * 4 * model.moe->experts : 0;
    }
    return bytes;
}

}  // namespace

std::int64_t StageProgram::elements() const {
    std::int64_t sum = 0;
    for (const Unit& unit : units) {
        sum += unit.elements();
    }
    return sum;
}

std::int64_t StageProgram::scaleBytes() const {
    std::int64_t bytes = 0;
    for (const Unit& unit : units) {
        for (const WeightUse& use : unit.weights) {
            bytes += use.codeBytes > 0 ? use.packedBytes - use.codeBytes : 0;
        }
    }
    return bytes;
}

Result<StageProgram> stageProgram(const Scenario& scenario, std::int64_t stage) {
    StageBuilder builder(scenario);
    StageProgram& program = builder.program;
    FABRICAST_ASSIGN(const auto layers,
                     splitLayers(scenario.model.layers,
                                 {.stages = scenario.layout.pp,
                                  .chunks = scenario.layout.vpp,
                                  .pipeline = scenario.settings.pipeline}));
    const std::int64_t tokens =
        scenario.layout.microBatch * scenario.workload.sequence / scenario.layout.cp;
    const int root = wrapsEnds(scenario) ? -1 : builder.newUnit();
    program.rootUnit = root;
    program.tables = sharedTableBytes(scenario);
    const std::int64_t boundary = rankShape(scenario).localTokens * scenario.model.hidden *
                                  bytesPerElement(scenario.settings.precision.compute);
    const auto stages = static_cast<std::int64_t>(layers.size());
    std::int64_t first = 0;
    for (std::int64_t i = 0; i < stages; ++i) {
        const std::int64_t count = layers[static_cast<std::size_t>(i)];
        if (isOnRank(scenario.layout, i, stage)) {
            StageChunk chunk{.begin = program.segments.size()};
            if (i == 0) {
                addEmbedding(builder, scenario, root);
            }
            FABRICAST_TRY(addLayers(builder, scenario, first, count));
            if (i + 1 == stages) {
                addHead(builder, scenario, root);
            }
            chunk.end = program.segments.size();
            chunk.receivedBytes = i == 0 ? 0 : boundary;
            chunk.sentBytes = i + 1 == stages ? 0 : boundary;
            program.chunks.push_back(chunk);
        }
        first += count;
    }
    const KernelSettings& kernels = scenario.settings.kernels;
    program.inputBytes = 2 * kIdBytes * tokens;
    program.embeddingName = embeddingName(scenario);
    program.positionBytes = kernels.positionIds ? kIdBytes * tokens : 0;
    program.lossInsideForward = kernels.code == ModelCode::HuggingFace || isMegatronCode(scenario);
    if (isMegatronCode(scenario)) {
        holdMegatronTensors(program, scenario);
    }
    const bool transformers = kernels.code == ModelCode::HuggingFace;
    // PEFT's two call the model's forward, not the model.
    const bool adapted = scenario.settings.tuning == Tuning::Lora;
    program.wrappers = !transformers ? 1 : adapted ? 4 : 2;
    program.rotaryModule = transformers && scenario.model.position == PositionKind::Rope;
    if (program.rotaryModule) {
        const AttentionSpec& attention = scenario.model.attention;
        const std::int64_t rotated = attention.kind == AttentionKind::Latent
                                         ? attention.qkRopeDim
                                         : attention.headDim / hfCodeOf(scenario).rotaryShare;
        program.bufferBytes = 4 * rotated;  // two copies of 1/frequency
    }
    if (transformers && scenario.model.moe && scenario.model.moe->correctionBias) {
        program.bufferBytes +=
            4 * scenario.model.moe->experts * std::ranges::count(scenario.model.sparse, true);
    }
    if (scenario.settings.tuning == Tuning::Lora) {
        program.bufferBytes += sharedTableBytes(scenario.settings.lora);
    }
    if (kernels.code == ModelCode::TorchTitan) {
        program.bufferBytes = titanBufferBytes(program, scenario);
        program.tablesPersist = true;
    }
    // DeepSpeed's pipeline engine has them among its buffers.
    const bool deepspeed = scenario.settings.engine == Engine::DeepSpeed;
    program.keepsLogits =
        scenario.layout.pp > 1 && (kernels.code == ModelCode::TorchTitan || deepspeed);
    return std::move(program);
}

}  // namespace fabricast
