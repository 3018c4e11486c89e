#include "probes/cuda/attention_tensors.h"

#include "probes/cuda/attention_reference.h"

#include <cmath>
#include <vector>

namespace fabricast::probe {

namespace {

/// What the host needs of one query: the rows of its head.
struct HostHead {
    std::vector<double> query, gradient;
    std::vector<double> keys, values;  ///< all rows, one after the other
    std::int64_t reach = 0;
};

std::size_t halves(std::int64_t numbers) {
    return aligned(static_cast<std::size_t>(numbers) * 2);
}

Answer<std::vector<double>> read(const DeviceMemory& memory,
                                 std::int64_t first,
                                 std::int64_t count) {
    const void* const place = memory.at(static_cast<std::size_t>(first) * 2);
    return numbersAt(place, NumberType::Bf16, static_cast<std::size_t>(count), 1);
}

Answer<HostHead> hostHead(const AttentionTensors& tensors, std::int64_t row) {
    const AttentionShape& shape = tensors.shape;
    const std::int64_t head = row / shape.sequence;
    const std::int64_t sample = head / shape.heads;
    const std::int64_t group = head % shape.heads / (shape.heads / shape.groups);
    const std::int64_t all = shape.sequence * shape.dim;
    const std::int64_t matrix = (sample * shape.groups + group) * all;
    const Answer<std::vector<double>> parts[] = {read(tensors.queries, row * shape.dim, shape.dim),
                                                 read(tensors.gradient, row * shape.dim, shape.dim),
                                                 read(tensors.keys, matrix, all),
                                                 read(tensors.values, matrix, all)};
    for (const Answer<std::vector<double>>& part : parts) {
        if (!part) {
            return part.trouble();
        }
    }
    const std::int64_t reach = shape.causal ? row % shape.sequence + 1 : shape.sequence;
    return HostHead{*parts[0], *parts[1], *parts[2], *parts[3], reach};
}

}  // namespace

double AttentionTensors::bytesFor(const AttentionShape& shape) {
    return static_cast<double>(4 * halves(shape.queries()) + 4 * halves(shape.keys()));
}

Answer<AttentionTensors> AttentionTensors::make(const AttentionShape& shape) {
    AttentionTensors made;
    made.shape = shape;
    const std::pair<DeviceMemory*, std::int64_t> homes[] = {
        {&made.queries, shape.queries()},
        {&made.keys, shape.keys()},
        {&made.values, shape.keys()},
        {&made.outputs, shape.queries()},
        {&made.gradient, shape.queries()},
        {&made.queriesGradient, shape.queries()},
        {&made.keysGradient, shape.keys()},
        {&made.valuesGradient, shape.keys()}};
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

Answer<double> AttentionTensors::wrong() const {
    const std::int64_t rows = shape.scores() / shape.sequence;
    double wrong = 0.0;
    for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 1}) {
        const Answer<HostHead> head = hostHead(*this, row);
        const Answer<std::vector<double>> got =
            read(shape.backward ? queriesGradient : outputs, row * shape.dim, shape.dim);
        if (!head || !got) {
            return head ? got.trouble() : head.trouble();
        }
        const std::vector<double> wanted =
            attentionRow({head->query,
                          head->keys,
                          head->values,
                          head->reach,
                          shape.backward ? &head->gradient : nullptr});
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            // Shares and scores are rounded on the way, and errors of many terms add up.
            constexpr double kSlack = 0.03;
            wrong += std::abs((*got)[at] - wanted[at]) <= kSlack ? 0.0 : 1.0;
        }
    }
    return wrong;
}

}  // namespace fabricast::probe
