#pragma once
#include "planner/base/result.h"
#include "planner/estimate/segment_time.h"
#include "planner/memory/walk/saved_values.h"
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"

#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace fabricast {

/// What the model's last segments keep and need at the most, one after another.
struct EndFootprint {
    std::int64_t kept = 0;
    std::int64_t forward = 0;
    std::int64_t backward = 0;
};

/// Memory of one layer and the model's ends on one rank: what many layouts share.
struct BlockCost {
    SegmentFootprint dense;  ///< a layer without experts
    SegmentFootprint sparse;
    EndFootprint end;
};

/// Bytes that a layer keeps of each sample at least, from its forward to its backward.
struct LayersKept {
    double dense = 0.0;
    double sparse = 0.0;  ///< of a layer with experts
};

/// What operations of a block depend on under one stack; of the settings the engine decides the
/// rest.
struct BlockKey {
    std::int64_t microBatch = 0;
    std::int64_t tp = 1;
    std::int64_t cp = 1;
    std::int64_t ep = 1;
    std::int64_t etp = 1;
    std::uint16_t recompute = 0;  ///< of the stack's list
    Engine engine = Engine::Local;
    CpKind cpKind = CpKind::Ring;
    bool zero3 = false;
    bool pipelined = false;
    bool sp = false;
    bool savedOnHost = false;  ///< what backward needs

    friend bool operator==(const BlockKey&, const BlockKey&) = default;
    struct Hash {
        std::size_t operator()(const BlockKey& key) const;
    };
};

template <class T>
using ByBlock = std::unordered_map<BlockKey, T, BlockKey::Hash>;

/// The blocks of one model on one kind of GPU under one stack, as far as they were worked out. They
/// stay where they are.
struct BlockTable {
    /// Where nothing is computed again, which bounds every other way, and where all layers are.
    struct LeastTimes {
        Result<ModelTime> once;
        Result<ModelTime> again;
    };

    ByBlock<Result<ModelTime>> times;
    /// Of which those are made: all but the layers, and the layers alone, which many more share.
    ByBlock<Result<ModelTime>> ends;
    ByBlock<Result<ModelTime>> layers;
    ByBlock<Result<BlockCost>> costs;
    ByBlock<Result<LayersKept>> kept;
    ByBlock<LeastTimes> least;
    ByBlock<ModelTime> leastEnds;  ///< of a micro-batch

    [[nodiscard]] std::size_t size() const {
        return times.size() + ends.size() + layers.size() + costs.size() + kept.size() +
               least.size() + leastEnds.size();
    }
};

}  // namespace fabricast
