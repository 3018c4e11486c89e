#pragma once
#include "probes/cpu/decoder_layer.h"

#include <cstdint>
#include <span>
#include <vector>

namespace fabricast::probe {

/// Where a step finds its weights and leaves its gradients, unit by unit: in one place, or spread
/// over ranks that send them while the step computes.
class UnitStore {
public:
    UnitStore() = default;
    virtual ~UnitStore() = default;
    UnitStore(const UnitStore&) = delete;
    UnitStore& operator=(const UnitStore&) = delete;

    /// The weights of a unit, which is about to run forward or backward.
    virtual std::span<const float> weights(int unit, bool backward) = 0;
    /// The unit has run.
    virtual void ran(int unit, bool backward) = 0;
    /// Where the gradient of a unit goes. What was there is overwritten.
    virtual std::span<float> gradient(int unit) = 0;
};

/// The memory that steps of one shape need beside weights and gradients.
class DecoderStep {
public:
    explicit DecoderStep(const DecoderShape& shape);

    /// One forward and backward over `tokens` (each to be followed by the one in `labels`), which
    /// are some of the step's `allRows`. Answers this part of the mean loss.
    double run(std::span<const std::int32_t> tokens,
               std::span<const std::int32_t> labels,
               double allRows,
               UnitStore& store);

private:
    void embed(std::span<const std::int32_t> tokens, UnitStore& store);
    double head(std::span<const std::int32_t> labels, double allRows, UnitStore& store);
    void embedBackward(std::span<const std::int32_t> tokens, UnitStore& store);

    DecoderShape shape_;
    std::vector<LayerTape> tapes_;
    LayerScratch scratch_;
    std::vector<float> x_;
    std::vector<float> normed_;
    std::vector<float> logits_;
};

/// Weights for a start that trains: small, alike on all ranks, different everywhere.
void fillWeights(const DecoderShape& shape, int unit, std::span<float> weights);

/// A token of the made-up text of one sample.
std::int32_t tokenAt(const DecoderShape& shape, int sample, int position);

}  // namespace fabricast::probe
