#include "planner/comm/fsdp2_units.h"

namespace fabricast {
namespace {

using Tensors = std::vector<RankTensor>;

bool isTitan(const StageView& view) {
    return view.settings().kernels.code == ModelCode::TorchTitan;
}

/// FSDP shards dimension 0 and pads it. torchtitan's experts [E, f, h] are sharded over f where
/// there are more ranks than experts.
std::int64_t padded(const RankTensor& tensor, std::int64_t ranks, bool secondDimension) {
    if (!tensor.isExpert()) {
        return tensor.copies * roundUp(tensor.rows, ranks) * tensor.cols;
    }
    if (secondDimension) {
        return tensor.copies * roundUp(tensor.rows, ranks) * tensor.cols;
    }
    return roundUp(tensor.copies, ranks) * tensor.rows * tensor.cols;
}

bool shardsExpertWidth(const StageView& view) {
    if (!isTitan(view)) {
        return true;  // one matrix an expert
    }
    const Layout& layout = view.layout();
    const std::int64_t ranks =
        layout.ep > 1 ? view.expertShards * layout.ep : view.shards * view.copies;
    return ranks > view.model().moe->experts;
}

struct Sizes {
    std::int64_t all = 0;  ///< gathered in the type of the computation
    std::int64_t trained = 0;
    std::int64_t packed = 0;  ///< bytes gathered as they are stored
};

/// Whether adapters train beside a base of 4 or 8 bits: only its linears are.
bool isPacked(const StageView& view, const RankTensor& tensor) {
    const Dtype base = view.settings().lora.base;
    return !tensor.trained && !tensor.vector && tensor.part != Part::Embedding &&
           tensor.part != Part::Head && (base == Dtype::Nf4 || base == Dtype::Int8);
}

Sizes sizesOf(const StageView& view, const Tensors& tensors, std::int64_t ranks, bool experts) {
    const bool second = view.model().moe && shardsExpertWidth(view);
    Sizes sizes;
    for (const RankTensor& tensor : tensors) {
        if (tensor.isExpert() == experts) {
            const std::int64_t elements = padded(tensor, ranks, second);
            if (isPacked(view, tensor)) {
                const bool half = view.settings().lora.base == Dtype::Nf4;
                sizes.packed += half ? (elements + 1) / 2 : elements;
                continue;
            }
            sizes.all += elements;
            sizes.trained += tensor.trained ? elements : 0;
        }
    }
    return sizes;
}

void addLayers(std::vector<FsdpUnit>& units, const StageView& view, const ChunkView& chunk) {
    const bool never = view.settings().torch.reshard == Reshard::Never;
    for (const LayerKind& kind : view.kinds(chunk)) {
        const Tensors& tensors = layerTensors(view, kind.layer);
        Sizes dense = sizesOf(view, tensors, view.shards, false);
        if (kind.sparse) {
            const bool apart = view.layout().ep > 1;
            const std::int64_t ranks = apart ? view.expertShards : view.shards;
            const Sizes experts = sizesOf(view, tensors, ranks, true);
            if (apart) {
                units.push_back({.place = CommPlace::Experts,
                                 .sparse = true,
                                 .chunk = chunk.index,
                                 .count = kind.count,
                                 .group = GroupKind::ExpertShard,
                                 .ranks = ranks,
                                 .elements = experts.all,
                                 .packed = experts.packed,
                                 .reduced = {experts.trained},
                                 .kept = never});
            } else {
                dense.all += experts.all;
                dense.trained += experts.trained;
                dense.packed += experts.packed;
            }
        }
        units.push_back({.sparse = kind.sparse,
                         .chunk = chunk.index,
                         .count = kind.count,
                         .group = view.shardGroup,
                         .ranks = view.shards,
                         .elements = dense.all,
                         .packed = dense.packed,
                         .reduced = {dense.trained},
                         .kept = never});
    }
}

/// A table tied to the head is two parameters to FSDP, but for DTensor's parallel regions: these
/// leave a model without tensor parallelism as it is.
bool tiesOneParameter(const StageView& view) {
    return view.settings().torch.backend == TitanBackend::PartialDTensor && view.layout().tp == 1;
}

/// [norm, head]: the last to be used in forward and the first in backward, so it stays. A loss in
/// chunks reduces the head's gradient (or its part of the tied table's) apart.
FsdpUnit headUnit(const StageView& view, const ChunkView& chunk) {
    const bool chunked = view.settings().kernels.loss == LossKernel::Chunked;
    const bool tied = view.model().tiedEmbeddings;
    const Sizes table =
        sizesOf(view, tied ? embeddingTensors(view) : Tensors{}, view.shards, false);
    const Tensors tensors = headTensors(view);
    const Sizes head = sizesOf(view, tensors, view.shards, false);
    FsdpUnit unit{.place = CommPlace::Head,
                  .chunk = chunk.index,
                  .group = view.shardGroup,
                  .ranks = view.shards};
    unit.kept = view.settings().torch.reshard != Reshard::Always && !chunked;
    unit.lossGather = chunked;
    const std::int64_t tables = tiesOneParameter(view) ? 1 : 2;
    unit.elements = tables * table.all + head.all;
    if (!chunked) {
        unit.reduced = {tables * table.trained + head.trained};
    } else if (tied) {
        unit.reduced = {table.trained, table.trained + head.trained};
    } else {
        std::int64_t norm = 0;
        for (const RankTensor& tensor : tensors) {
            const bool counts = tensor.part == Part::Norm && tensor.trained;
            norm += counts ? padded(tensor, view.shards, false) : 0;
        }
        unit.reduced = {norm, head.trained - norm};
    }
    return unit;
}

void addTitanEnds(std::vector<FsdpUnit>& units, const StageView& view, const ChunkView& chunk) {
    const bool tied = view.model().tiedEmbeddings;
    if (chunk.first && !tied) {
        const Sizes table = sizesOf(view, embeddingTensors(view), view.shards, false);
        units.push_back({.place = CommPlace::Embedding,
                         .chunk = chunk.index,
                         .group = view.shardGroup,
                         .ranks = view.shards,
                         .elements = table.all,
                         .reduced = {table.trained},
                         .kept = view.settings().torch.reshard == Reshard::Never});
    }
    if (chunk.last) {
        units.push_back(headUnit(view, chunk));
    }
}

/// Whatever no block holds: the root is never resharded after forward unless it is asked for.
void addRoot(std::vector<FsdpUnit>& units, const StageView& view, const ChunkView& chunk) {
    Sizes sizes;
    for (const Tensors& tensors : {chunk.first ? embeddingTensors(view) : Tensors{},
                                   chunk.last ? headTensors(view) : Tensors{}}) {
        const Sizes part = sizesOf(view, tensors, view.shards, false);
        sizes.all += part.all;
        sizes.trained += part.trained;
    }
    units.push_back({.place = CommPlace::Root,
                     .chunk = chunk.index,
                     .group = view.shardGroup,
                     .ranks = view.shards,
                     .elements = sizes.all,
                     .reduced = {sizes.trained},
                     .kept = view.settings().torch.reshard != Reshard::Always});
}

void count(NormEntries& entries,
           const StageView& view,
           const Tensors& tensors,
           std::int64_t times) {
    for (const RankTensor& tensor : tensors) {
        const bool apart = tensor.isExpert() && view.layout().ep > 1;
        (apart ? entries.experts : entries.dense) += tensor.trained ? times : 0;
    }
}

}  // namespace

std::vector<FsdpUnit> fsdpUnits(const StageView& view, const ChunkView& chunk) {
    std::vector<FsdpUnit> units;
    addLayers(units, view, chunk);
    if (isTitan(view)) {
        addTitanEnds(units, view, chunk);
    } else {
        addRoot(units, view, chunk);
    }
    return units;
}

NormEntries normEntries(const StageView& view) {
    NormEntries entries;
    for (const ChunkView& chunk : view.chunks) {
        for (const LayerKind& kind : view.kinds(chunk)) {
            count(entries, view, layerTensors(view, kind.layer), kind.count);
        }
        if (chunk.first && !(view.model().tiedEmbeddings && isTitan(view))) {
            count(entries, view, embeddingTensors(view), 1);
        }
        if (chunk.last) {
            count(entries, view, headTensors(view), 1);
            if (view.model().tiedEmbeddings && isTitan(view)) {
                count(entries, view, embeddingTensors(view), 1);
            }
        }
    }
    return entries;
}

}  // namespace fabricast
