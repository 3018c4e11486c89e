#include "planner/ops/parameter_list.h"

#include <utility>

namespace fabricast {

void append(Parameters& list, Parameters more) {
    for (Parameter& parameter : more) {
        list.push_back(std::move(parameter));
    }
}

Parameter matrix(std::string name, Part part, Split split, std::int64_t rows, std::int64_t cols) {
    return {.name = std::move(name) + ".weight",
            .part = part,
            .split = split,
            .rows = rows,
            .cols = cols};
}

Parameter bias(std::string name, Part part, Split split, std::int64_t rows) {
    return {.name = std::move(name) + ".bias", .part = part, .split = split, .rows = rows};
}

Parameters linear(const Parameter& weight, bool hasBias) {
    Parameters list{weight};
    if (hasBias) {
        // A row-parallel product is summed over the ranks before its bias is added, once.
        const Split split = weight.split == Split::Row ? Split::Replicated : weight.split;
        const std::string stem = weight.name.substr(0, weight.name.rfind('.'));
        list.push_back(bias(stem, weight.part, split, weight.rows));
    }
    return list;
}

Parameters norm(NormKind kind, const std::string& name, Part part, std::int64_t width) {
    if (kind == NormKind::LayerNoParameters) {
        return {};
    }
    Parameters list{{.name = name + ".weight", .part = part, .rows = width}};
    if (kind == NormKind::Layer) {
        list.push_back(bias(name, part, Split::Replicated, width));
    }
    return list;
}

namespace {

Parameters groupedAttention(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    const std::int64_t queries = attention.heads * attention.headDim;
    const std::int64_t keys = attention.kvHeads * attention.headDim;
    const auto projection = [&](const char* name, std::int64_t rows) {
        return linear(matrix(name, Part::Attention, Split::Column, rows, model.hidden),
                      attention.qkvBias);
    };
    Parameters list;
    if (attention.fusedQkv) {
        append(list, projection("qkv_proj", queries + 2 * keys));
    } else {
        append(list, projection("q_proj", queries));
        append(list, projection("k_proj", keys));
        append(list, projection("v_proj", keys));
    }
    append(list,
           linear(matrix("o_proj", Part::Attention, Split::Row, model.hidden, queries),
                  attention.outBias));
    if (attention.qkNorm != QkNorm::None) {
        const bool perHead = attention.qkNorm == QkNorm::PerHead;
        append(
            list,
            norm(NormKind::Rms, "q_norm", Part::Attention, perHead ? attention.headDim : queries));
        append(list,
               norm(NormKind::Rms, "k_norm", Part::Attention, perHead ? attention.headDim : keys));
    }
    if (attention.sinks) {
        list.push_back({.name = "sinks",
                        .part = Part::Attention,
                        .split = Split::Column,
                        .rows = attention.heads});
    }
    return list;
}

/// attn_mla = (ql ? h·ql + ql + ql·a·(dn+dr) : h·a·(dn+dr)) + h·(kvl+dr) + kvl + kvl·a·(dn+dv) +
/// a·dv·h
Parameters latentParameters(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    const std::int64_t queries = attention.heads * (attention.qkNopeDim + attention.qkRopeDim);
    const std::int64_t keyValues = attention.heads * (attention.qkNopeDim + attention.vHeadDim);
    const auto down = [&](const char* name, std::int64_t rows) {
        return linear(matrix(name, Part::Attention, Split::Replicated, rows, model.hidden),
                      attention.latentBias);
    };
    Parameters list;
    if (attention.qLoraRank > 0) {
        append(list, down("q_a_proj", attention.qLoraRank));
        append(list, norm(NormKind::Rms, "q_a_layernorm", Part::Attention, attention.qLoraRank));
        list.push_back(
            matrix("q_b_proj", Part::Attention, Split::Column, queries, attention.qLoraRank));
    } else {
        list.push_back(matrix("q_proj", Part::Attention, Split::Column, queries, model.hidden));
    }
    append(list, down("kv_a_proj_with_mqa", attention.kvLoraRank + attention.qkRopeDim));
    append(list, norm(NormKind::Rms, "kv_a_layernorm", Part::Attention, attention.kvLoraRank));
    list.push_back(
        matrix("kv_b_proj", Part::Attention, Split::Column, keyValues, attention.kvLoraRank));
    append(list,
           linear(matrix("o_proj",
                         Part::Attention,
                         Split::Row,
                         model.hidden,
                         attention.heads * attention.vHeadDim),
                  attention.latentBias));
    return list;
}

/// One MLP: the dense one of a layer, or all shared experts as one.
Parameters feedForward(const ModelSpec& model,
                       const MlpSpec& mlp,
                       Part part,
                       const std::string& prefix) {
    const auto in = [&](const char* name, std::int64_t rows) {
        return linear(matrix(prefix + name, part, Split::Column, rows, model.hidden), mlp.bias);
    };
    Parameters list;
    if (mlp.kind == MlpKind::Gated && mlp.fusedGateUp) {
        append(list, in("gate_up_proj", 2 * mlp.width));
    } else {
        if (mlp.kind == MlpKind::Gated) {
            append(list, in("gate_proj", mlp.width));
        }
        append(list, in("up_proj", mlp.width));
    }
    append(
        list,
        linear(matrix(prefix + "down_proj", part, Split::Row, model.hidden, mlp.width), mlp.bias));
    return list;
}

Parameters routedExpertParameters(const ModelSpec& model, const MoeSpec& moe) {
    const auto expert = [&](const char* name, std::int64_t rows, std::int64_t cols) {
        Parameters list = linear(
            matrix(std::string("experts.") + name, Part::RoutedExperts, Split::Expert, rows, cols),
            moe.expertBias);
        for (Parameter& parameter : list) {
            parameter.copies = moe.experts;
        }
        return list;
    };
    Parameters list;
    if (moe.kind == MlpKind::Gated) {
        append(list, expert("gate_proj", moe.expertWidth, model.hidden));
    }
    append(list, expert("up_proj", moe.expertWidth, model.hidden));
    append(list, expert("down_proj", model.hidden, moe.expertWidth));
    return list;
}

}  // namespace

Parameters attentionParameters(const ModelSpec& model) {
    return model.attention.kind == AttentionKind::Latent ? latentParameters(model)
                                                         : groupedAttention(model);
}

Parameters mlpParameters(const ModelSpec& model) {
    return feedForward(model, model.mlp, Part::Mlp, "");
}

Parameters expertParameters(const ModelSpec& model, const MoeSpec& moe) {
    Parameters list =
        linear(matrix("router", Part::Router, Split::Replicated, moe.experts, model.hidden),
               moe.routerBias);
    if (moe.correctionBias) {
        list.push_back({.name = "router.e_score_correction_bias",
                        .part = Part::Router,
                        .rows = moe.experts,
                        .buffer = true});
    }
    append(list, routedExpertParameters(model, moe));
    if (moe.sharedWidth > 0) {
        append(list,
               feedForward(model,
                           {.kind = moe.kind, .width = moe.sharedWidth},
                           Part::SharedExperts,
                           "shared_expert."));
    }
    if (moe.residual) {
        append(
            list,
            linear(matrix("coefficient", Part::SharedExperts, Split::Replicated, 2, model.hidden),
                   true));
    }
    if (moe.sharedGate) {
        list.push_back(
            matrix("shared_expert_gate", Part::SharedExperts, Split::Replicated, 1, model.hidden));
    }
    return list;
}

}  // namespace fabricast
