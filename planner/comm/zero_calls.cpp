#include "planner/comm/data_parallel_calls.h"
#include "planner/comm/torch_regions.h"
#include "planner/comm/zero_buckets.h"

#include <map>

namespace fabricast {
namespace {

/// Without ZeRO gradients are collected until they pass this, whatever the buckets' sizes.
constexpr std::int64_t kFallbackBucket = 500'000'000;

/// Experts over ranks have an optimizer group of their own, over the ranks with the same ones.
struct ZeroRanks {
    GroupKind group = GroupKind::DataContext;
    std::int64_t count = 1;
};

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
void addPieces(Calls& calls, const StageView& view, const ZeroBucket& bucket, std::int64_t times) {
    const std::int64_t limit = view.settings().deepspeed.reduceBucket;
    std::int64_t elements = 0;
    for (const ZeroPiece& piece : bucket.pieces) {
        elements += piece.elements;
        if (elements > limit) {
            add(calls, reduction(view, elements, times));
            elements = 0;
        }
    }
    add(calls, reduction(view, elements, times));
}

/// use_multi_rank_bucket_allreduce off: each owner's pieces go to it alone.
void addOwners(Calls& calls, const StageView& view, const ZeroBucket& bucket, std::int64_t times) {
    std::map<std::int64_t, std::int64_t> elements;
    for (const ZeroPiece& piece : bucket.pieces) {
        elements[piece.owner] += piece.elements;
    }
    for (const auto& [owner, sum] : elements) {
        CommCall call = reduction(view, sum, times);
        call.op = CommOp::Reduce;
        add(calls, call);
    }
}

void addBuckets(Calls& calls, const StageView& view, const ZeroFlat& flat) {
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    const bool second = view.layout().shard == Shard::Zero2;
    const std::int64_t times = second ? view.microBatches : 1;
    for (const ZeroBucket& bucket : flat.buckets) {
        if (!zero.reduceScatter) {
            add(calls, reduction(view, bucket.elements, times));
        } else if (zero.multiRankBuckets) {
            addPieces(calls, view, bucket, times);
        } else {
            addOwners(calls, view, bucket, times);
        }
    }
}

// Stage 1 that accumulates in fp32 is another optimizer: one flat gradient, no norm over ranks.
Calls zeroGroup(const StageView& view, const ModelWeights& model, ZeroRanks ranks) {
    const PrecisionSettings& precision = view.settings().precision;
    Calls calls;
    if (view.layout().shard == Shard::None) {
        calls = withoutZero(view, model);
    } else {
        const ZeroFlat flat = zeroFlat(view, model, ranks.count);
        if (view.layout().shard == Shard::Zero1 && precision.gradients == Dtype::Fp32 &&
            precision.parameters == Dtype::Bf16) {
            add(calls, reduction(view, flat.padded, 1));
        } else {
            addBuckets(calls, view, flat);
        }
        add(calls, gatherUpdated(view, flat.padded));
    }
    for (CommCall& call : calls) {
        call.group = ranks.group;
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

bool sumsNorm(const StageView& view) {
    const PrecisionSettings& precision = view.settings().precision;
    return view.layout().shard == Shard::Zero2 ||
           (view.layout().shard == Shard::Zero1 &&
            !(precision.gradients == Dtype::Fp32 && precision.parameters == Dtype::Bf16));
}

}  // namespace

Calls zeroCalls(const StageView& view) {
    const Layout& layout = view.layout();
    const ZeroRanks all{.count = layout.replicas()};
    const ModelWeights model = modelWeights(view);
    Calls calls;
    if (layout.ep == 1 || !view.model().moe) {
        calls = zeroGroup(view, model, all);
    } else {
        const ZeroRanks alike{.group = GroupKind::ExpertData, .count = layout.expertReplicas()};
        calls = zeroGroup(view, onlyExperts(model, false), all);
        append(calls, asRead(zeroGroup(view, onlyExperts(model, true), alike)));
    }
    if (sumsNorm(view)) {
        CommCall flag{.type = WireType::Uint8, .phase = CommPhase::Optimizer, .elements = 1};
        add(calls, flag);
        flag.type = WireType::Fp32;
        add(calls, flag);
    }
    return calls;
}

}  // namespace fabricast
