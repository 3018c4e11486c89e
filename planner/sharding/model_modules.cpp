#include "planner/sharding/model_modules.h"

#include "planner/ops/expert_layers.h"
#include "planner/ops/hf_moe.h"
#include "planner/ops/lora_linear.h"
#include "planner/ops/trained_weights.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

using Tensors = std::vector<RankTensor>;
/// A weight and what happens to it.
using Weights = std::vector<std::size_t>;

/// Experts that are modules of their own; transformers' are stacks.
Tensors oneByOne(const StageShape& view, const Tensors& tensors) {
    if (view.settings().kernels.code == ModelCode::HuggingFace) {
        return tensors;
    }
    Tensors list;
    for (const RankTensor& tensor : tensors) {
        RankTensor one = tensor;
        one.copies = 1;
        list.insert(list.end(), static_cast<std::size_t>(tensor.copies), one);
    }
    return list;
}

/// The modules of a layer by what they belong to.
struct LayerModules {
    std::vector<Weights> norms;
    std::vector<Weights> attention;
    std::vector<Weights> mlp;
};

std::vector<Weights>& listOf(LayerModules& modules, Part part) {
    if (part == Part::Norm) {
        return modules.norms;
    }
    return part == Part::Attention ? modules.attention : modules.mlp;
}

LayerModules sortModules(const Tensors& tensors, std::size_t begin) {
    LayerModules modules;
    for (std::size_t index = 0; index < tensors.size(); ++index) {
        std::vector<Weights>& list = listOf(modules, tensors[index].part);
        if (!tensors[index].bias || list.empty()) {
            list.emplace_back();
        }
        list.back().push_back(begin + index);
    }
    return modules;
}

class ModelBuilder {
public:
    explicit ModelBuilder(const StageShape& view) : view_(view) {}

    void addEnds(const ChunkView& chunk) {
        module(0, {});
        module(1, {});
        if (chunk.first) {
            embedding(embeddingTensors(view_));
        }
    }
    void addLayer(std::int64_t layer, const Tensors& tensors) {
        layer_ = layer;
        LayerModules modules = sortModules(tensors, add(tensors));
        module(2, {});
        norms(modules, true, true);
        module(3, {});
        for (Weights& weights : modules.attention) {
            module(4, std::move(weights));
        }
        norms(modules, true, false);
        norms(modules, false, true);
        mlp(modules.mlp);
        norms(modules, false, false);
        layer_ = -1;
    }
    void addHead() {
        const Tensors tensors = headTensors(view_);
        const std::size_t begin = add(tensors);
        // A fused loss reads the head's weight without calling its module: it is the model's own.
        const bool fused = view_.settings().kernels.loss == LossKernel::Liger;
        const auto head = [&](std::size_t weight) {
            (fused ? model_.modules.front() : module(1, {})).weights.push_back(weight);
        };
        bool table = false;
        for (std::size_t index = 0; index < tensors.size(); ++index) {
            if (tensors[index].part == Part::Head) {
                if (!tensors[index].trained && trainsCopy(view_.settings(), "lm_head")) {
                    continue;
                }
                table = true;
                head(begin + index);
            } else {
                module(2, {begin + index});
            }
        }
        if (!table && view_.model().tiedEmbeddings) {
            head(0);
        }
    }
    [[nodiscard]] ModelWeights take() { return std::move(model_); }

private:
    std::size_t add(const Tensors& tensors) {
        const std::size_t begin = model_.tensors.size();
        model_.tensors.insert(model_.tensors.end(), tensors.begin(), tensors.end());
        return begin;
    }
    ModuleWeights& module(int depth, Weights weights) {
        return model_.modules.emplace_back(
            ModuleWeights{.depth = depth, .layer = layer_, .weights = std::move(weights)});
    }
    void embedding(const Tensors& tensors) {
        const std::size_t begin = add(tensors);
        for (std::size_t index = 0; index < tensors.size(); ++index) {
            const bool table = tensors[index].part == Part::Embedding;
            if (table && !tensors[index].trained && trainsCopy(view_.settings(), "embed_tokens")) {
                continue;  // of the module that PEFT's copy stands for
            }
            module(2, {begin + index}).leaves = !table && tensors[index].part != Part::Position;
        }
        if (view_.model().position == PositionKind::Rope) {
            module(2, {}).inBackward = false;
        }
    }
    /// Norms of one half of the layer, before or after what it does.
    void norms(LayerModules& modules, bool attention, bool before) {
        const std::size_t half = (modules.norms.size() + 1) / 2;
        const std::size_t begin = attention ? 0 : half;
        const std::size_t end = attention ? half : modules.norms.size();
        const NormPlacement placement = view_.model().normPlacement;
        for (std::size_t index = begin; index < end; ++index) {
            const bool isBefore = placement == NormPlacement::Before ||
                                  (placement == NormPlacement::Around && index == begin);
            if (isBefore == before) {
                module(3, modules.norms[index]);
            }
        }
    }
    /// down(act(gate(x)) · up(x)): the activation is a module too.
    void mlp(std::vector<Weights>& list) {
        module(3, {});
        if (usesAutoEp(*view_.scenario) && stacksExperts(list)) {
            autoEpExperts(list);
            return;
        }
        if (stacksExperts(list)) {
            experts(list);
            return;
        }
        for (std::size_t index = 0; index < list.size(); ++index) {
            const bool dense = model_.tensors[list[index].front()].part == Part::Mlp;
            module(4, std::move(list[index]));
            if (dense && index == 0) {
                module(4, {});
            }
        }
    }

    [[nodiscard]] bool stacksExperts(const std::vector<Weights>& list) const {
        return view_.settings().kernels.code == ModelCode::HuggingFace && !list.empty() &&
               model_.tensors[list.front().front()].part == Part::Router;
    }
    /// transformers' block: the router with its adapters, then the module that owns both stacks,
    /// around the activation; or all of it in one.
    void experts(const std::vector<Weights>& list) {
        Weights gate;
        Weights stacks;
        for (const Weights& weights : list) {
            const bool isExpert = model_.tensors[weights.front()].isExpert() || !stacks.empty();
            Weights& mine = isExpert ? stacks : gate;
            mine.insert(mine.end(), weights.begin(), weights.end());
        }
        if (isLeafOfZero3(*view_.scenario)) {
            Weights& all = model_.modules.back().weights;
            all = std::move(gate);
            all.insert(all.end(), stacks.begin(), stacks.end());
            return;
        }
        module(4, std::move(gate));
        module(4, std::move(stacks));
        module(5, {});
    }

    /// AutoEP's layer: a router around its product, the module that owns the stacks, and the
    /// model's shared experts with their activation.
    void autoEpExperts(const std::vector<Weights>& list) {
        Weights stacks;
        std::vector<Weights> shared;
        module(4, {});
        for (const Weights& weights : list) {
            const RankTensor& tensor = model_.tensors[weights.front()];
            if (tensor.part == Part::Router) {
                module(5, weights);
            } else if (tensor.isExpert()) {
                stacks.insert(stacks.end(), weights.begin(), weights.end());
            } else {
                shared.push_back(weights);
            }
        }
        module(4, std::move(stacks));
        const bool gated = view_.model().moe->sharedGate;
        for (std::size_t index = 0; index < shared.size(); ++index) {
            if (index == 0) {
                module(4, {});
            }
            const bool isGate = gated && index + 1 == shared.size();
            module(isGate ? 4 : 5, std::move(shared[index]));
            if (index == 0) {
                module(5, {});
            }
        }
    }

    const StageShape& view_;
    std::int64_t layer_ = -1;
    ModelWeights model_;
};

Weights trained(const ModelWeights& model, const Weights& order) {
    Weights list;
    for (const std::size_t index : order) {
        if (model.tensors[index].trained) {
            list.push_back(index);
        }
    }
    return list;
}

}  // namespace

ModelWeights modelWeights(const StageShape& view) {
    ModelBuilder builder(view);
    for (const ChunkView& chunk : view.chunks) {
        builder.addEnds(chunk);
        Tensors dense;
        Tensors sparse;
        for (const LayerKind& kind : view.kinds(chunk)) {
            (kind.sparse ? sparse : dense) = oneByOne(view, layerTensors(view, kind.layer));
        }
        for (std::int64_t layer = chunk.begin; layer < chunk.begin + chunk.layers; ++layer) {
            const bool frozen = layer < firstTrainedLayer(*view.scenario);
            builder.addLayer(layer,
                             frozen                         ? layerTensors(view, layer)
                             : view.model().isSparse(layer) ? sparse
                                                            : dense);
        }
        if (chunk.last) {
            builder.addHead();
        }
    }
    return builder.take();
}

std::vector<std::size_t> gradientOrder(const ModelWeights& model) {
    std::vector<bool> seen(model.tensors.size());
    Weights forward;
    const auto use = [&](const ModuleWeights& module) {
        for (const std::size_t weight : module.weights) {
            if (!seen[weight]) {
                seen[weight] = true;
                forward.push_back(weight);
            }
        }
    };
    for (const ModuleWeights& module : model.modules) {
        if (module.depth > 0) {
            use(module);
        }
    }
    for (const ModuleWeights& module : model.modules) {
        if (module.depth == 0) {  // the model reads its own when its parts are done
            use(module);
        }
    }
    std::reverse(forward.begin(), forward.end());
    return trained(model, forward);
}

std::vector<std::size_t> registeredOrder(const ModelWeights& model) {
    Weights order(model.tensors.size());
    for (std::size_t index = 0; index < order.size(); ++index) {
        order[index] = index;
    }
    return trained(model, order);
}

}  // namespace fabricast
