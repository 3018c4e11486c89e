#pragma once
#include "probes/cpu/products.h"

#include <span>

namespace fabricast::probe {

/// y (rows x outputs) = x (rows x inputs) · Wᵀ, W being outputs x inputs: its three products.
struct Linear {
    int rows = 0;
    int inputs = 0;
    int outputs = 0;
};

inline void forward(const Linear& linear,
                    std::span<const float> x,
                    std::span<const float> weight,
                    std::span<float> y) {
    multiply({.layout = BlasLayout::Tn, .m = linear.rows, .n = linear.outputs, .k = linear.inputs},
             x.data(),
             weight.data(),
             y.data());
}

inline void inputGradient(const Linear& linear,
                          std::span<const float> dy,
                          std::span<const float> weight,
                          std::span<float> dx,
                          bool accumulate) {
    multiply({.layout = BlasLayout::Nn,
              .m = linear.rows,
              .n = linear.inputs,
              .k = linear.outputs,
              .accumulate = accumulate},
             dy.data(),
             weight.data(),
             dx.data());
}

inline void weightGradient(const Linear& linear,
                           std::span<const float> dy,
                           std::span<const float> x,
                           std::span<float> gradient) {
    multiply({.layout = BlasLayout::Nt, .m = linear.outputs, .n = linear.inputs, .k = linear.rows},
             dy.data(),
             x.data(),
             gradient.data());
}

}  // namespace fabricast::probe
