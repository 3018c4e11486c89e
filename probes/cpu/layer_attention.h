#pragma once
#include "probes/cpu/decoder_layer.h"

#include <span>

namespace fabricast::probe {

/// Tokens x hidden each, heads side by side.
template <class Value>
struct QueryKeyValue {
    std::span<Value> query, key, value;
};

/// Causal attention written out as products, sample by sample and head by head; keeps all
/// probabilities.
void attentionForward(const DecoderShape& shape,
                      const QueryKeyValue<const float>& in,
                      std::span<float> probabilities,
                      std::span<float> out);

/// `scores` has room for one head's square.
void attentionBackward(const DecoderShape& shape,
                       const QueryKeyValue<const float>& in,
                       std::span<const float> probabilities,
                       std::span<const float> dOut,
                       const QueryKeyValue<float>& gradient,
                       std::span<float> scores);

}  // namespace fabricast::probe
