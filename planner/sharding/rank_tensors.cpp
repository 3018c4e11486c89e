#include "planner/sharding/rank_tensors.h"

#include "planner/base/integers.h"
#include "planner/ops/expert_layers.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/trained_weights.h"

#include <algorithm>
#include <string_view>

namespace fabricast {
namespace {

bool isBias(const Parameter& parameter) {
    return std::string_view(parameter.name).ends_with(".bias");
}

/// Experts are split by ep, and their width by etp; torchtitan splits it by tp without ep.
RankTensor expertOnRank(const StageShape& view, const Parameter& parameter) {
    const Layout& layout = view.layout();
    const bool titan = view.settings().kernels.code == ModelCode::TorchTitan;
    const std::int64_t parts = titan && layout.ep == 1 ? layout.tp : layout.etp;
    RankTensor tensor{.copies = parameter.copies / layout.ep,
                      .rows = parameter.rows,
                      .cols = std::max<std::int64_t>(1, parameter.cols),
                      .part = parameter.part,
                      .split = parameter.split,
                      .vector = !parameter.isMatrix(),
                      .bias = isBias(parameter)};
    const bool down = std::string_view(parameter.name).find("down_proj") != std::string_view::npos;
    if (!down) {
        tensor.rows /= parts;
    } else if (parameter.isMatrix()) {
        tensor.cols /= parts;
    }
    return tensor;
}

RankTensor onRank(const StageShape& view, const Parameter& parameter) {
    const std::int64_t tp = view.layout().tp;
    if (parameter.split == Split::Expert) {
        return expertOnRank(view, parameter);
    }
    RankTensor tensor{.copies = parameter.copies,
                      .rows = parameter.rows,
                      .cols = std::max<std::int64_t>(1, parameter.cols),
                      .part = parameter.part,
                      .split = parameter.split,
                      .vector = !parameter.isMatrix(),
                      .bias = isBias(parameter)};
    if (parameter.split == Split::Column) {
        tensor.rows /= tp;
    } else if (parameter.split == Split::Row) {
        tensor.cols /= tp;
    } else if (parameter.split == Split::Vocab) {
        tensor.rows = vocabRows(view);
    }
    return tensor;
}

/// "shared_expert.up_proj.weight" → "up", the name under which adapters are asked for.
std::string_view targetOf(std::string_view name) {
    name = name.substr(0, name.rfind('.'));
    if (const std::size_t dot = name.rfind('.'); dot != std::string_view::npos) {
        name = name.substr(dot + 1);
    }
    const std::size_t end = name.rfind("_proj");
    return end == std::string_view::npos ? std::string_view{} : name.substr(0, end);
}

/// Down to `rank` columns and up again; of a split weight one of the two is split with it.
/// Megatron-Bridge cuts the other too, along its rows.
void addAdapter(std::vector<RankTensor>& list, const StageShape& view, const RankTensor& weight) {
    const std::int64_t rank = view.settings().lora.rank;
    const bool row = weight.split == Split::Row;
    const bool both = isMegatronCode(view.settings());
    const std::int64_t tp = both ? view.layout().tp : 1;
    const Split other = both ? Split::Column : Split::Replicated;
    list.push_back({.rows = row ? rank : rank / tp,
                    .cols = weight.cols,
                    .part = weight.part,
                    .split = row ? Split::Row : other});
    list.push_back({.rows = row ? weight.rows / tp : weight.rows,
                    .cols = rank,
                    .part = weight.part,
                    .split = row ? other : Split::Column});
}

/// A weight of the model, and whether there is an adapter beside it.
struct HeldWeight {
    RankTensor tensor;
    bool adapted = false;
};

std::vector<RankTensor> withAdapters(const StageShape& view, const std::vector<HeldWeight>& held) {
    std::vector<RankTensor> list;
    for (const HeldWeight& weight : held) {
        list.push_back(weight.tensor);
        if (weight.adapted) {
            addAdapter(list, view, weight.tensor);
        }
    }
    return list;
}

/// Of a stack of experts, or the router: both factors hold all experts' ranks. A gate and up that
/// are one stack have adapters of twice the rank.
void addParameterAdapter(std::vector<RankTensor>& list,
                         const LoraSettings& lora,
                         const RankTensor& weight,
                         bool two) {
    const std::int64_t rank = lora.rank * weight.copies * (two ? 2 : 1);
    list.push_back({.rows = rank, .cols = weight.cols, .part = Part::Router});
    list.push_back({.rows = weight.rows, .cols = rank, .part = Part::Router});
}

/// Whether the model code keeps this weight as rows of the one before: k and v with q, or
/// (Megatron) up with gate.
bool joinsPrevious(const StageShape& view, const RankTensor& tensor, std::string_view target) {
    const KernelSettings& kernels = view.settings().kernels;
    if (tensor.isExpert() && kernels.code == ModelCode::HuggingFace) {
        return target == "up" && !marksExperts(*view.scenario);
    }
    if (tensor.split != Split::Column) {
        return false;
    }
    const bool fused = view.settings().kernels.fusedQkv || isMegatronCode(view.settings());
    return (fused && (target == "k" || target == "v")) ||
           (isMegatronCode(view.settings()) && target == "up");
}

/// The last tensor of the same kind, to which more rows can be added.
HeldWeight* lastAlike(std::vector<HeldWeight>& list, const RankTensor& tensor) {
    const auto found = std::find_if(list.rbegin(), list.rend(), [&](const HeldWeight& held) {
        const RankTensor& other = held.tensor;
        return other.part == tensor.part && other.split == tensor.split &&
               other.vector == tensor.vector && other.cols == tensor.cols &&
               other.trained == tensor.trained;
    });
    return found == list.rend() ? nullptr : &*found;
}

void addParameterAdapters(std::vector<RankTensor>& list, const LoraSettings& lora) {
    const std::size_t frozen = list.size();
    std::int64_t stacks = 0;
    for (std::size_t i = 0; i < frozen; ++i) {
        const RankTensor weight = list[i];
        const bool router = weight.part == Part::Router;
        const bool asked = lora.targets.contains(router ? "router" : "experts");
        if (!weight.trained && !weight.vector && asked && (router || weight.isExpert())) {
            stacks += router ? 0 : 1;
            addParameterAdapter(list, lora, weight, !router && stacks == 1);
        }
    }
}

/// Whether PEFT trains a copy of this table.
bool savesCopy(const Settings& settings, const Parameter& parameter) {
    return parameter.isMatrix() &&
           ((parameter.part == Part::Embedding && trainsCopy(settings, "embed_tokens")) ||
            (parameter.part == Part::Head && trainsCopy(settings, "lm_head")));
}

std::vector<RankTensor> onRank(const StageShape& view,
                               const std::vector<Parameter>& parameters,
                               std::int64_t layer = 0) {
    const LoraSettings& lora = view.settings().lora;
    const bool frozen = view.settings().tuning == Tuning::Lora;
    std::vector<HeldWeight> held;
    held.reserve(parameters.size());
    for (const Parameter& parameter : parameters) {
        if (parameter.buffer) {
            continue;
        }
        RankTensor tensor = onRank(view, parameter);
        tensor.trained = !frozen && trainsWeight(*view.scenario, parameter, layer);
        const std::string_view target = targetOf(parameter.name);
        const bool linear = parameter.part != Part::RoutedExperts && parameter.part != Part::Router;
        const bool adapted =
            frozen && linear && parameter.isMatrix() && lora.targets.contains(target);
        HeldWeight* before =
            joinsPrevious(view, tensor, target) ? lastAlike(held, tensor) : nullptr;
        if (before != nullptr) {
            before->tensor.rows += tensor.rows;
            before->adapted = before->adapted || adapted;
            continue;
        }
        held.push_back({tensor, adapted});
        if (savesCopy(view.settings(), parameter)) {
            tensor.trained = true;
            held.push_back({tensor, false});
        }
    }
    std::vector<RankTensor> list = withAdapters(view, held);
    if (frozen) {
        addParameterAdapters(list, lora);
    }
    return list;
}

}  // namespace

std::int64_t vocabRows(const StageShape& view) {
    const std::int64_t tp = view.layout().tp;
    const std::int64_t vocab = view.model().vocab;
    if (isMegatronCode(view.settings())) {
        return roundUp(vocab, view.settings().megatron.vocabPadding * tp) / tp;
    }
    const std::int64_t share = (vocab + tp - 1) / tp;
    const std::int64_t begin = std::min(vocab, share * view.tensorRank);
    return std::min(vocab, begin + share) - begin;
}

const std::vector<RankTensor>& layerTensors(const StageShape& view, std::int64_t layer) {
    const bool frozen = layer < firstTrainedLayer(*view.scenario);
    std::vector<RankTensor>& list = view.layerLists[frozen                         ? 2
                                                    : view.model().isSparse(layer) ? 1
                                                                                   : 0];
    if (list.empty()) {
        list = onRank(view, layerParameters(view.model(), layer), layer);
    }
    return list;
}

std::vector<RankTensor> predictionTensors(const StageShape& view) {
    std::vector<RankTensor> tensors = onRank(view, mtpParameters(view.model()));
    std::erase_if(tensors, [](const RankTensor& tensor) { return tensor.part != Part::Mtp; });
    return tensors;
}

std::vector<RankTensor> embeddingTensors(const StageShape& view) {
    return onRank(view, embeddingParameters(view.model()));
}

std::vector<RankTensor> headTensors(const StageShape& view) {
    const ModelSpec& model = view.model();
    std::vector<RankTensor> list = onRank(view, headParameters(model), model.layers);
    if (model.tiedEmbeddings && trainsCopy(view.settings(), "lm_head")) {
        RankTensor copy = embeddingTensors(view).front();
        copy.part = Part::Head;
        copy.trained = true;
        list.push_back(copy);
    }
    return list;
}

}  // namespace fabricast
