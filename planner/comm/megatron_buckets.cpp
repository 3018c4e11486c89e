#include "planner/comm/megatron_buckets.h"

#include <numeric>

namespace fabricast {
namespace {

using Tensors = std::vector<RankTensor>;

/// Parameters start at multiples of this many elements, buckets end at multiples of these.
constexpr std::int64_t kParameterStart = 64;
constexpr std::int64_t kBucketEnd = 128;
constexpr std::int64_t kWideBucketEnd = std::int64_t{1} << 16;

void addTrained(std::vector<BufferedWeight>& list, const RankTensor& tensor, bool shared = false) {
    if (tensor.trained) {
        list.push_back({.elements = tensor.elements(), .shared = shared});
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

/// Local experts: gate and up as one weight, then down; Transformer Engine has all of the first
/// before all of the second.
void addExperts(std::vector<BufferedWeight>& list, const Tensors& tensors, bool grouped) {
    std::int64_t copies = 0;
    std::int64_t all = 0;
    std::int64_t down = 0;
    for (const RankTensor& tensor : tensors) {
        if (tensor.isExpert() && tensor.trained) {
            copies = tensor.copies;
            all += tensor.rows * tensor.cols;
            down = tensor.rows * tensor.cols;  // the last of them
        }
    }
    for (std::int64_t expert = 0; expert < copies; ++expert) {
        list.push_back({.elements = all - down});
        if (!grouped) {
            list.push_back({.elements = down});
        }
    }
    for (std::int64_t expert = 0; grouped && expert < copies; ++expert) {
        list.push_back({.elements = down});
    }
}

void addLayer(MegatronWeights& weights, const StageView& view, const Tensors& tensors) {
    addNorms(weights.dense, tensors, false);
    addAttention(weights.dense, tensors);
    addNorms(weights.dense, tensors, true);
    addPart(weights.dense, tensors, Part::Router);
    addExperts(view.layout().ep > 1 ? weights.experts : weights.dense,
               tensors,
               view.settings().kernels.code == ModelCode::TransformerEngine);
    addPart(weights.dense, tensors, Part::SharedExperts);
    addPart(weights.dense, tensors, Part::Mlp);
}

/// The final norm, the predictions' layers, and the head or its copy of a tied table.
void addLast(MegatronWeights& weights,
             const StageView& view,
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

/// One buffer on its way.
class Buffer {
public:
    explicit Buffer(const BucketRules& rules) : rules_(rules) {}

    void place(const BufferedWeight& weight) {
        const bool alone = weight.shared && rules_.distributed;
        if (rules_.distributed) {
            next_ = roundUp(next_, kParameterStart);
        }
        if (alone && members_ > 0) {
            close();
        }
        next_ += weight.elements;
        ++members_;
        if (alone || (rules_.size > 0 && next_ - begin_ >= rules_.size)) {
            close();
        }
    }
    std::vector<std::int64_t> finish() {
        if (members_ > 0) {
            close();
        }
        return std::move(sizes_);
    }

private:
    void close() {
        if (rules_.distributed) {
            next_ = roundUp(
                next_, std::lcm(rules_.ranks, rules_.wideBuckets ? kWideBucketEnd : kBucketEnd));
        }
        sizes_.push_back(next_ - begin_);
        begin_ = next_;
        members_ = 0;
    }

    BucketRules rules_;
    std::int64_t begin_ = 0;
    std::int64_t next_ = 0;
    std::int64_t members_ = 0;
    std::vector<std::int64_t> sizes_;
};

}  // namespace

MegatronWeights megatronWeights(const StageView& view, const ChunkView& chunk) {
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

std::vector<std::int64_t> bucketSizes(const std::vector<BufferedWeight>& weights,
                                      const BucketRules& rules) {
    Buffer buffer(rules);
    for (auto weight = weights.rbegin(); weight != weights.rend(); ++weight) {
        buffer.place(*weight);
    }
    return buffer.finish();
}

}  // namespace fabricast
