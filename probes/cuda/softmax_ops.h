#pragma once
#include "probes/cuda/row_ops.h"

namespace fabricast::probe {

/// exp of a row's numbers over their sum, times `scale` before; with `causal`, only of the first
/// (row modulo causal) + 1 numbers. For cross entropy `target` takes one from the right number:
/// what is written is the loss's gradient.
struct SoftmaxRows {
    Pack* to;
    const Pack* from;
    const int* target;  ///< may be null
    long packs;
    long causal;  ///< queries of a sequence; 0 for no mask
    float scale;

    FABRICAST_BOTH long reach(long row) const {
        return causal > 0 ? row % causal + 1 : packs * Pack::kNumbers;
    }
    FABRICAST_BOTH RowSeen see(long row, long pack) const {
        const Eight x = unpack(from[row * packs + pack]);
        const long first = pack * Pack::kNumbers;
        const long reached = reach(row);
        RowSeen seen = rowNothing();
        for (int i = 0; i < Pack::kNumbers; ++i) {
            if (first + i < reached) {
                seen = joinExponents(seen, {x.v[i] * scale, 1.0F});
            }
        }
        return seen;
    }
    FABRICAST_BOTH static RowSeen join(const RowSeen& left, const RowSeen& right) {
        return joinExponents(left, right);
    }
    FABRICAST_BOTH void write(long row, long pack, const RowSeen& seen) const {
        Eight x = unpack(from[row * packs + pack]);
        const long first = pack * Pack::kNumbers;
        const long reached = reach(row);
        for (int i = 0; i < Pack::kNumbers; ++i) {
            x.v[i] = first + i < reached ? expf(x.v[i] * scale - seen.largest) / seen.sum : 0.0F;
            x.v[i] -= target != nullptr && target[row] == first + i ? 1.0F : 0.0F;
        }
        to[row * packs + pack] = packOf(x);
    }
};

/// The gradient through a softmax: to = shares · (gradient − Σ shares·gradient) · scale.
struct SoftmaxGradientRows {
    Pack* to;
    const Pack* shares;
    const Pack* gradient;
    long packs;
    float scale;

    FABRICAST_BOTH RowSeen see(long row, long pack) const {
        const Eight p = unpack(shares[row * packs + pack]);
        const Eight g = unpack(gradient[row * packs + pack]);
        RowSeen seen = {0.0F, 0.0F};
        for (int i = 0; i < Pack::kNumbers; ++i) {
            seen.sum += p.v[i] * g.v[i];
        }
        return seen;
    }
    FABRICAST_BOTH static RowSeen join(const RowSeen& left, const RowSeen& right) {
        return joinSums(left, right);
    }
    FABRICAST_BOTH void write(long row, long pack, const RowSeen& seen) const {
        Eight p = unpack(shares[row * packs + pack]);
        const Eight g = unpack(gradient[row * packs + pack]);
        for (int i = 0; i < Pack::kNumbers; ++i) {
            p.v[i] *= (g.v[i] - seen.sum) * scale;
        }
        to[row * packs + pack] = packOf(p);
    }
};

}  // namespace fabricast::probe
