#include "planner/comm/engine_calls.h"
#include "planner/comm/flat_groups.h"
#include "planner/ops/expert_layers.h"

#include <algorithm>
#include <map>
#include <vector>

namespace fabricast {
namespace {

/// Without ZeRO gradients are collected until they pass this, whatever the buckets' sizes.
constexpr std::int64_t kFallbackBucket = 500'000'000;

CommCall reduction(const StageView& view, std::int64_t elements, std::int64_t times) {
    return {.type = view.reduce,
            .phase = CommPhase::Backward,
            .use = CommUse::GradientReduce,
            .place = CommPlace::Buckets,
            .elements = elements,
            .times = times};
}

Calls withoutZero(const StageView& view, const ModelWeights& model) {
    Calls calls;
    std::int64_t elements = 0;
    for (const std::size_t weight : registeredOrder(model)) {
        elements += model.tensors[weight].elements();
        if (elements > kFallbackBucket) {
            add(calls, reduction(view, elements, 1));
            elements = 0;
        }
    }
    add(calls, reduction(view, elements, 1));
    return calls;
}

CommCall gatherUpdated(const StageView& view, std::int64_t elements) {
    return {.op = CommOp::AllGather,
            .type = wireType(view.settings().precision.parameters),
            .phase = CommPhase::Optimizer,
            .use = CommUse::ParameterGather,
            .place = CommPlace::Buckets,
            .elements = elements};
}

/// The pieces of a bucket are collected, and reduced whenever they are more than a bucket.
void addPieces(Calls& calls,
               const StageView& view,
               const FlatGroup::Pieces& pieces,
               std::int64_t times) {
    const std::int64_t limit = view.settings().deepspeed.reduceBucket;
    std::int64_t elements = 0;
    for (const ZeroPartition::Slice& piece : pieces) {
        elements += piece.elements;
        if (elements > limit) {
            add(calls, reduction(view, elements, times));
            elements = 0;
        }
    }
    add(calls, reduction(view, elements, times));
}

/// use_multi_rank_bucket_allreduce off: each owner's pieces go to it alone.
void addOwners(Calls& calls,
               const StageView& view,
               const FlatGroup::Pieces& pieces,
               std::int64_t times) {
    std::map<std::int64_t, std::int64_t> elements;
    for (const ZeroPartition::Slice& piece : pieces) {
        elements[piece.rank] += piece.elements;
    }
    for (const auto& [owner, sum] : elements) {
        CommCall call = reduction(view, sum, times);
        call.op = CommOp::Reduce;
        add(calls, call);
    }
}

/// What a bucket has of one optimizer group.
void addGroupBucket(Calls& calls,
                    const StageView& view,
                    const FlatGroup::Pieces& pieces,
                    std::int64_t times) {
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    if (pieces.empty()) {
        return;
    }
    if (!zero.reduceScatter) {
        std::int64_t elements = 0;
        for (const ZeroPartition::Slice& piece : pieces) {
            elements += piece.elements;
        }
        add(calls, reduction(view, elements, times));
    } else if (zero.multiRankBuckets) {
        addPieces(calls, view, pieces, times);
    } else {
        addOwners(calls, view, pieces, times);
    }
}

/// Stage 1 that accumulates in fp32 is another optimizer: one flat gradient, no norm over ranks.
bool isBf16Optimizer(const StageView& view) {
    const PrecisionSettings& precision = view.settings().precision;
    return view.layout().shard == Shard::Zero1 && precision.gradients == Dtype::Fp32 &&
           precision.parameters == Dtype::Bf16;
}

/// Buckets hold gradients of every group as they come; what a bucket has of a kind of groups is
/// reduced together.
Calls gradientCalls(const StageView& view,
                    const ModelWeights& model,
                    const std::vector<FlatGroup>& groups,
                    GroupKind kind) {
    const bool second = view.layout().shard == Shard::Zero2;
    const std::int64_t times = second ? view.microBatches : 1;
    Calls calls;
    for (const ZeroBucket& bucket : gradientBuckets(view, model, groups)) {
        FlatGroup::Pieces pieces;
        for (const std::size_t weight : bucket.parameters) {
            for (const FlatGroup& group : groups) {
                group.addPieces(pieces, weight, kind);
            }
        }
        addGroupBucket(calls, view, pieces, times);
    }
    return calls;
}

/// Calls of the optimizer groups over the same ranks.
Calls groupCalls(const StageView& view,
                 const ModelWeights& model,
                 const std::vector<FlatGroup>& groups,
                 GroupKind kind) {
    Calls calls;
    if (!isBf16Optimizer(view)) {
        calls = gradientCalls(view, model, groups, kind);
    }
    for (const FlatGroup& group : groups) {
        if (group.kind() != kind) {
            continue;
        }
        if (isBf16Optimizer(view)) {
            add(calls, reduction(view, group.padded(), 1));
        }
        add(calls, gatherUpdated(view, group.padded()));
    }
    return calls;
}

Calls onGroup(Calls calls, GroupKind kind) {
    for (CommCall& call : calls) {
        call.group = kind;
    }
    return calls;
}

/// The same weights, of which only the experts, or only the others, are trained.
ModelWeights onlyExperts(ModelWeights model, bool experts) {
    for (RankTensor& tensor : model.tensors) {
        tensor.trained = tensor.trained && tensor.isExpert() == experts;
    }
    return model;
}

/// Of each optimizer group: of experts the mean over the ranks that have them, too.
Calls groupNormCalls(const StageView& view, const std::vector<FlatGroup>& groups) {
    CommCall norm{.type = WireType::Fp32, .phase = CommPhase::Optimizer, .elements = 1};
    Calls calls;
    add(calls, norm);
    if (!marksExperts(*view.scenario)) {
        return calls;
    }
    norm.each = std::ranges::count(groups, GroupKind::ExpertData, &FlatGroup::kind);
    add(calls, norm);
    norm.group = GroupKind::ExpertData;
    add(calls, norm);
    return calls;
}

bool sumsNorm(const StageView& view) {
    return view.layout().shard == Shard::Zero2 ||
           (view.layout().shard == Shard::Zero1 && !isBf16Optimizer(view));
}

/// Without ZeRO: gradients by kind; ranks that share out the experts agree on norm and overflow.
Calls plainCalls(const StageView& view, const ModelWeights& model) {
    if (!partsExperts(view)) {
        return onGroup(withoutZero(view, model), GroupKind::DataContext);
    }
    Calls calls = onGroup(withoutZero(view, onlyExperts(model, false)), GroupKind::DataContext);
    append(calls, onGroup(withoutZero(view, onlyExperts(model, true)), GroupKind::ExpertData));
    for (const WireType type : {WireType::Fp32, WireType::Uint8}) {
        add(calls,
            {.group = GroupKind::Expert,
             .type = type,
             .phase = CommPhase::Optimizer,
             .elements = 1});
    }
    return calls;
}

}  // namespace

Calls zeroCalls(const StageView& view) {
    const ModelWeights model = modelWeights(view);
    if (view.layout().shard == Shard::None) {
        return plainCalls(view, model);
    }
    const std::vector<FlatGroup> groups = flatGroups(view, model);
    Calls calls;
    for (const GroupKind kind : {GroupKind::DataContext, GroupKind::ExpertData}) {
        append(calls, onGroup(groupCalls(view, model, groups, kind), kind));
    }
    if (sumsNorm(view)) {
        add(calls, {.type = WireType::Uint8, .phase = CommPhase::Optimizer, .elements = 1});
        append(calls, groupNormCalls(view, groups));
    }
    return calls;
}

}  // namespace fabricast
