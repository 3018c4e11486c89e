#pragma once
#include "probes/cuda/pack.h"

#include <cmath>

namespace fabricast::probe {

// What each thread does to eight numbers, by their place. They run on the GPU, and in
// tests on the host.

struct CopyPacks {
    Pack* to;
    const Pack* from;
    FABRICAST_BOTH void operator()(long at) const { to[at] = from[at]; }
};

/// The residual: to = left + right.
struct AddPacks {
    Pack* to;
    const Pack* left;
    const Pack* right;
    FABRICAST_BOTH void operator()(long at) const {
        Eight sum = unpack(left[at]);
        const Eight more = unpack(right[at]);
        for (int i = 0; i < Pack::kNumbers; ++i) {
            sum.v[i] += more.v[i];
        }
        to[at] = packOf(sum);
    }
};

/// to = silu(gate) · up, where each row of `from` holds `packs` of gates and then as many of ups.
struct SwigluPacks {
    Pack* to;
    const Pack* from;
    long packs;
    FABRICAST_BOTH void operator()(long at) const {
        const long row = at / packs;
        const Pack* const gates = from + row * packs + at;
        Eight gate = unpack(gates[0]);
        const Eight up = unpack(gates[packs]);
        for (int i = 0; i < Pack::kNumbers; ++i) {
            gate.v[i] = gate.v[i] / (1.0F + expf(-gate.v[i])) * up.v[i];
        }
        to[at] = packOf(gate);
    }
};

/// Turns neighbours x, y by the angle of their token and place: cosines and sines lie in `turns`,
/// one pair for each two numbers of a head, `headPacks` packs to a head, `packs` to a token.
struct RopePacks {
    Pack* to;
    const Pack* from;
    const FourFloats* turns;
    long packs;
    long headPacks;
    FABRICAST_BOTH void operator()(long at) const {
        Eight x = unpack(from[at]);
        const long place = at / packs * headPacks + at % headPacks;
        const Eight turn = join(turns[2 * place], turns[2 * place + 1]);
        for (int i = 0; i < Pack::kNumbers; i += 2) {
            const float a = x.v[i];
            const float b = x.v[i + 1];
            x.v[i] = a * turn.v[i] - b * turn.v[i + 1];
            x.v[i + 1] = a * turn.v[i + 1] + b * turn.v[i];
        }
        to[at] = packOf(x);
    }
};

/// fp32 to bf16.
struct CastPacks {
    Pack* to;
    const FourFloats* from;
    FABRICAST_BOTH void operator()(long at) const {
        to[at] = packOf(join(from[2 * at], from[2 * at + 1]));
    }
};

/// Rows in another order, as tokens that go to their experts: to[row] = from[order[row]].
struct PermutePacks {
    Pack* to;
    const Pack* from;
    const int* order;
    long packs;
    FABRICAST_BOTH void operator()(long at) const {
        const long row = at / packs;
        to[at] = from[order[row] * packs + (at - row * packs)];
    }
};

}  // namespace fabricast::probe
