#include "probes/cuda/attention_kernels.h"
#include "probes/cuda/launch_ops.h"

#include <cmath>
#include <vector>

namespace fabricast::probe {

/// Named for what they make. Each is one strided batch over samples and heads of keys.
struct WrittenAttention::Products {
    LtProduct scores, outputs, valuesGradient, queriesGradient, keysGradient;
};

namespace {

/// Every product of attention, in the order of Products.
Answer<std::vector<LtProduct>> planProducts(const LtHome& lt, const AttentionShape& shape) {
    const std::int64_t rows = shape.heads / shape.groups * shape.sequence;
    const std::int64_t keys = shape.sequence;
    const std::int64_t batch = shape.batch * shape.groups;
    const auto product = [&](const char* layout, std::int64_t m, std::int64_t n, std::int64_t k) {
        return LtProduct::plan(
            lt, {.m = m, .n = n, .k = k, .layout = layout, .accumulate = false, .batch = batch});
    };
    std::vector<LtProduct> all;
    for (const Answer<LtProduct>& one : {product("tn", rows, keys, shape.dim),
                                         product("nn", rows, shape.dim, keys),
                                         product("nt", keys, shape.dim, rows),
                                         product("nn", rows, shape.dim, keys),
                                         product("nt", keys, shape.dim, rows)}) {
        if (!one) {
            return one.trouble();
        }
        all.push_back(*one);
    }
    return all;
}

float scaleOf(const AttentionShape& shape) {
    return 1.0F / std::sqrt(static_cast<float>(shape.dim));
}

}  // namespace

double WrittenAttention::bytesFor(const AttentionShape& shape) {
    return static_cast<double>(2 * bytesOfHalves(shape.scores()));
}

Answer<WrittenAttention> WrittenAttention::make(GpuBench& bench, const AttentionShape& shape) {
    const Answer<const LtHome*> lt = bench.lt();
    const Answer<std::vector<LtProduct>> products =
        lt ? planProducts(**lt, shape) : Answer<std::vector<LtProduct>>(lt.trouble());
    if (!products) {
        return products.trouble();
    }
    Answer<DeviceMemory> shares = deviceMemory(bytesOfHalves(shape.scores()));
    Answer<DeviceMemory> scores = deviceMemory(bytesOfHalves(shape.scores()));
    if (!shares || !scores) {
        return shares ? scores.trouble() : shares.trouble();
    }
    WrittenAttention made;
    made.shape_ = shape;
    made.lt_ = *lt;
    const std::vector<LtProduct>& p = *products;
    made.products_ = std::make_shared<Products>(Products{p[0], p[1], p[2], p[3], p[4]});
    made.shares_ = std::move(*shares);
    made.scores_ = std::move(*scores);
    return made;
}

Done WrittenAttention::forward(cudaStream_t stream, const AttentionTensors& tensors) const {
    const long packs = shape_.sequence / Pack::kNumbers;
    auto* const shares = static_cast<Pack*>(shares_.get());
    Done done =
        products_->scores.run(*lt_, stream, tensors.queries.get(), tensors.keys.get(), shares);
    launchRows(
        stream,
        SoftmaxRows{
            shares, shares, nullptr, packs, shape_.causal ? shape_.sequence : 0, scaleOf(shape_)},
        shape_.rows());
    return done ? products_->outputs.run(
                      *lt_, stream, shares, tensors.values.get(), tensors.outputs.get())
                : done;
}

Done WrittenAttention::backward(cudaStream_t stream, const AttentionTensors& tensors) const {
    const long packs = shape_.sequence / Pack::kNumbers;
    const auto* const shares = static_cast<const Pack*>(shares_.get());
    auto* const scores = static_cast<Pack*>(scores_.get());
    Done done = products_->valuesGradient.run(
        *lt_, stream, shares_.get(), tensors.gradient.get(), tensors.valuesGradient.get());
    done = done ? products_->scores.run(
                      *lt_, stream, tensors.gradient.get(), tensors.values.get(), scores)
                : done;
    launchRows(
        stream, SoftmaxGradientRows{scores, shares, scores, packs, scaleOf(shape_)}, shape_.rows());
    done = done ? products_->queriesGradient.run(
                      *lt_, stream, scores, tensors.keys.get(), tensors.queriesGradient.get())
                : done;
    return done ? products_->keysGradient.run(
                      *lt_, stream, scores, tensors.queries.get(), tensors.keysGradient.get())
                : done;
}

}  // namespace fabricast::probe
