#pragma once
#include "probes/cpu/decoder_layer.h"

#include <span>

namespace fabricast::probe {

/// A layer's weights, or their gradients, in the flat buffer of its unit.
template <class Value>
struct LayerWeights {
    std::span<Value> norm, query, key, value, output, middleNorm, gate, up, down;
};

template <class Value>
LayerWeights<Value> layerWeights(const DecoderShape& shape, std::span<Value> unit) {
    const auto take = [&unit](std::size_t count) {
        const std::span<Value> taken = unit.first(count);
        unit = unit.subspan(count);
        return taken;
    };
    const auto h = static_cast<std::size_t>(shape.hidden);
    const auto f = static_cast<std::size_t>(shape.ffn);
    LayerWeights<Value> weights;
    weights.norm = take(h);
    weights.query = take(h * h);
    weights.key = take(h * h);
    weights.value = take(h * h);
    weights.output = take(h * h);
    weights.middleNorm = take(h);
    weights.gate = take(h * f);
    weights.up = take(h * f);
    weights.down = take(h * f);
    return weights;
}

}  // namespace fabricast::probe
