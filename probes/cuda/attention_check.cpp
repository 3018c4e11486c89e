#include "probes/cuda/attention_tensors.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricast::probe {

namespace {

/// What the host needs of a head: keys and values, all rows one after the other.
struct HostHead {
    std::vector<double> keys, values;
};

Answer<std::vector<double>> read(const DeviceMemory& memory,
                                 std::int64_t first,
                                 std::int64_t count) {
    const void* const place = memory.at(static_cast<std::size_t>(first) * 2);
    return numbersAt(place, NumberType::Bf16, static_cast<std::size_t>(count), 1);
}

/// Of all samples' heads of keys, the one with this number.
Answer<HostHead> hostHead(const AttentionTensors& tensors, std::int64_t head) {
    const std::int64_t all = tensors.shape.sequence * tensors.shape.dim;
    const Answer<std::vector<double>> keys = read(tensors.keys, head * all, all);
    const Answer<std::vector<double>> values = read(tensors.values, head * all, all);
    if (!keys || !values) {
        return keys ? values.trouble() : keys.trouble();
    }
    return HostHead{*keys, *values};
}

/// Each is rounded to bf16, as are shares and changes of scores on the way.
double wrongOf(const std::vector<double>& got, const std::vector<double>& wanted) {
    constexpr double kShare = 0.05;  // of the row's largest
    constexpr double kLeast = 0.002;
    double largest = 0.0;
    for (const double one : wanted) {
        largest = std::max(largest, std::abs(one));
    }
    double wrong = 0.0;
    for (std::size_t at = 0; at < wanted.size(); ++at) {
        wrong += std::abs(got[at] - wanted[at]) <= kShare * largest + kLeast ? 0.0 : 1.0;
    }
    return wrong;
}

/// One row of the outputs, or backward of the queries' gradient.
Answer<double> wrongOfQuery(const AttentionTensors& tensors, std::int64_t row) {
    const AttentionShape& shape = tensors.shape;
    const DeviceMemory& results = shape.backward ? tensors.queriesGradient : tensors.outputs;
    const std::int64_t sharing = shape.heads / shape.groups;
    const Answer<HostHead> head = hostHead(tensors, row / shape.sequence / sharing);
    const Answer<std::vector<double>> query = read(tensors.queries, row * shape.dim, shape.dim);
    const Answer<std::vector<double>> gradient = read(tensors.gradient, row * shape.dim, shape.dim);
    const Answer<std::vector<double>> got = read(results, row * shape.dim, shape.dim);
    for (const Answer<std::vector<double>>* part : {&query, &gradient, &got}) {
        if (!head || !*part) {
            return head ? part->trouble() : head.trouble();
        }
    }
    const std::int64_t reach = shape.causal ? row % shape.sequence + 1 : shape.sequence;
    return wrongOf(
        *got,
        attentionRow(
            {*query, head->keys, head->values, reach, shape.backward ? &*gradient : nullptr}));
}

/// The gradients of the key and value with this number in the last head, from all queries that see
/// it.
Answer<double> wrongOfKey(const AttentionTensors& tensors, std::int64_t key) {
    const AttentionShape& shape = tensors.shape;
    const std::int64_t last = shape.batch * shape.groups - 1;
    const Answer<HostHead> head = hostHead(tensors, last);
    if (!head) {
        return head.trouble();
    }
    KeyGradients wanted;
    for (std::int64_t of = shape.rows() - shape.heads / shape.groups * shape.sequence;
         of < shape.rows();
         ++of) {
        const std::int64_t reach = shape.causal ? of % shape.sequence + 1 : shape.sequence;
        if (reach <= key) {
            continue;
        }
        const Answer<std::vector<double>> query = read(tensors.queries, of * shape.dim, shape.dim);
        const Answer<std::vector<double>> gradient =
            read(tensors.gradient, of * shape.dim, shape.dim);
        if (!query || !gradient) {
            return query ? gradient.trouble() : query.trouble();
        }
        addKeyGradients({*query, head->keys, head->values, reach, &*gradient}, key, wanted);
    }
    const std::int64_t place = (last * shape.sequence + key) * shape.dim;
    const Answer<std::vector<double>> toKey = read(tensors.keysGradient, place, shape.dim);
    const Answer<std::vector<double>> toValue = read(tensors.valuesGradient, place, shape.dim);
    if (!toKey || !toValue) {
        return toKey ? toValue.trouble() : toKey.trouble();
    }
    return wrongOf(*toKey, wanted.key) + wrongOf(*toValue, wanted.value);
}

/// The key to check: one that few enough queries see for the host to work it out, or none.
std::int64_t checkedKey(const AttentionShape& shape) {
    constexpr std::int64_t kSeen = 16;
    constexpr double kMost = 1 << 28;  // multiplications
    const std::int64_t seen = shape.causal ? std::min(kSeen, shape.sequence) : shape.sequence;
    const auto pairs = static_cast<double>(shape.heads / shape.groups * seen * shape.sequence);
    return pairs * static_cast<double>(shape.dim) <= kMost ? shape.sequence - seen : -1;
}

}  // namespace

Answer<double> AttentionTensors::wrong() const {
    double wrong = 0.0;
    for (const std::int64_t row : {std::int64_t{0}, shape.rows() / 2, shape.rows() - 1}) {
        const Answer<double> some = wrongOfQuery(*this, row);
        if (!some) {
            return some.trouble();
        }
        wrong += *some;
    }
    const std::int64_t key = checkedKey(shape);
    if (!shape.backward || key < 0) {
        return wrong;
    }
    const Answer<double> more = wrongOfKey(*this, key);
    return more ? Answer<double>(wrong + *more) : more.trouble();
}

}  // namespace fabricast::probe
