#pragma once
#include "planner/schedule/order_kind.h"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fabricast {

inline constexpr std::array kAllKinds = {OrderKind::Gpipe,
                                         OrderKind::OneFOneB,
                                         OrderKind::LoopedBfs,
                                         OrderKind::Interleaved,
                                         OrderKind::InterleavedPairs,
                                         OrderKind::InterleavedZb,
                                         OrderKind::ZbV,
                                         OrderKind::DualPipeV,
                                         OrderKind::DualPipeVWhole,
                                         OrderKind::DualPipe,
                                         OrderKind::ZbH2,
                                         OrderKind::VHalf,
                                         OrderKind::VMin};

inline bool hasOneChunk(OrderKind kind) {
    return kind == OrderKind::Gpipe || kind == OrderKind::OneFOneB || kind == OrderKind::ZbH2 ||
           kind == OrderKind::DualPipe;
}

/// Groups that neither wait for themselves nor leave too small a last one.
inline std::vector<std::int64_t> groupsOf(const PipelineShape& shape) {
    std::vector<std::int64_t> groups;
    for (std::int64_t group = 1; group <= shape.microBatches; ++group) {
        const std::int64_t rest = shape.microBatches % group;
        const bool full = group >= std::min(shape.ranks, shape.microBatches);
        if (full && (rest == 0 || rest >= shape.ranks)) {
            groups.push_back(group);
        }
    }
    return groups;
}

/// Any shape that the order takes; call it inside a property.
inline PipelineShape anyShape(OrderKind kind) {
    const bool folded = recipeOf(kind).placement == Placement::Fold;
    PipelineShape shape{.ranks = *rc::gen::inRange<std::int64_t>(1, 9)};
    shape.chunks = hasOneChunk(kind) ? 1 : folded ? 2 : *rc::gen::inRange<std::int64_t>(1, 5);
    shape.microBatches = *rc::gen::inRange<std::int64_t>(1, 20);
    if (kind == OrderKind::DualPipe) {
        shape.ranks *= 2;
        shape.microBatches *= 2;
    }
    if (kind == OrderKind::DualPipe || kind == OrderKind::DualPipeV ||
        kind == OrderKind::DualPipeVWhole) {
        shape.microBatches += 2 * shape.ranks;
    }
    shape.group = *rc::gen::elementOf(groupsOf(shape));
    return shape;
}

/// A time for each pass of each stage.
inline std::vector<std::int64_t> anyTimes(std::int64_t stages) {
    return *rc::gen::container<std::vector<std::int64_t>>(
        static_cast<std::size_t>(stages) * kPasses, rc::gen::inRange<std::int64_t>(0, 90));
}

}  // namespace fabricast
