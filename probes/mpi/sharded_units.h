#pragma once
#include "probes/cpu/decoder_step.h"
#include "probes/mpi/rank_group.h"
#include "probes/mpi/transfer_queue.h"

#include <array>
#include <vector>

namespace fabricast::probe {

/// Every rank has a part of each unit's weights, as under torch's FSDP2 with each layer wrapped: a
/// layer is gathered ahead of its forward and again of its backward, beside the layer before it,
/// and its gradient is scattered as soon as it is there. Embedding and head are one unit, the root,
/// which stays gathered.
class ShardedUnits : public UnitStore {
public:
    ShardedUnits(const DecoderShape& shape,
                 Wire& wire,
                 const RankGroup& group,
                 TransferQueue& queue);

    std::span<const float> weights(int unit, bool backward) override;
    void ran(int unit, bool backward) override;
    std::span<float> gradient(int unit) override;

    /// This rank's parts, unit after unit: the root, then the layers.
    [[nodiscard]] std::span<float> ownWeights() { return own_; }
    [[nodiscard]] std::span<const float> ownGradients() const { return ownGradients_; }

    /// The same parts of gradients that are whole.
    [[nodiscard]] std::vector<float> partsOf(UnitStore& whole) const;

private:
    /// A unit's parameters side by side, and what of them is this rank's.
    struct Shard {
        std::size_t size = 0;
        std::size_t from = 0;  ///< of its part in `own_`
        std::size_t part = 0;
    };
    /// Memory for a whole unit.
    struct Whole {
        std::vector<float> values;
        std::size_t ticket = 0;  ///< of the transfer that fills or empties it
    };

    /// Two layers are whole at any time, one of which is on its way.
    [[nodiscard]] Whole& layerWhole(int unit) {
        return layers_.at(static_cast<std::size_t>(unit) % 2);
    }
    [[nodiscard]] Whole& layerGradient(int unit) {
        return layerGradients_.at(static_cast<std::size_t>(unit) % 2);
    }
    [[nodiscard]] std::span<float> rootPart(std::vector<float>& root, int unit) const;
    void gather(const Shard& shard, Whole& whole);
    void scatter(const Shard& shard, Whole& gradient);

    DecoderShape shape_;
    Wire& wire_;
    const RankGroup& group_;
    TransferQueue& queue_;
    std::vector<Shard> shards_;  ///< the root, then the layers
    std::vector<float> own_;
    std::vector<float> ownGradients_;
    Whole root_;
    Whole rootGradient_;
    std::array<Whole, 2> layers_;
    std::array<Whole, 2> layerGradients_;
};

}  // namespace fabricast::probe
