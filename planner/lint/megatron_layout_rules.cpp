#include "planner/lint/megatron_sizes.h"

#include <algorithm>

namespace fabricast {
namespace {

LintHits undividedRanks(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::int64_t model = sizes.tp * sizes.pp * sizes.cp * sizes.weightShards;
    if (!sizes.ranks || *sizes.ranks % model == 0) {
        return {};
    }
    return {hitAt(view.file,
                  "--tensor-model-parallel-size",
                  std::to_string(*sizes.ranks) + " ranks are no multiple of " +
                      std::to_string(model) + " (tp x pp x cp)",
                  "sizes whose product divides the ranks")};
}

/// What the arguments make of the model.
SaidSizes modelSizes(const LintView& view) {
    const LintFile& file = view.file;
    const MegatronSizes sizes = megatronSizes(view);
    const auto said = [&file](const char* flag) {
        return std::max<std::int64_t>(0, file.whole(flag, 0));
    };
    return {.hidden = said("--hidden-size"),
            .headWidth = said("--kv-channels") + (file.has("--multi-latent-attention") ? 1 : 0),
            .heads = sizes.heads.value_or(0),
            .kvHeads = file.has("--group-query-attention") ? said("--num-query-groups") : 0,
            .experts = sizes.experts,
            .expertsPerToken = said("--moe-router-topk"),
            .tp = sizes.tp,
            .ep = sizes.ep};
}

LintHits undividedHeads(const LintView& view) {
    constexpr std::array kDivides = {SizeDivision::HeadsByTp, SizeDivision::KvHeadsWithTp};
    LintHits hits;
    for (const UnevenSizes& one : unevenSizes(modelSizes(view), kDivides)) {
        const bool ofHeads = one.division == SizeDivision::HeadsByTp;
        hits.push_back(hitAt(view.file,
                             ofHeads ? "--tensor-model-parallel-size" : "--num-query-groups",
                             one.text,
                             ofHeads ? "a size that divides the heads"
                                     : "a size that divides them, or that they divide"));
    }
    return hits;
}

/// Sizes of the model alone. validate_args (megatron/training/arguments.py:1292 of 0.19) asserts
/// the first, unless --kv-channels is said; attention (megatron/core/transformer/attention.py:1832)
/// views its projection by query groups, and torch.topk has no more experts than there are.
LintHits senselessModel(const LintView& view) {
    constexpr std::array kDivides = {
        SizeDivision::HiddenByHeads, SizeDivision::HeadsByKvHeads, SizeDivision::ExpertsPerToken};
    LintHits hits;
    for (const UnevenSizes& one : unevenSizes(modelSizes(view), kDivides)) {
        const bool ofHidden = one.division == SizeDivision::HiddenByHeads;
        const bool ofHeads = one.division == SizeDivision::HeadsByKvHeads;
        hits.push_back(hitAt(view.file,
                             ofHidden  ? "--hidden-size"
                             : ofHeads ? "--num-query-groups"
                                       : "--moe-router-topk",
                             one.text,
                             ofHidden  ? "a multiple of the heads, or --kv-channels"
                             : ofHeads ? "a number that divides the heads"
                                       : "a number of at most " + std::to_string(one.whole)));
    }
    return hits;
}

/// Layers and what counts as one beside them.
struct SplitLayers {
    std::int64_t layers = 0;
    std::int64_t stages = 1;
};

std::optional<SplitLayers> evenSplit(const LintView& view, const MegatronSizes& sizes) {
    const LintFile& file = view.file;
    if (!sizes.layers || sizes.pp <= 1 || file.has("--pipeline-model-parallel-layout")) {
        return std::nullopt;
    }
    SplitLayers split{*sizes.layers, sizes.pp};
    for (const char* const flag :
         {"--account-for-embedding-in-pipeline-split", "--account-for-loss-in-pipeline-split"}) {
        split.layers += file.has(flag) ? 1 : 0;
    }
    for (const char* const flag :
         {"--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"}) {
        if (file.has(flag)) {
            split.layers -= file.whole(flag, 0);
            split.stages -= 1;
        }
    }
    return split.stages > 0 && split.layers > 0 ? std::optional(split) : std::nullopt;
}

LintHits undividedLayers(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::optional<SplitLayers> split = evenSplit(view, sizes);
    if (!split || split->layers % split->stages == 0) {
        return {};
    }
    return {hitAt(
        view.file,
        "--pipeline-model-parallel-size",
        std::to_string(split->layers) + " layers on " + std::to_string(split->stages) + " stages",
        (split->layers + 2) % split->stages == 0
            ? "--account-for-embedding-in-pipeline-split "
              "--account-for-loss-in-pipeline-split, which make them " +
                  std::to_string(split->layers + 2)
            : "both --decoder-first-pipeline-num-layers and --decoder-last-pipeline-num-layers")};
}

LintHits undividedChunks(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::int64_t each = view.file.whole("--num-layers-per-virtual-pipeline-stage", 0);
    const std::optional<SplitLayers> split = evenSplit(view, sizes);
    if (each <= 0 || !split || split->layers % split->stages != 0 ||
        split->layers / split->stages % each == 0) {
        return {};
    }
    return {hitAt(view.file,
                  "--num-layers-per-virtual-pipeline-stage",
                  std::to_string(split->layers / split->stages) +
                      " layers of a stage in chunks of " + std::to_string(each),
                  "a number that divides them")};
}

LintHits idleChunks(const LintView& view) {
    const LintFile& file = view.file;
    const MegatronSizes sizes = megatronSizes(view);
    if (sizes.chunks <= 1) {
        return {};
    }
    const bool alone = file.has("--no-overlap-p2p-communication");
    if (sizes.pp > (alone ? 2 : 1)) {
        return {};
    }
    return {hitAt(file,
                  "--pipeline-model-parallel-size",
                  alone ? "interleaved stages without overlapped sends, on " +
                              std::to_string(sizes.pp) + " stages"
                        : "interleaved stages without a pipeline",
                  alone ? "more than 2 stages, or overlapped sends" : "leave the chunks out")};
}

LintHits undividedBatch(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::optional<std::int64_t> ranks = sizes.dataRanks();
    if (!ranks) {
        return {};
    }
    // Ranks that hold further shards of the weights have samples of their own; the default batch
    // does not count them.
    const std::int64_t round = sizes.microBatch * *ranks * sizes.weightShards;
    const std::int64_t batch = sizes.batch.value_or(sizes.microBatch * *ranks);
    if (batch % round == 0) {
        return {};
    }
    return {hitAt(view.file,
                  "--global-batch-size",
                  "a batch of " + std::to_string(batch) + " is no multiple of " +
                      std::to_string(round) + " (micro-batch x data ranks)",
                  "a multiple of " + std::to_string(round))};
}

LintHits unevenRounds(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    const std::optional<std::int64_t> ranks = sizes.dataRanks();
    const std::int64_t round = ranks ? sizes.microBatch * *ranks * sizes.weightShards : 0;
    if (sizes.chunks <= 1 || sizes.pp <= 1 || !sizes.batch || round == 0 ||
        *sizes.batch % round != 0) {
        return {};
    }
    const std::int64_t rounds = *sizes.batch / round;
    const std::int64_t group =
        view.file.whole("--microbatch-group-size-per-virtual-pipeline-stage", sizes.pp);
    const std::int64_t rest = group > 0 ? rounds % group : 0;
    if (rest == 0 || rest >= sizes.pp) {
        return {};
    }
    return {hitAt(view.file,
                  "--global-batch-size",
                  std::to_string(rounds) + " micro-batches in groups of " + std::to_string(group) +
                      " on interleaved stages",
                  "a batch of a multiple of " + std::to_string(round * group))};
}

LintHits farTensorRanks(const LintView& view) {
    const MegatronSizes sizes = megatronSizes(view);
    std::optional<std::int64_t> each = view.facts.gpusPerNode;
    for (const char* const path : {"torchrun --nproc_per_node", "torchrun --nproc-per-node"}) {
        const std::int64_t typed = view.file.whole(path, 0);
        each = !each && typed > 0 ? std::optional(typed) : each;
    }
    if (!each || sizes.tp <= *each) {
        return {};
    }
    return {hitAt(
        view.file,
        "--tensor-model-parallel-size",
        std::to_string(sizes.tp) + " tensor ranks, and " + std::to_string(*each) +
            " GPUs in a node",
        "--tensor-model-parallel-size " + std::to_string(*each) + "; more stages make up for it")};
}

constexpr std::array kMegatronLayoutRules = {
    LintRule{"MG01",
             LintSeverity::Error,
             "ranks that the sizes do not divide",
             "Megatron ends at the start.",
             &undividedRanks},
    LintRule{"MG05",
             LintSeverity::Error,
             "heads that tensor ranks do not divide",
             "Megatron ends at the start.",
             &undividedHeads},
    LintRule{"MG06",
             LintSeverity::Error,
             "layers that stages do not divide",
             "Megatron ends at the start.",
             &undividedLayers},
    LintRule{"MG07",
             LintSeverity::Error,
             "layers of a stage that chunks do not divide",
             "Megatron ends at the start.",
             &undividedChunks},
    LintRule{"MG08",
             LintSeverity::Error,
             "interleaving without the stages for it",
             "Megatron ends at the start.",
             &idleChunks},
    LintRule{"MG09",
             LintSeverity::Error,
             "a batch that the data ranks do not divide",
             "Megatron ends at the start.",
             &undividedBatch},
    LintRule{"MG10",
             LintSeverity::Error,
             "micro-batches that interleaved stages do not divide",
             "The schedule ends with an error in its first step.",
             &unevenRounds},
    LintRule{"MG16",
             LintSeverity::Warning,
             "tensor ranks across nodes",
             "Each layer waits for the network four times: the layout is bound by communication.",
             &farTensorRanks},
    LintRule{"MG56",
             LintSeverity::Error,
             "sizes of a model that do not go together",
             "Megatron ends at the start, or in the first forward pass.",
             &senselessModel}};

}  // namespace

std::span<const LintRule> megatronLayoutRules() {
    return kMegatronLayoutRules;
}

}  // namespace fabricast
