#include "probes/mpi/sharded_units.h"

#include "probes/mpi/collectives.h"

#include <algorithm>

namespace fabricast::probe {

ShardedUnits::ShardedUnits(const DecoderShape& shape,
                           Wire& wire,
                           const RankGroup& group,
                           TransferQueue& queue)
    : shape_(shape), wire_(wire), group_(group), queue_(queue) {
    const std::size_t layer = shape.parameters(1);
    const std::size_t root = shape.parameters(0) + shape.parameters(shape.top());
    for (int unit = 0; unit <= shape.layers; ++unit) {
        const std::size_t size = unit == 0 ? root : layer;
        std::vector<float> values(size);
        if (unit == 0) {
            fillWeights(shape, 0, rootPart(values, 0));
            fillWeights(shape, shape.top(), rootPart(values, shape.top()));
        } else {
            fillWeights(shape, unit, values);
        }
        const std::span<float> part = partOf(std::span(values), group.index, group.size());
        shards_.push_back({.size = size, .from = own_.size(), .part = part.size()});
        own_.insert(own_.end(), part.begin(), part.end());
    }
    ownGradients_.resize(own_.size());
    root_.values.resize(root);
    rootGradient_.values.resize(root);
    for (int which = 0; which < 2; ++which) {
        layerWhole(which).values.resize(layer);
        layerGradient(which).values.resize(layer);
    }
}

std::span<float> ShardedUnits::rootPart(std::vector<float>& root, int unit) const {
    const std::size_t embedding = shape_.parameters(0);
    return unit == 0 ? std::span(root).first(embedding) : std::span(root).subspan(embedding);
}

void ShardedUnits::gather(const Shard& shard, Whole& whole) {
    whole.ticket = queue_.add([this, &shard, &whole] {
        ringAllGather(wire_, group_, std::span(own_).subspan(shard.from, shard.part), whole.values);
    });
}

void ShardedUnits::scatter(const Shard& shard, Whole& gradient) {
    gradient.ticket = queue_.add([this, &shard, &gradient] {
        ringReduceScatter(wire_,
                          group_,
                          gradient.values,
                          std::span(ownGradients_).subspan(shard.from, shard.part));
    });
}

std::span<const float> ShardedUnits::weights(int unit, bool backward) {
    const auto gatherLayer = [this](int layer) {
        if (layer >= 1 && layer <= shape_.layers) {
            gather(shards_[static_cast<std::size_t>(layer)], layerWhole(layer));
        }
    };
    if (unit == 0) {
        gather(shards_.front(), root_);
        gatherLayer(1);
        queue_.wait(root_.ticket);
        return rootPart(root_.values, 0);
    }
    if (unit == shape_.top()) {
        gatherLayer(shape_.layers);
        return rootPart(root_.values, unit);
    }
    queue_.wait(layerWhole(unit).ticket);
    gatherLayer(backward ? unit - 1 : unit + 1);
    return layerWhole(unit).values;
}

void ShardedUnits::ran(int unit, bool backward) {
    if (!backward || unit == shape_.top()) {
        return;
    }
    if (unit == 0) {
        scatter(shards_.front(), rootGradient_);
    } else {
        scatter(shards_[static_cast<std::size_t>(unit)], layerGradient(unit));
    }
}

std::span<float> ShardedUnits::gradient(int unit) {
    if (unit == 0 || unit == shape_.top()) {
        return rootPart(rootGradient_.values, unit);
    }
    // The gradient of the layer after the next may still be on its way from there.
    queue_.wait(layerGradient(unit).ticket);
    return layerGradient(unit).values;
}

std::vector<float> ShardedUnits::partsOf(UnitStore& whole) const {
    std::vector<float> parts;
    for (int unit = 0; unit <= shape_.layers; ++unit) {
        const std::span<float> first = whole.gradient(unit);
        std::vector<float> values(first.begin(), first.end());
        if (unit == 0) {
            const std::span<float> top = whole.gradient(shape_.top());
            values.insert(values.end(), top.begin(), top.end());
        }
        const std::span<float> part = partOf(std::span(values), group_.index, group_.size());
        parts.insert(parts.end(), part.begin(), part.end());
    }
    return parts;
}

}  // namespace fabricast::probe
