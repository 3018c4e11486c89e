#include "probes/cuda/attention_tensors.h"

namespace fabricast::probe {

std::size_t bytesOfHalves(std::int64_t numbers) {
    return aligned(static_cast<std::size_t>(numbers) * 2);
}

namespace {

std::size_t statisticsBytes(const AttentionShape& shape) {
    return aligned(static_cast<std::size_t>(shape.rows()) * sizeof(float));
}

}  // namespace

double AttentionTensors::bytesFor(const AttentionShape& shape) {
    return static_cast<double>(4 * bytesOfHalves(shape.queries()) +
                               4 * bytesOfHalves(shape.keys()) + statisticsBytes(shape));
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
    Answer<DeviceMemory> statistics = deviceMemory(statisticsBytes(shape));
    if (!statistics) {
        return statistics.trouble();
    }
    made.statistics = std::move(*statistics);
    unsigned seed = 0;
    for (const auto& [home, numbers] : homes) {
        Answer<DeviceMemory> memory = deviceMemory(bytesOfHalves(numbers));
        const Done filled =
            memory ? fillRandom(*memory, NumberType::Bf16, ++seed) : Done(memory.trouble());
        if (!filled) {
            return filled.trouble();
        }
        *home = std::move(*memory);
    }
    return made;
}

}  // namespace fabricast::probe
