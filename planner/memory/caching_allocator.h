#pragma once
#include "planner/memory/device.h"
#include "planner/spec/settings.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace fabricast {

struct Renaming {
    Storage from = kNoStorage;
    Storage to = kNoStorage;
};

/// This is PyTorch's CUDA caching allocator: segments of fixed sizes taken from the device, best
/// fit within a stream's pool, blocks split and merged, nothing given back. It says how much a
/// process holds (reserved) for what its tensors asked for.
///     CachingAllocator allocator(AllocatorKind::Default);
///     allocator.apply({.storage = 0, .bytes = 4096});
///     allocator.reserved();
class CachingAllocator {
public:
    explicit CachingAllocator(AllocatorKind kind) : kind_(kind) {}
    void apply(const DeviceEvent& event);
    /// Blocks go on under other names, all at once.
    void rename(const std::vector<Renaming>& all);
    [[nodiscard]] std::int64_t reserved() const { return reserved_; }
    [[nodiscard]] std::int64_t peakAllocated() const { return peakAllocated_; }
    void resetPeak() { peakAllocated_ = allocated_; }

private:
    using Address = std::int64_t;
    struct Block {
        std::int64_t bytes = 0;
        int pool = 0;
        bool used = false;
        bool first = false;  ///< begins a segment: does not merge downwards
    };
    /// Free blocks of one pool, smallest first, lowest address first.
    using FreeList = std::set<std::pair<std::int64_t, Address>>;

    [[nodiscard]] Address grow(std::int64_t bytes, int pool);
    [[nodiscard]] Address growSegment(std::int64_t bytes, int pool);
    void split(Address at, std::int64_t bytes);
    void giveBack(Address at);

    AllocatorKind kind_;
    std::map<Address, Block> blocks_;
    std::map<int, FreeList> free_;       ///< by pool: stream times two, plus one for small blocks
    std::map<int, Address> segmentEnd_;  ///< expandable: where a pool's only segment ends
    std::map<Storage, Address> where_;
    Address next_ = 0;
    std::int64_t reserved_ = 0;
    std::int64_t allocated_ = 0;
    std::int64_t peakAllocated_ = 0;
};

/// What a process that has run some steps holds: the states are made first (the optimizer's after
/// the first step, as they are), then the step is repeated.
struct Footprint {
    std::int64_t reserved = 0;
    std::int64_t allocated = 0;
};
Footprint replaySteps(const std::vector<DeviceEvent>& events,
                      std::size_t statesEnd,
                      AllocatorKind kind);

}  // namespace fabricast
