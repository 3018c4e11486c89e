#include "planner/sharding/megatron_buffers.h"

#include "planner/base/integers.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

using Tensors = std::vector<RankTensor>;

/// Parameters start at multiples of this many elements (128 bytes of a two-byte type), buckets end
/// at multiples of these.
constexpr std::int64_t kParameterStart = 64;
constexpr std::int64_t kBucketEnd = 128;
constexpr std::int64_t kWideBucketEnd = std::int64_t{1} << 16;
/// With overlapped reduction, buckets close at this many elements, or a million per rank.
constexpr std::int64_t kLeastBucket = 40'000'000;
constexpr std::int64_t kBucketPerRank = 1'000'000;

void addTrained(std::vector<BufferedWeight>& list, const RankTensor& tensor, bool shared = false) {
    if (tensor.trained) {
        list.push_back(
            {.elements = tensor.elements(), .isMatrix = !tensor.vector, .shared = shared});
    }
}

/// Attention registers its output projection first, then the input's, then norms inside it.
int attentionOrder(const RankTensor& tensor) {
    if (tensor.split == Split::Row) {
        return 0;
    }
    return tensor.split == Split::Replicated && tensor.vector ? 2 : 1;
}

void addAttention(std::vector<BufferedWeight>& list, const Tensors& tensors) {
    for (const int order : {0, 1, 2}) {
        for (const RankTensor& tensor : tensors) {
            if (tensor.part == Part::Attention && attentionOrder(tensor) == order) {
                addTrained(list, tensor);
            }
        }
    }
}

/// Half of a layer's norms come before attention, half before the MLP.
void addNorms(std::vector<BufferedWeight>& list, const Tensors& tensors, bool second) {
    std::int64_t norms = 0;
    for (const RankTensor& tensor : tensors) {
        norms += tensor.part == Part::Norm ? 1 : 0;
    }
    std::int64_t at = 0;
    for (const RankTensor& tensor : tensors) {
        if (tensor.part == Part::Norm && (at++ >= (norms + 1) / 2) == second) {
            addTrained(list, tensor);
        }
    }
}

void addPart(std::vector<BufferedWeight>& list, const Tensors& tensors, Part part) {
    for (const RankTensor& tensor : tensors) {
        if (tensor.part == part) {
            addTrained(list, tensor);
        }
    }
}

/// Elements of a layer's local experts: how many there are, and of each gate and up as one weight,
/// and down.
struct LocalExperts {
    std::int64_t count = 0;
    std::int64_t up = 0;
    std::int64_t down = 0;
};

LocalExperts localExperts(const Tensors& tensors) {
    LocalExperts experts;
    for (const RankTensor& tensor : tensors) {
        if (tensor.isExpert() && tensor.trained) {
            experts.count = tensor.copies;
            experts.up += experts.down;
            experts.down = tensor.rows * tensor.cols;  // the last of them
        }
    }
    return experts;
}

/// One expert after another; Transformer Engine has all of the first weights before all of the
/// second.
void addExperts(std::vector<BufferedWeight>& list,
                const StageShape& stage,
                const Tensors& tensors) {
    const LocalExperts experts = localExperts(tensors);
    const bool transformerEngine = stage.settings().kernels.code == ModelCode::TransformerEngine;
    for (std::int64_t expert = 0; expert < experts.count; ++expert) {
        list.push_back({.elements = experts.up});
        if (!transformerEngine) {
            list.push_back({.elements = experts.down});
        }
    }
    for (std::int64_t expert = 0; transformerEngine && expert < experts.count; ++expert) {
        list.push_back({.elements = experts.down});
    }
}

void addLayer(MegatronWeights& weights, const StageShape& view, const Tensors& tensors) {
    addNorms(weights.dense, tensors, false);
    addAttention(weights.dense, tensors);
    addNorms(weights.dense, tensors, true);
    addPart(weights.dense, tensors, Part::Router);
    addExperts(view.layout().ep > 1 ? weights.experts : weights.dense, view, tensors);
    addPart(weights.dense, tensors, Part::SharedExperts);
    addPart(weights.dense, tensors, Part::Mlp);
}

/// The final norm, the predictions' layers, and the head or its copy of a tied table.
void addLast(MegatronWeights& weights,
             const StageShape& view,
             const ChunkView& chunk,
             const Tensors& layer) {
    const Tensors head = headTensors(view);
    addPart(weights.dense, head, Part::Norm);
    for (std::int64_t depth = 0; depth < chunk.predictions; ++depth) {
        addPart(weights.dense, predictionTensors(view), Part::Mtp);
        addLayer(weights, view, layer);
    }
    for (const RankTensor& tensor : head) {
        if (tensor.part != Part::Norm) {
            addTrained(weights.dense, tensor);
        }
    }
    if (view.model().tiedEmbeddings && !chunk.first) {
        addTrained(weights.dense, embeddingTensors(view).front(), view.pipelined());
    }
}

}  // namespace

MegatronWeights megatronWeights(const StageShape& view, const ChunkView& chunk) {
    const bool shared = view.model().tiedEmbeddings && view.pipelined();
    MegatronWeights weights;
    if (chunk.first) {
        for (const RankTensor& tensor : embeddingTensors(view)) {
            addTrained(weights.dense, tensor, shared && tensor.part == Part::Embedding);
        }
    }
    Tensors dense;
    Tensors sparse;
    for (const LayerKind& kind : view.kinds(chunk)) {
        (kind.sparse ? sparse : dense) = layerTensors(view, kind.layer);
    }
    for (std::int64_t layer = chunk.begin; layer < chunk.begin + chunk.layers; ++layer) {
        addLayer(weights, view, view.model().isSparse(layer) ? sparse : dense);
    }
    if (chunk.last) {
        addLast(
            weights, view, chunk, view.model().isSparse(view.model().layers - 1) ? sparse : dense);
    }
    return weights;
}

BucketRules bucketRules(const StageShape& stage, const ChunkView& chunk, bool experts) {
    const MegatronSettings& megatron = stage.settings().megatron;
    BucketRules rules{.ranks = experts ? stage.expertShards : stage.shards,
                      .distributed = distributesOptimizer(*stage.scenario),
                      .wideBuckets = megatron.padBuckets};
    if (megatron.overlapGradReduce && stage.stage == 0 && chunk.index == 0) {
        rules.size = megatron.bucketElements > 0
                         ? megatron.bucketElements
                         : std::max(kLeastBucket, kBucketPerRank * stage.layout().replicas());
    }
    return rules;
}

MegatronBuffer::MegatronBuffer(const std::vector<BufferedWeight>& weights, const BucketRules& rules)
    : rules_(rules) {
    placed_.reserve(weights.size());
    for (auto weight = weights.rbegin(); weight != weights.rend(); ++weight) {
        place(*weight);
    }
    closeBucket();
}

/// A table that two stages hold has a bucket of its own.
void MegatronBuffer::place(const BufferedWeight& weight) {
    const bool alone = weight.shared && rules_.distributed;
    if (rules_.distributed) {
        next_ = roundUp(next_, kParameterStart);
    }
    if (alone) {
        closeBucket();
    }
    placed_.push_back(
        {next_, next_ + weight.elements, buckets_.size(), weight.isMatrix, weight.inLayer});
    next_ += weight.elements;
    if (alone || (rules_.size > 0 && next_ - bucketBegin_ >= rules_.size)) {
        closeBucket();
    }
}

/// Nothing is closed where nothing was placed since.
void MegatronBuffer::closeBucket() {
    if (placed_.empty() || placed_.back().bucket != buckets_.size()) {
        return;
    }
    if (rules_.distributed) {
        next_ = roundUp(next_,
                        std::lcm(rules_.ranks, rules_.wideBuckets ? kWideBucketEnd : kBucketEnd));
    }
    buckets_.push_back({bucketBegin_, next_});
    bucketBegin_ = next_;
}

std::vector<BufferedWeight> MegatronBuffer::piecesOf(std::int64_t rank) const {
    std::vector<BufferedWeight> pieces;
    for (const Placed& placed : placed_) {
        const Bucket& bucket = buckets_[placed.bucket];
        const std::int64_t share = bucket.elements() / (rules_.distributed ? rules_.ranks : 1);
        const std::int64_t begin = bucket.begin + share * (rules_.distributed ? rank : 0);
        const std::int64_t piece =
            std::min(placed.end, begin + share) - std::max(placed.begin, begin);
        if (piece > 0) {
            pieces.push_back(
                {.elements = piece, .isMatrix = placed.isMatrix, .inLayer = placed.inLayer});
        }
    }
    return pieces;
}

}  // namespace fabricast
