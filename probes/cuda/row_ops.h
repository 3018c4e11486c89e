#pragma once
#include "probes/cuda/pack.h"

#include <cmath>

namespace fabricast::probe {

// What a thread block does to a row: each thread sees some packs of it, what they saw is joined,
// and each thread writes its packs. They run on the GPU, and in tests on the host.

/// What was seen of a row: a sum, or the largest exponent and a sum relative to it.
struct RowSeen {
    float largest;
    float sum;
};

FABRICAST_BOTH RowSeen rowNothing() {
    return {-INFINITY, 0.0F};
}

/// Adds exp(value) to what was seen.
FABRICAST_BOTH RowSeen joinExponents(const RowSeen& left, const RowSeen& right) {
    const float largest = fmaxf(left.largest, right.largest);
    if (largest == -INFINITY) {
        return rowNothing();
    }
    return {largest,
            left.sum * expf(left.largest - largest) + right.sum * expf(right.largest - largest)};
}

FABRICAST_BOTH RowSeen joinSums(const RowSeen& left, const RowSeen& right) {
    return {0.0F, left.sum + right.sum};
}

/// RMSNorm: to = from / rms(from) · weight.
struct NormRows {
    Pack* to;
    const Pack* from;
    const Pack* weight;
    long packs;  ///< of a row
    float epsilon;

    FABRICAST_BOTH RowSeen see(long row, long pack) const {
        const Eight x = unpack(from[row * packs + pack]);
        RowSeen seen = {0.0F, 0.0F};
        for (int i = 0; i < Pack::kNumbers; ++i) {
            seen.sum += x.v[i] * x.v[i];
        }
        return seen;
    }
    FABRICAST_BOTH static RowSeen join(const RowSeen& left, const RowSeen& right) {
        return joinSums(left, right);
    }
    FABRICAST_BOTH void write(long row, long pack, const RowSeen& seen) const {
        const auto width = static_cast<float>(packs * Pack::kNumbers);
        const float scale = 1.0F / sqrtf(seen.sum / width + epsilon);
        Eight x = unpack(from[row * packs + pack]);
        const Eight w = unpack(weight[pack]);
        for (int i = 0; i < Pack::kNumbers; ++i) {
            x.v[i] *= scale * w.v[i];
        }
        to[row * packs + pack] = packOf(x);
    }
};

}  // namespace fabricast::probe
