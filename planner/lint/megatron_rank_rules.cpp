#include "planner/lint/megatron_sizes.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

LintHits undividedExpertRanks(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::int64_t model = sizes.etp * sizes.ep * sizes.pp;
    if (sizes.experts == 0 || !sizes.ranks || *sizes.ranks % model == 0) {
        return {};
    }
    return {hitAt(view.file,
                  "--expert-model-parallel-size",
                  std::to_string(*sizes.ranks) + " ranks are no multiple of " +
                      std::to_string(model) + " (etp " + std::to_string(sizes.etp) + " x ep x pp)",
                  sizes.etp > 1
                      ? "--expert-tensor-parallel-size 1"
                      : "--expert-model-parallel-size that divides " +
                            std::to_string(*sizes.ranks / std::max<std::int64_t>(1, sizes.pp)))};
}

LintHits silentExpertTensor(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    if (sizes.experts == 0 || sizes.tp <= 1 || sizes.ep <= 1 ||
        view.file.has("--expert-tensor-parallel-size")) {
        return {};
    }
    return {hitAt(view.file,
                  "--expert-model-parallel-size",
                  "experts are split over " + std::to_string(sizes.tp) +
                      " tensor ranks too: --expert-tensor-parallel-size is not said",
                  "--expert-tensor-parallel-size 1")};
}

LintHits undividedExperts(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const SaidSizes said{.experts = sizes.experts, .ep = sizes.ep};
    if (sizes.ep <= 1 || (sizes.experts > 0 && isEven(said, SizeDivision::ExpertsByEp))) {
        return {};
    }
    return {hitAt(view.file,
                  "--expert-model-parallel-size",
                  sizes.experts == 0 ? "expert parallelism, and --num-experts is not said"
                                     : std::to_string(sizes.experts) + " experts on " +
                                           std::to_string(sizes.ep) + " ranks",
                  "a size that divides the experts")};
}

LintHits undividedSequence(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    if (sizes.cp <= 1 || !sizes.sequence) {
        return {};
    }
    // Two chunks for each context rank, and what it has is shared out over tp.
    const std::int64_t parts =
        sizes.cp * std::lcm(std::int64_t{2}, sizes.sequenceParallel ? sizes.tp : 1);
    if (*sizes.sequence % parts == 0) {
        return {};
    }
    return {hitAt(view.file,
                  "--seq-length",
                  "a sequence of " + std::to_string(*sizes.sequence) + " is no multiple of " +
                      std::to_string(parts) + " (twice cp" +
                      (sizes.sequenceParallel ? ", and tp)" : ")"),
                  "a multiple of " + std::to_string(parts))};
}

LintHits unhierarchical(const LintView& view) {
    const LaunchKey* const key = view.file.at("--cp-comm-type");
    const bool nests =
        key != nullptr && std::ranges::find(key->values, "a2a+p2p") != key->values.end();
    return nests && !view.file.has("--hierarchical-context-parallel-sizes")
               ? LintHits{{key,
                           "a2a+p2p without --hierarchical-context-parallel-sizes",
                           "--hierarchical-context-parallel-sizes, whose product is cp"}}
               : LintHits{};
}

LintHits scatteredHeads(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const LaunchKey* const key = view.file.at("--cp-comm-type");
    const bool exchanges =
        key != nullptr && std::ranges::find(key->values, "a2a") != key->values.end();
    if (!exchanges || !sizes.heads || *sizes.heads % (sizes.tp * sizes.cp) == 0) {
        return {};
    }
    return {{key,
             std::to_string(*sizes.heads) + " heads over tp " + std::to_string(sizes.tp) +
                 " and cp " + std::to_string(sizes.cp),
             "--cp-comm-type p2p"}};
}

LintHits idleSequenceParallel(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    return sizes.sequenceParallel && sizes.tp == 1
               ? LintHits{hitAt(view.file,
                                "--sequence-parallel",
                                "--sequence-parallel without tensor ranks",
                                "leave it out")}
               : LintHits{};
}

LintHits withoutSequenceParallel(const LintView& view, bool ofExperts) {
    const MegatronSizes sizes = megatronSizes(view);
    if (sizes.tp <= 1 || sizes.sequenceParallel || (sizes.experts > 0) != ofExperts) {
        return {};
    }
    return {hitAt(view.file,
                  "--tensor-model-parallel-size",
                  std::to_string(sizes.tp) + " tensor ranks " + (ofExperts ? "and experts " : "") +
                      "without --sequence-parallel",
                  "--sequence-parallel")};
}

LintHits copiedActivations(const LintView& view) {
    return withoutSequenceParallel(view, false);
}

/// MoELayer.forward (megatron/core/transformer/moe/moe_layer.py) raises a ValueError in training.
LintHits copiedTokens(const LintView& view) {
    return withoutSequenceParallel(view, true);
}

constexpr std::array kMegatronRankRules = {
    LintRule{"MG02",
             LintSeverity::Error,
             "ranks that the sizes of the experts do not divide",
             "Megatron ends when it makes its groups.",
             &undividedExpertRanks},
    LintRule{
        "MG03",
        LintSeverity::Warning,
        "experts split over tensor ranks unasked",
        "--expert-tensor-parallel-size is --tensor-model-parallel-size unless said: products of "
        "experts get small, and tokens are gathered.",
        &silentExpertTensor},
    LintRule{"MG04",
             LintSeverity::Error,
             "experts that their ranks do not divide",
             "Megatron ends at the start.",
             &undividedExperts},
    LintRule{"MG11",
             LintSeverity::Error,
             "a sequence that its ranks do not divide",
             "Megatron ends at the start, or in the first step.",
             &undividedSequence},
    LintRule{"MG12",
             LintSeverity::Error,
             "a hierarchy of context ranks without sizes",
             "Megatron ends at the start.",
             &unhierarchical},
    LintRule{"MG13",
             LintSeverity::Error,
             "heads that context ranks cannot exchange",
             "Nobody checks it at the start: Transformer Engine ends in the first step.",
             &scatteredHeads},
    LintRule{"MG14",
             LintSeverity::Note,
             "sequence parallelism without tensor ranks",
             "It is turned off without a word.",
             &idleSequenceParallel},
    LintRule{"MG15",
             LintSeverity::Warning,
             "activations that every tensor rank holds",
             "Norms and dropouts are computed and kept tp times.",
             &copiedActivations,
             true},
    LintRule{"MG49",
             LintSeverity::Error,
             "experts of tensor ranks without sequence parallelism",
             "Megatron ends in the first step: its expert layers refuse to train so.",
             &copiedTokens,
             true}};

}  // namespace

std::span<const LintRule> megatronRankRules() {
    return kMegatronRankRules;
}

}  // namespace fabricast
