#pragma once
#include "probes/cpu/decoder_step.h"
#include "probes/mpi/rank_group.h"
#include "probes/mpi/transfer_queue.h"

#include <vector>

namespace fabricast::probe {

/// All weights and gradients in one place, in the order in which a backward makes gradients: the
/// top, the layers from the last to the first, the embedding.
class WholeUnits : public UnitStore {
public:
    explicit WholeUnits(const DecoderShape& shape);

    std::span<const float> weights(int unit, bool backward) override;
    void ran(int /*unit*/, bool /*backward*/) override {}
    std::span<float> gradient(int unit) override;

    [[nodiscard]] std::span<float> allWeights() { return weights_; }
    [[nodiscard]] std::span<const float> allGradients() const { return gradients_; }
    [[nodiscard]] const DecoderShape& shape() const { return shape_; }

protected:
    [[nodiscard]] std::size_t end(int unit) const {
        return from_[static_cast<std::size_t>(unit)] + shape_.parameters(unit);
    }
    [[nodiscard]] std::span<float> gradientsFrom(std::size_t first, std::size_t last) {
        return std::span(gradients_).subspan(first, last - first);
    }

private:
    DecoderShape shape_;
    std::vector<std::size_t> from_;  ///< by unit
    std::vector<float> weights_;
    std::vector<float> gradients_;
};

/// Every rank has all weights, as under torch's DDP: gradients are all-reduced in buckets as soon
/// as a backward has made them.
class ReducedUnits : public WholeUnits {
public:
    ReducedUnits(const DecoderShape& shape,
                 Wire& wire,
                 const RankGroup& group,
                 TransferQueue& queue);

    void ran(int unit, bool backward) override;

    /// After which element of the flat gradient each bucket ends: at the first tensor with which it
    /// holds 25 MiB, the first bucket 1 MiB.
    static std::vector<std::size_t> bucketEnds(const DecoderShape& shape);

private:
    Wire& wire_;
    const RankGroup& group_;
    TransferQueue& queue_;
    std::vector<std::size_t> ends_;
    std::size_t next_ = 0;  ///< the bucket that fills
};

}  // namespace fabricast::probe
