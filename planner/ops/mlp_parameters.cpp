#include "planner/ops/parameter_list.h"

namespace fabricast {
namespace {

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

Parameters routedExperts(const ModelSpec& model, const MoeSpec& moe) {
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
    append(list, routedExperts(model, moe));
    if (moe.sharedWidth > 0) {
        append(list,
               feedForward(model,
                           {.kind = moe.kind, .width = moe.sharedWidth},
                           Part::SharedExperts,
                           "shared_expert."));
    }
    if (moe.sharedGate) {
        list.push_back(
            matrix("shared_expert_gate", Part::SharedExperts, Split::Replicated, 1, model.hidden));
    }
    return list;
}

}  // namespace fabricast
