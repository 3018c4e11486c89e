#include "planner/comm/engine_calls.h"
#include "planner/sharding/model_modules.h"

namespace fabricast {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kDefaultCapMb = 25;

std::int64_t reductions(const StageView& view) {
    return view.settings().torch.sync == GradientSync::LastMicroBatch ? 1 : view.microBatches;
}

/// The frequencies of rotary embeddings, once as they are and once as they began.
std::int64_t bufferElements(const StageView& view) {
    const AttentionSpec& attention = view.model().attention;
    if (view.model().position != PositionKind::Rope) {
        return 0;
    }
    return attention.kind == AttentionKind::Latent ? attention.qkRopeDim : attention.headDim;
}

}  // namespace

Calls ddpCalls(const StageView& view) {
    const ModelWeights model = modelWeights(view);
    const TorchSettings& torch = view.settings().torch;
    const bool first = torch.smallFirstBucket && torch.bucketCapMb == kDefaultCapMb;
    const WireType type = wireType(view.settings().precision.gradients);
    CommCall bucket{.type = type,
                    .phase = CommPhase::Backward,
                    .use = CommUse::GradientReduce,
                    .place = CommPlace::Buckets,
                    .times = reductions(view)};
    Calls calls;
    std::int64_t limit = (first ? 1 : torch.bucketCapMb) * kMiB;
    for (const std::size_t weight : gradientOrder(model)) {
        bucket.elements += model.tensors[weight].elements();
        if (bucket.bytes() >= limit) {
            add(calls, bucket);
            bucket.elements = 0;
            limit = torch.bucketCapMb * kMiB;
        }
    }
    add(calls, bucket);
    add(calls,
        {.op = CommOp::Broadcast,
         .type = WireType::Fp32,
         .phase = CommPhase::Forward,
         .elements = bufferElements(view),
         .times = reductions(view)});
    return calls;
}

}  // namespace fabricast
