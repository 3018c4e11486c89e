#include "planner/models/hf_decoder.h"

#include <string>
#include <utility>

namespace fabricast {
namespace {

template <class Rule>
std::vector<bool> eachLayer(std::int64_t layers, Rule rule) {
    std::vector<bool> list;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        list.push_back(rule(layer));
    }
    return list;
}

/// Qwen: (i + 1) % decoder_sparse_step == 0, and i is not in mlp_only_layers.
Result<std::vector<bool>> everyStep(const HfReader& config, std::int64_t layers) {
    FABRICAST_ASSIGN(const std::int64_t step, config.size({"decoder_sparse_step"}, 1));
    FABRICAST_ASSIGN(const std::vector<bool> dense, config.layerFlags("mlp_only_layers", layers));
    return eachLayer(layers, [&](std::int64_t layer) {
        return (layer + 1) % step == 0 && !dense[static_cast<std::size_t>(layer)];
    });
}

/// Llama 4: moe_layers if it is present, even as an empty list, else every step-th from step - 1.
Result<std::vector<bool>> interleaved(const HfReader& config, std::int64_t layers) {
    FABRICAST_ASSIGN(const std::int64_t step, config.size({"interleave_moe_layer_step"}, 1));
    FABRICAST_ASSIGN(const std::vector<bool> said, config.layerFlags("moe_layers", layers));
    const bool isSaid = config.has("moe_layers");
    return eachLayer(layers, [&](std::int64_t layer) {
        return isSaid ? said[static_cast<std::size_t>(layer)] : (layer + 1) % step == 0;
    });
}

Result<std::vector<bool>> sparseLayers(const HfExperts& family,
                                       const HfReader& config,
                                       std::int64_t layers) {
    switch (family.sparseLayers) {
        case HfExperts::SparseLayers::EveryStep:
            return everyStep(config, layers);
        case HfExperts::SparseLayers::Interleaved:
            return interleaved(config, layers);
        case HfExperts::SparseLayers::FromLayer: {
            FABRICAST_ASSIGN(const std::int64_t first,
                             config.count({"first_k_dense_replace"}, family.firstSparse));
            return eachLayer(layers, [&](std::int64_t layer) { return layer >= first; });
        }
        case HfExperts::SparseLayers::All:
            break;
    }
    return std::vector<bool>(static_cast<std::size_t>(layers), true);
}

Result<std::int64_t> expertCount(const HfExperts& family, const HfReader& config) {
    if (family.routedName) {
        return config.size({"n_routed_experts", "num_local_experts", "num_experts"},
                           family.experts);
    }
    if (family.sparseLayers == HfExperts::SparseLayers::EveryStep) {
        // Qwen's classes take 0 for a dense model.
        return family.localName ? config.count({"num_local_experts", "num_experts"}, family.experts)
                                : config.count({"num_experts"}, family.experts);
    }
    return family.localName ? config.size({"num_local_experts", "num_experts"}, family.experts)
                            : config.size({"num_experts"}, family.experts);
}

/// The router views its scores as n_group rows, and takes topk_group of them.
Result<void> checkGroups(const HfExperts& family,
                         const HfReader& config,
                         std::int64_t experts,
                         std::int64_t groups) {
    if (experts % groups != 0) {
        return tl::unexpected(
            config.problem({"n_group"},
                           "divides " + std::to_string(experts) + " experts into " +
                               std::to_string(groups) + " groups, which are not equal",
                           "set \"n_group\" to a divisor of " + std::to_string(experts)));
    }
    FABRICAST_ASSIGN(const std::int64_t best,
                     config.sizeOrNull({"topk_group"}, family.bestGroups, family.bestGroups));
    if (best > groups) {
        return tl::unexpected(config.problem(
            {"topk_group"},
            "takes " + std::to_string(best) + " of " + std::to_string(groups) + " groups",
            "set \"topk_group\" to a number from 1 to " + std::to_string(groups)));
    }
    return {};
}

/// DeepSeek-V2's class has two, and does nothing by another name.
Result<std::string> routingOf(const HfReader& config) {
    constexpr const char* kMethod = "topk_method";
    if (!config.has(kMethod)) {
        return std::string("greedy");
    }
    FABRICAST_ASSIGN(std::string method, config.config().find(kMethod)->text());
    if (method != "greedy" && method != "group_limited_greedy") {
        return tl::unexpected(config.problem({kMethod},
                                             "\"" + method + "\" is no method of this class",
                                             "greedy or group_limited_greedy"));
    }
    return method;
}

/// Only DeepSeek-V2's class has methods to choose from, and looks at its groups by one alone, which
/// is not the usual one. DeepSeek-V3's always does, and reads no method.
Result<std::int64_t> groupCount(const HfExperts& family,
                                const HfReader& config,
                                std::int64_t experts) {
    if (family.groups == 0) {
        return 1;
    }
    if (family.bestGroups == 0) {
        FABRICAST_ASSIGN(const std::string method, routingOf(config));
        if (method == "greedy") {
            return 1;
        }
    }
    FABRICAST_ASSIGN(const std::int64_t groups, config.sizeOrNull({"n_group"}, family.groups, 1));
    FABRICAST_TRY(checkGroups(family, config, experts, groups));
    return groups;
}

Result<MoeSpec> readShared(MoeSpec moe, const HfExperts& family, const HfReader& config) {
    switch (family.shared) {
        case HfExperts::Shared::Multiple: {
            FABRICAST_ASSIGN(const std::int64_t shared,
                             config.countOrNull({"n_shared_experts"}, family.sharedSize, 0));
            moe.sharedWidth = shared * moe.expertWidth;
            break;
        }
        case HfExperts::Shared::OwnWidth: {
            FABRICAST_ASSIGN(moe.sharedWidth,
                             config.count({"shared_expert_intermediate_size"}, family.sharedSize));
            moe.sharedGate = true;
            break;
        }
        case HfExperts::Shared::SameWidth:
            moe.sharedWidth = moe.expertWidth;
            break;
        case HfExperts::Shared::None:
            break;
    }
    return moe;
}

}  // namespace

Result<ModelSpec> withExperts(ModelSpec model, const HfExperts& family, const HfReader& config) {
    MoeSpec moe;
    FABRICAST_ASSIGN(moe.experts, expertCount(family, config));
    if (moe.experts == 0) {
        return model;
    }
    if (family.topK == 0 && !config.has("num_experts_per_tok")) {
        return tl::unexpected(config.problem({"num_experts_per_tok"},
                                             "lacks \"num_experts_per_tok\", which has no default",
                                             "add \"num_experts_per_tok\""));
    }
    FABRICAST_ASSIGN(moe.topK, config.size({"num_experts_per_tok"}, family.topK));
    if (moe.topK > moe.experts) {
        return tl::unexpected(config.problem(
            {"num_experts_per_tok", "num_local_experts", "num_experts", "n_routed_experts"},
            "makes a token use " + std::to_string(moe.topK) + " of " + std::to_string(moe.experts) +
                " experts",
            "\"num_experts_per_tok\": at most " + std::to_string(moe.experts)));
    }
    FABRICAST_ASSIGN(moe.expertWidth, config.size({family.widthKey}, family.width));
    moe.expertBias = family.biases;
    moe.routerBias = family.biases;
    moe.clampedGlu = family.biases;  // gpt-oss alone: its code clamps whatever the config says
    moe.correctionBias = family.correctionBias;
    moe.sigmoidScore = family.sigmoidScore;
    FABRICAST_ASSIGN(moe.groups, groupCount(family, config, moe.experts));
    FABRICAST_ASSIGN(model.moe, readShared(moe, family, config));
    FABRICAST_ASSIGN(model.sparse, sparseLayers(family, config, model.layers));
    return model;
}

}  // namespace fabricast
