#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace fabricast::probe {

/// AdamW over one flat buffer: the moments of each weight, and how many steps were taken.
struct Adam {
    std::vector<float> first;
    std::vector<float> second;
    int steps = 0;

    explicit Adam(std::size_t parameters) : first(parameters), second(parameters) {}
};

/// The sum of squares, for the norm by which gradients are clipped.
double squares(std::span<const float> gradient);

/// One step with the gradient times `clip`.
void adamStep(Adam& adam, std::span<float> weights, std::span<const float> gradient, double clip);

}  // namespace fabricast::probe
