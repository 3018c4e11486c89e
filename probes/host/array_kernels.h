#pragma once
#include <cstddef>

namespace fabricast::probe {

// What is timed, over [first, last) of plain arrays. Compiled with optimisation in every build.

struct WorkerPart {
    std::size_t first = 0;
    std::size_t last = 0;
};
/// The part of `all` things that one of `workers` has.
WorkerPart partOf(std::size_t all, int worker, int workers);

/// Small multiples of an eighth, so that sums are exact: another series for each number.
void fillPart(float* values, std::size_t number, WorkerPart part);

void copyPart(float* to, const float* from, WorkerPart part);

inline constexpr float kTriadScale = 0.5F;
void triadPart(float* to, const float* left, const float* right, WorkerPart part);

/// How many values are not what these made of them; without `right`, of a copy.
std::size_t wrongIn(const float* to, const float* left, const float* right, std::size_t length);

template <class Value>
struct AdamRates {
    Value rate = Value(1e-3);
    Value first = Value(0.9);
    Value second = Value(0.95);
    Value epsilon = Value(1e-8);
    Value decay = Value(0.1);
};
struct AdamArrays {
    float* parameter = nullptr;
    const float* gradient = nullptr;
    float* first = nullptr;
    float* second = nullptr;
};
/// A step of AdamW with the bias correction of the first one.
void adamPart(const AdamArrays& arrays, WorkerPart part);

}  // namespace fabricast::probe
