#include "planner/sharding/fsdp2_units.h"

#include "planner/base/integers.h"
#include "planner/sharding/rank_tensors.h"

namespace fabricast {
namespace {

using Tensors = std::vector<RankTensor>;

/// All ranks' shards, padding included.
std::int64_t padded(const RankTensor& tensor, std::int64_t ranks, bool alongRows) {
    return ranks * fsdpShard({.stack = tensor.copies,
                              .rows = tensor.rows,
                              .columns = tensor.cols,
                              .alongRows = !tensor.isExpert() || alongRows},
                             ranks);
}

/// Codes of 4 bits lie in numbers of this many bytes (bnb_4bit_quant_storage=bfloat16).
constexpr std::int64_t kStorage = 2;

struct Sizes {
    std::int64_t all = 0;  ///< gathered in the type of the computation
    std::int64_t trained = 0;
    std::int64_t packed = 0;  ///< bytes gathered as they are stored
};

Sizes sizesOf(const StageShape& view, const Tensors& tensors, std::int64_t ranks, bool experts) {
    const bool second = view.model().moe && cutsExpertRows(view);
    Sizes sizes;
    for (const RankTensor& tensor : tensors) {
        if (tensor.isExpert() == experts) {
            const std::int64_t elements = padded(tensor, ranks, second);
            if (isPacked(view.settings(), tensor)) {
                sizes.packed += view.settings().lora.base == Dtype::Nf4
                                    ? kStorage * ranks * ceilDivide(packedNumbers(tensor), ranks)
                                    : elements;
                continue;
            }
            sizes.all += elements;
            sizes.trained += tensor.trained ? elements : 0;
        }
    }
    return sizes;
}

void addLayers(std::vector<FsdpUnit>& units, const StageShape& view, const ChunkView& chunk) {
    const bool kept = fsdpKeeps(*view.scenario).layers;
    for (const LayerKind& kind : view.kinds(chunk)) {
        const Tensors& tensors = layerTensors(view, kind.layer);
        Sizes dense = sizesOf(view, tensors, view.shards, false);
        if (kind.sparse) {
            const bool apart = view.layout().ep > 1;
            const std::int64_t ranks = apart ? view.expertShards : view.shards;
            const Sizes experts = sizesOf(view, tensors, ranks, true);
            if (apart) {
                units.push_back({.wraps = FsdpWrap::Experts,
                                 .sparse = true,
                                 .chunk = chunk.index,
                                 .count = kind.count,
                                 .ranks = ranks,
                                 .elements = experts.all,
                                 .packed = experts.packed,
                                 .reduced = {experts.trained},
                                 .kept = kept});
            } else {
                dense.all += experts.all;
                dense.trained += experts.trained;
                dense.packed += experts.packed;
            }
        }
        units.push_back({.sparse = kind.sparse,
                         .chunk = chunk.index,
                         .count = kind.count,
                         .ranks = view.shards,
                         .elements = dense.all,
                         .packed = dense.packed,
                         .reduced = {dense.trained},
                         .kept = kept || kind.frozen});
    }
}

/// [norm, head]: the last to be used in forward and the first in backward, so it stays. A loss in
/// chunks reduces the head's gradient (or its part of the tied table's) apart.
FsdpUnit headUnit(const StageShape& view, const ChunkView& chunk) {
    const bool chunked = view.settings().kernels.loss == LossKernel::Chunked;
    const bool tied = view.model().tiedEmbeddings;
    const Sizes table =
        sizesOf(view, tied ? embeddingTensors(view) : Tensors{}, view.shards, false);
    const Tensors tensors = headTensors(view);
    const Sizes head = sizesOf(view, tensors, view.shards, false);
    FsdpUnit unit{.wraps = FsdpWrap::Head, .chunk = chunk.index, .ranks = view.shards};
    unit.kept = fsdpKeeps(*view.scenario).last;
    unit.lossGather = chunked;
    const std::int64_t tables = tiesOneParameter(*view.scenario) ? 1 : 2;
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

void addTitanEnds(std::vector<FsdpUnit>& units, const StageShape& view, const ChunkView& chunk) {
    const bool tied = view.model().tiedEmbeddings;
    if (chunk.first && !tied) {
        const Sizes table = sizesOf(view, embeddingTensors(view), view.shards, false);
        units.push_back({.wraps = FsdpWrap::Embedding,
                         .chunk = chunk.index,
                         .ranks = view.shards,
                         .elements = table.all,
                         .reduced = {table.trained},
                         .kept = fsdpKeeps(*view.scenario).layers});
    }
    if (chunk.last) {
        units.push_back(headUnit(view, chunk));
    }
}

/// Whatever no block holds: the root is never resharded after forward unless it is asked for.
void addRoot(std::vector<FsdpUnit>& units, const StageShape& view, const ChunkView& chunk) {
    Sizes sizes;
    for (const Tensors& tensors : {chunk.first ? embeddingTensors(view) : Tensors{},
                                   chunk.last ? headTensors(view) : Tensors{}}) {
        const Sizes part = sizesOf(view, tensors, view.shards, false);
        sizes.all += part.all;
        sizes.trained += part.trained;
    }
    units.push_back({.wraps = FsdpWrap::Root,
                     .chunk = chunk.index,
                     .ranks = view.shards,
                     .elements = sizes.all,
                     .reduced = {sizes.trained},
                     .kept = fsdpKeeps(*view.scenario).last});
}

/// The root, with all that is wrapped by itself otherwise.
FsdpUnit togetherOf(const std::vector<FsdpUnit>& units) {
    FsdpUnit whole = units.back();
    for (std::size_t i = 0; i + 1 < units.size(); ++i) {
        whole.elements += units[i].count * units[i].elements;
        whole.packed += units[i].count * units[i].packed;
        whole.reduced.front() += units[i].count * units[i].reduced.front();
    }
    return whole;
}

void count(NormEntries& entries,
           const StageShape& view,
           const Tensors& tensors,
           std::int64_t times) {
    for (const RankTensor& tensor : tensors) {
        const bool apart = tensor.isExpert() && view.layout().ep > 1;
        (apart ? entries.experts : entries.dense) += tensor.trained ? times : 0;
    }
}

}  // namespace

bool wrapsEnds(const Scenario& scenario) {
    return scenario.settings.kernels.code == ModelCode::TorchTitan;
}

bool sharesEnds(const Scenario& scenario) {
    return scenario.model.tiedEmbeddings && scenario.layout.pp == 1;
}

bool tiesOneParameter(const Scenario& scenario) {
    return !wrapsEnds(scenario) || (scenario.layout.tp == 1 && scenario.settings.torch.backend ==
                                                                   TitanBackend::PartialDTensor);
}

bool cutsExpertRows(const StageShape& stage) {
    if (!wrapsEnds(*stage.scenario)) {
        return false;  // transformers' stacks are cut along the experts, whatever their number
    }
    const Layout& layout = stage.layout();
    const std::int64_t ranks =
        layout.ep > 1 ? stage.expertShards * layout.ep : stage.shards * stage.copies;
    return stage.model().moe && ranks > stage.model().moe->experts;
}

FsdpKeeps fsdpKeeps(const Scenario& scenario) {
    const Reshard reshard = scenario.settings.torch.reshard;
    const bool chunked =
        wrapsEnds(scenario) && scenario.settings.kernels.loss == LossKernel::Chunked;
    return {.layers = reshard == Reshard::Never, .last = reshard != Reshard::Always && !chunked};
}

std::int64_t fsdpShard(const FsdpWeight& weight, std::int64_t ranks) {
    return weight.alongRows ? weight.stack * ceilDivide(weight.rows, ranks) * weight.columns
                            : ceilDivide(weight.stack, ranks) * weight.rows * weight.columns;
}

std::vector<FsdpUnit> fsdpUnits(const StageShape& view, const ChunkView& chunk) {
    std::vector<FsdpUnit> units;
    addLayers(units, view, chunk);
    if (view.settings().torch.oneUnit) {
        addRoot(units, view, chunk);
        return {togetherOf(units)};
    }
    if (wrapsEnds(*view.scenario)) {
        addTitanEnds(units, view, chunk);
    } else {
        addRoot(units, view, chunk);
    }
    return units;
}

NormEntries normEntries(const StageShape& view) {
    NormEntries entries;
    for (const ChunkView& chunk : view.chunks) {
        for (const LayerKind& kind : view.kinds(chunk)) {
            count(entries, view, layerTensors(view, kind.layer), kind.count);
        }
        if (chunk.first && !(view.model().tiedEmbeddings && wrapsEnds(*view.scenario))) {
            count(entries, view, embeddingTensors(view), 1);
        }
        if (chunk.last) {
            count(entries, view, headTensors(view), 1);
            if (view.model().tiedEmbeddings && wrapsEnds(*view.scenario)) {
                count(entries, view, embeddingTensors(view), 1);
            }
        }
    }
    return entries;
}

}  // namespace fabricast
