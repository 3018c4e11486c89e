#include "probes/mpi/whole_units.h"

#include "probes/mpi/collectives.h"

namespace fabricast::probe {

WholeUnits::WholeUnits(const DecoderShape& shape)
    : shape_(shape),
      from_(static_cast<std::size_t>(shape.units())),
      weights_(shape.parameters()),
      gradients_(shape.parameters()) {
    std::size_t at = 0;
    for (int unit = shape.top(); unit >= 0; --unit) {
        from_[static_cast<std::size_t>(unit)] = at;
        fillWeights(shape, unit, std::span(weights_).subspan(at, shape.parameters(unit)));
        at += shape.parameters(unit);
    }
}

std::span<const float> WholeUnits::weights(int unit, bool /*backward*/) {
    return std::span(weights_).subspan(from_[static_cast<std::size_t>(unit)],
                                       shape_.parameters(unit));
}

std::span<float> WholeUnits::gradient(int unit) {
    return gradientsFrom(from_[static_cast<std::size_t>(unit)], end(unit));
}

ReducedUnits::ReducedUnits(const DecoderShape& shape,
                           Wire& wire,
                           const RankGroup& group,
                           TransferQueue& queue)
    : WholeUnits(shape), wire_(wire), group_(group), queue_(queue), ends_(bucketEnds(shape)) {}

std::vector<std::size_t> ReducedUnits::bucketEnds(const DecoderShape& shape) {
    const auto h = static_cast<std::size_t>(shape.hidden);
    const auto f = static_cast<std::size_t>(shape.ffn);
    const auto table = h * static_cast<std::size_t>(shape.vocab);
    std::vector<std::size_t> tensors = {table, h};
    for (int layer = 0; layer < shape.layers; ++layer) {
        for (const std::size_t size : {h * f, h * f, h * f, h, h * h, h * h, h * h, h * h, h}) {
            tensors.push_back(size);
        }
    }
    tensors.push_back(table);
    constexpr std::size_t kFirst = (std::size_t{1} << 20U) / sizeof(float);
    constexpr std::size_t kUsual = 25 * kFirst;
    std::vector<std::size_t> ends;
    std::size_t held = 0;
    std::size_t all = 0;
    for (const std::size_t tensor : tensors) {
        held += tensor;
        all += tensor;
        if (held >= (ends.empty() ? kFirst : kUsual)) {
            ends.push_back(all);
            held = 0;
        }
    }
    if (held > 0) {
        ends.push_back(all);
    }
    return ends;
}

void ReducedUnits::ran(int unit, bool backward) {
    if (!backward) {
        return;
    }
    const std::size_t ready = end(unit);
    while (next_ < ends_.size() && ends_[next_] <= ready) {
        const std::size_t first = next_ == 0 ? 0 : ends_[next_ - 1];
        const std::span<float> bucket = gradientsFrom(first, ends_[next_]);
        queue_.add([this, bucket] { ringAllReduce(wire_, group_, bucket, bucket); });
        ++next_;
    }
    next_ = unit == 0 ? 0 : next_;
}

}  // namespace fabricast::probe
