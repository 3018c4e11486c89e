#include "planner/ops/parameter_list.h"

namespace fabricast {
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
Parameters latentAttention(const ModelSpec& model) {
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

}  // namespace

Parameters attentionParameters(const ModelSpec& model) {
    return model.attention.kind == AttentionKind::Latent ? latentAttention(model)
                                                         : groupedAttention(model);
}

}  // namespace fabricast
