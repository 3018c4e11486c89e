#pragma once
#include "planner/memory/device/device.h"
#include "planner/memory/device/free_list.h"
#include "planner/memory/device/replay.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace fabricast {

struct Renaming {
    Storage from = kNoStorage;
    Storage to = kNoStorage;
};

/// Where the blocks in use lie. As nothing is given back and what is free is merged, an allocator
/// that holds the same again does what follows in the same way.
struct HeldBlocks {
    struct Extent {
        std::int64_t address = 0;
        std::int64_t bytes = 0;  ///< 0: no block

        friend bool operator==(const Extent&, const Extent&) = default;
    };
    std::int64_t reserved = 0;
    std::vector<Extent> blocks{};  ///< by storage

    friend bool operator==(const HeldBlocks&, const HeldBlocks&) = default;
};

/// This is PyTorch's CUDA caching allocator: segments of fixed sizes taken from the device, best
/// fit within a stream's pool, blocks split and merged, nothing given back. It says how much a
/// process holds (reserved) for what its tensors asked for.
///     CachingAllocator allocator({.kind = AllocatorKind::Default});
///     allocator.apply({.storage = 0, .bytes = 4096});
///     allocator.reserved();
class CachingAllocator {
public:
    explicit CachingAllocator(const AllocatorRules& rules) : rules_(rules) {}
    /// An event as it understands it.
    struct Request {
        Storage storage = kNoStorage;
        std::int16_t pool = 0;
        bool isPassed = false;   ///< released at once
        std::int64_t bytes = 0;  ///< of a block; 0: release
    };
    /// For events that are applied again and again: `serve` does what they ask for.
    [[nodiscard]] std::vector<Request> requestsOf(std::span<const DeviceEvent> events);
    void apply(const DeviceEvent& event);
    void serve(const Request& request) {
        if (request.bytes == 0) {
            release(request.storage);
        } else if (request.isPassed) {
            pass(request);
        } else {
            take(request);
        }
    }
    /// Blocks go on under other names, all at once.
    void rename(const std::vector<Renaming>& all);
    [[nodiscard]] std::int64_t reserved() const { return reserved_; }
    [[nodiscard]] std::int64_t peakAllocated() const { return peakAllocated_; }
    [[nodiscard]] HeldBlocks held() const;
    /// The most that could not have been given back at once: segments with a block in use.
    [[nodiscard]] std::int64_t peakPinned() const { return peakPinned_; }
    void resetPeak() {
        peakAllocated_ = allocated_;
        peakPinned_ = pinned_;
    }

private:
    using Block = HeapBlock;
    using Place = Block::Place;
    static constexpr Place kNowhere = Block::kNowhere;
    /// By number: stream times two, plus one for small blocks.
    struct Pool {
        FreeList free;
        Place last = kNowhere;  ///< expandable: the end of the pool's only segment
    };

    [[nodiscard]] Block& at(Place place) { return blocks_[static_cast<std::size_t>(place)]; }
    [[nodiscard]] const Block& at(Place place) const {
        return blocks_[static_cast<std::size_t>(place)];
    }
    /// One that a block was asked of before.
    [[nodiscard]] Pool& poolOf(int number) { return pools_[static_cast<std::size_t>(number)]; }
    void makePool(int number) {
        if (static_cast<std::size_t>(number) >= pools_.size()) {
            pools_.resize(static_cast<std::size_t>(number) + 1);
        }
    }
    [[nodiscard]] Place newPlace();
    [[nodiscard]] Place newBlock(const Block& block);
    [[nodiscard]] Place grow(std::int64_t bytes, int pool);
    [[nodiscard]] Place growSegment(std::int64_t bytes, int pool);
    /// Whether what a block has beyond those bytes is worth keeping.
    [[nodiscard]] bool isSplit(std::int64_t rest, std::int64_t bytes, int pool) const;
    /// The free block that a request is given; none where the best is too large not to be cut.
    [[nodiscard]] Place fitting(std::int64_t bytes, int pool) const;
    [[nodiscard]] Place fittingUnderRules(std::int64_t bytes, Place best, const Pool& pool) const;
    [[nodiscard]] bool isExpandable() const {
        return rules_.kind == AllocatorKind::ExpandableSegments;
    }
    void take(const Request& request);
    /// It leaves nothing but what had to be reserved.
    void pass(const Request& request);
    void release(Storage storage);
    void split(Place place, std::int64_t bytes);
    /// Joins a block to the one before it, which takes its place.
    void join(Place before, Place after);
    /// Whether a free block is all of its segment, or pages that can be given back by themselves.
    [[nodiscard]] bool isReleasable(const Block& block) const;
    [[nodiscard]] Place& placeOf(Storage storage) {
        const auto index = static_cast<std::size_t>(storage);
        if (index >= where_.size()) {
            where_.resize(2 * index + 1, kNowhere);
        }
        return where_[index];
    }

    AllocatorRules rules_;
    std::vector<Block> blocks_;
    std::vector<Place> unused_;  ///< places of blocks that were joined to others
    std::vector<Pool> pools_;
    std::vector<Place> where_;  ///< by storage
    std::int64_t next_ = 0;
    std::int64_t reserved_ = 0;
    std::int64_t allocated_ = 0;
    std::int64_t peakAllocated_ = 0;
    std::int64_t pinned_ = 0;
    std::int64_t peakPinned_ = 0;
};

}  // namespace fabricast
