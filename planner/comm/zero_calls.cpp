#include "planner/comm/data_parallel_calls.h"
#include "planner/comm/torch_regions.h"
#include "planner/ops/deepspeed_moe.h"
#include "planner/sharding/model_modules.h"
#include "planner/sharding/zero_partition.h"

#include <map>
#include <vector>

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

/// Trained weights of one optimizer group in the order of registration, in one flat buffer with an
/// equal partition for each rank.
class FlatGroup {
public:
    FlatGroup(const StageView& view, const ModelWeights& model, std::int64_t ranks)
        : registered_(registeredOrder(model)),
          placeOf_(model.tensors.size()),
          elements_(elementsOf(model)),
          cut_(elements_, {.ranks = ranks, .roundRobin = view.settings().deepspeed.roundRobin}) {
        for (std::size_t place = 0; place < registered_.size(); ++place) {
            placeOf_[registered_[place]] = place;
        }
    }

    [[nodiscard]] std::int64_t padded() const { return cut_.padded(); }
    /// Stage 1 reduces after the last micro-batch, in the order of registration unless overlap_comm
    /// takes gradients as they come; stage 2 always does.
    [[nodiscard]] std::vector<ZeroBucket> buckets(const StageView& view,
                                                  const ModelWeights& model) const {
        const DeepSpeedSettings& zero = view.settings().deepspeed;
        const bool atEnd = view.layout().shard == Shard::Zero1 && !zero.overlapComm;
        std::vector<std::size_t> places = atEnd ? registered_ : gradientOrder(model);
        for (std::size_t& weight : places) {
            weight = placeOf_[weight];
        }
        return zeroBuckets(places, elements_, zero.reduceBucket);
    }
    /// The pieces of a bucket by the ranks whose partitions they lie in.
    [[nodiscard]] std::vector<ZeroPartition::Slice> pieces(const ZeroBucket& bucket) const {
        std::vector<ZeroPartition::Slice> pieces;
        for (const std::size_t place : bucket.parameters) {
            const auto slices = cut_.slices(place);
            pieces.insert(pieces.end(), slices.begin(), slices.end());
        }
        return pieces;
    }

private:
    [[nodiscard]] std::vector<std::int64_t> elementsOf(const ModelWeights& model) const {
        std::vector<std::int64_t> elements;
        for (const std::size_t weight : registered_) {
            elements.push_back(model.tensors[weight].elements());
        }
        return elements;
    }

    std::vector<std::size_t> registered_;
    std::vector<std::size_t> placeOf_;  ///< in `registered_`, by weight
    std::vector<std::int64_t> elements_;
    ZeroPartition cut_;
};

using Pieces = std::vector<ZeroPartition::Slice>;

/// The pieces of a bucket are collected, and reduced whenever they are more than a bucket.
void addPieces(Calls& calls, const StageView& view, const Pieces& pieces, std::int64_t times) {
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
void addOwners(Calls& calls, const StageView& view, const Pieces& pieces, std::int64_t times) {
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

void addBuckets(Calls& calls,
                const StageView& view,
                const ModelWeights& model,
                const FlatGroup& flat) {
    const DeepSpeedSettings& zero = view.settings().deepspeed;
    const bool second = view.layout().shard == Shard::Zero2;
    const std::int64_t times = second ? view.microBatches : 1;
    for (const ZeroBucket& bucket : flat.buckets(view, model)) {
        if (!zero.reduceScatter) {
            add(calls, reduction(view, bucket.elements, times));
        } else if (zero.multiRankBuckets) {
            addPieces(calls, view, flat.pieces(bucket), times);
        } else {
            addOwners(calls, view, flat.pieces(bucket), times);
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
        const FlatGroup flat(view, model, ranks.count);
        if (view.layout().shard == Shard::Zero1 && precision.gradients == Dtype::Fp32 &&
            precision.parameters == Dtype::Bf16) {
            add(calls, reduction(view, flat.padded(), 1));
        } else {
            addBuckets(calls, view, model, flat);
        }
        add(calls, gatherUpdated(view, flat.padded()));
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

/// Of each optimizer group: of experts the mean over the ranks that have them, too.
Calls groupNormCalls(const StageView& view, const ModelWeights& model) {
    CommCall norm{.type = WireType::Fp32, .phase = CommPhase::Optimizer, .elements = 1};
    Calls calls;
    add(calls, norm);
    if (!usesDeepSpeedMoe(*view.scenario)) {
        return calls;
    }
    std::int64_t elements = 0;
    for (const RankTensor& tensor : model.tensors) {
        elements += tensor.trained && tensor.isExpert() ? tensor.elements() : 0;
    }
    norm.each = (elements + kMostOfExpertGroup - 1) / kMostOfExpertGroup;
    add(calls, norm);
    norm.group = GroupKind::ExpertData;
    add(calls, norm);
    return calls;
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
    if (!view.model().moe || (layout.ep == 1 && !usesDeepSpeedMoe(*view.scenario))) {
        calls = zeroGroup(view, model, all);
    } else {
        const ZeroRanks alike{.group = GroupKind::ExpertData, .count = layout.expertReplicas()};
        calls = zeroGroup(view, onlyExperts(model, false), all);
        append(calls, asRead(zeroGroup(view, onlyExperts(model, true), alike)));
    }
    if (sumsNorm(view)) {
        add(calls, {.type = WireType::Uint8, .phase = CommPhase::Optimizer, .elements = 1});
        append(calls, groupNormCalls(view, model));
    }
    return calls;
}

}  // namespace fabricast
