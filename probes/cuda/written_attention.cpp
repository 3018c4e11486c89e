#include "probes/cuda/written_attention.h"

#include "probes/cuda/attention_reference.h"
#include "probes/cuda/launch_ops.h"

#include <cmath>

namespace fabricast::probe {

/// Named for what they make. Each is one strided batch over samples and heads of keys.
struct WrittenAttention::Products {
    LtProduct scores, outputs, valuesGradient, queriesGradient, keysGradient;
};

/// What the host needs of one query: the rows of its head.
struct WrittenAttention::HostHead {
    std::vector<double> query, gradient;
    std::vector<double> keys, values;  ///< all rows, one after the other
    std::int64_t reach = 0;
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

std::size_t halves(std::int64_t numbers) {
    return aligned(static_cast<std::size_t>(numbers) * 2);
}

float scaleOf(const AttentionShape& shape) {
    return 1.0F / std::sqrt(static_cast<float>(shape.dim));
}

}  // namespace

double WrittenAttention::bytesFor(const AttentionShape& shape) {
    return static_cast<double>(4 * halves(shape.queries()) + 4 * halves(shape.keys()) +
                               2 * halves(shape.scores()));
}

Answer<WrittenAttention> WrittenAttention::make(GpuBench& bench, const AttentionShape& shape) {
    const Answer<const LtHome*> lt = bench.lt();
    const Answer<std::vector<LtProduct>> products =
        lt ? planProducts(**lt, shape) : Answer<std::vector<LtProduct>>(lt.trouble());
    if (!products) {
        return products.trouble();
    }
    WrittenAttention made;
    made.shape_ = shape;
    made.lt_ = *lt;
    const std::vector<LtProduct>& p = *products;
    made.products_ = std::make_shared<Products>(Products{p[0], p[1], p[2], p[3], p[4]});
    const std::pair<DeviceMemory*, std::int64_t> homes[] = {
        {&made.queries_, shape.queries()},
        {&made.keys_, shape.keys()},
        {&made.values_, shape.keys()},
        {&made.outputs_, shape.queries()},
        {&made.gradient_, shape.queries()},
        {&made.shares_, shape.scores()},
        {&made.scores_, shape.scores()},
        {&made.queriesGradient_, shape.queries()},
        {&made.keysGradient_, shape.keys()},
        {&made.valuesGradient_, shape.keys()}};
    unsigned seed = 0;
    for (const auto& [home, numbers] : homes) {
        Answer<DeviceMemory> memory = deviceMemory(halves(numbers));
        const Done filled =
            memory ? fillRandom(*memory, NumberType::Bf16, ++seed) : Done(memory.trouble());
        if (!filled) {
            return filled.trouble();
        }
        *home = std::move(*memory);
    }
    return made;
}

Done WrittenAttention::forward(cudaStream_t stream) const {
    const long packs = shape_.sequence / Pack::kNumbers;
    auto* const shares = static_cast<Pack*>(shares_.get());
    Done done = products_->scores.run(*lt_, stream, queries_.get(), keys_.get(), shares);
    launchRows(
        stream,
        SoftmaxRows{
            shares, shares, nullptr, packs, shape_.causal ? shape_.sequence : 0, scaleOf(shape_)},
        shape_.scores() / shape_.sequence);
    return done ? products_->outputs.run(*lt_, stream, shares, values_.get(), outputs_.get())
                : done;
}

Done WrittenAttention::backward(cudaStream_t stream) const {
    const long packs = shape_.sequence / Pack::kNumbers;
    const auto* const shares = static_cast<const Pack*>(shares_.get());
    auto* const scores = static_cast<Pack*>(scores_.get());
    Done done = products_->valuesGradient.run(
        *lt_, stream, shares_.get(), gradient_.get(), valuesGradient_.get());
    done =
        done ? products_->scores.run(*lt_, stream, gradient_.get(), values_.get(), scores) : done;
    launchRows(stream,
               SoftmaxGradientRows{scores, shares, scores, packs, scaleOf(shape_)},
               shape_.scores() / shape_.sequence);
    done = done ? products_->queriesGradient.run(
                      *lt_, stream, scores, keys_.get(), queriesGradient_.get())
                : done;
    return done ? products_->keysGradient.run(
                      *lt_, stream, scores, queries_.get(), keysGradient_.get())
                : done;
}

Answer<WrittenAttention::HostHead> WrittenAttention::hostHead(std::int64_t row) const {
    const std::int64_t head = row / shape_.sequence;
    const std::int64_t sample = head / shape_.heads;
    const std::int64_t group = head % shape_.heads / (shape_.heads / shape_.groups);
    const std::int64_t matrix = (sample * shape_.groups + group) * shape_.sequence * shape_.dim;
    const auto read = [](const DeviceMemory& memory, std::int64_t first, std::int64_t count) {
        return numbersAt(memory.at(static_cast<std::size_t>(first) * 2),
                         NumberType::Bf16,
                         static_cast<std::size_t>(count),
                         1);
    };
    const Answer<std::vector<double>> query = read(queries_, row * shape_.dim, shape_.dim);
    const Answer<std::vector<double>> gradient = read(gradient_, row * shape_.dim, shape_.dim);
    const Answer<std::vector<double>> keys = read(keys_, matrix, shape_.sequence * shape_.dim);
    const Answer<std::vector<double>> values = read(values_, matrix, shape_.sequence * shape_.dim);
    for (const Answer<std::vector<double>>* one : {&query, &gradient, &keys, &values}) {
        if (!*one) {
            return one->trouble();
        }
    }
    const std::int64_t reach = shape_.causal ? row % shape_.sequence + 1 : shape_.sequence;
    return HostHead{*query, *gradient, *keys, *values, reach};
}

Answer<double> WrittenAttention::wrongRows(const DeviceMemory& results, bool backward) const {
    const std::int64_t rows = shape_.scores() / shape_.sequence;
    double wrong = 0.0;
    for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
        const Answer<HostHead> head = hostHead(row);
        const Answer<std::vector<double>> got =
            numbersAt(results.at(static_cast<std::size_t>(row * shape_.dim) * 2),
                      NumberType::Bf16,
                      static_cast<std::size_t>(shape_.dim),
                      1);
        if (!head || !got) {
            return head ? got.trouble() : head.trouble();
        }
        const std::vector<double> wanted = attentionRow({head->query,
                                                         head->keys,
                                                         head->values,
                                                         head->reach,
                                                         backward ? &head->gradient : nullptr});
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            // Shares and scores are rounded on the way, and errors of many terms add up.
            constexpr double kSlack = 0.03;
            wrong += std::abs((*got)[at] - wanted[at]) <= kSlack ? 0.0 : 1.0;
        }
    }
    return wrong;
}

Answer<double> WrittenAttention::wrongForward() const {
    return wrongRows(outputs_, false);
}

Answer<double> WrittenAttention::wrongBackward() const {
    return wrongRows(queriesGradient_, true);
}

}  // namespace fabricast::probe
