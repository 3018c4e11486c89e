#include "planner/memory/device/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace fabricast {

namespace {

// Sizes of PyTorch's allocator (c10/cuda/CUDACachingAllocator).
constexpr std::int64_t kBlockGranule = 512;
constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kSmallSize = kMiB;  ///< up to here a block comes from the small pool
constexpr std::int64_t kSmallSegment = 2 * kMiB;
constexpr std::int64_t kLargeSegment = 20 * kMiB;  ///< for large blocks below kMinLargeAlloc
constexpr std::int64_t kMinLargeAlloc = 10 * kMiB;
constexpr std::int64_t kRoundLarge = 2 * kMiB;
constexpr std::int64_t kMostNotCut = kLargeSegment;  ///< that a block is larger than its request

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}
bool isSmallPool(int pool) {
    return pool % 2 == 1;
}
/// The next of so many equal parts between two powers of two.
std::int64_t roundUpToDivision(std::int64_t bytes, std::int64_t divisions) {
    const auto floor = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(bytes)));
    return bytes == floor ? bytes : roundUp(bytes, std::max<std::int64_t>(floor / divisions, 1));
}
inline std::int64_t blockBytes(const DeviceEvent& event, const AllocatorRules& rules) {
    if (rules.divisions > 1 && event.bytes > kBlockGranule * rules.divisions) {
        return roundUpToDivision(event.bytes, rules.divisions);
    }
    return std::max(kBlockGranule, roundUp(event.bytes, kBlockGranule));
}
int poolNumber(const DeviceEvent& event, std::int64_t bytes) {
    return 2 * event.pool + (bytes <= kSmallSize ? 1 : 0);
}

}  // namespace

inline CachingAllocator::Place CachingAllocator::newPlace() {
    if (unused_.empty()) {
        blocks_.emplace_back();
        return static_cast<Place>(blocks_.size() - 1);
    }
    const Place place = unused_.back();
    unused_.pop_back();
    return place;
}

inline CachingAllocator::Place CachingAllocator::newBlock(const Block& block) {
    const Place place = newPlace();
    blocks_[static_cast<std::size_t>(place)] = block;
    return place;
}

inline void CachingAllocator::addFree(Place place) {
    const Block& block = blocks_[static_cast<std::size_t>(place)];
    poolOf(block.pool).free.add({block.bytes, block.address, place});
}

inline void CachingAllocator::removeFree(Place place) {
    const Block& block = blocks_[static_cast<std::size_t>(place)];
    poolOf(block.pool).free.remove({block.bytes, block.address, place});
}

/// A new segment, or more pages at the end of the pool's only one.
CachingAllocator::Place CachingAllocator::growSegment(std::int64_t bytes, int pool) {
    const std::int64_t page = isSmallPool(pool) ? kSmallSegment : kLargeSegment;
    const Place last = poolOf(pool).last;
    if (last == kNowhere) {
        const Place first =
            newBlock({.address = next_, .bytes = roundUp(bytes, page), .pool = pool});
        next_ += std::int64_t{1} << 46;  // a range no other pool reaches
        reserved_ += blocks_[static_cast<std::size_t>(first)].bytes;
        poolOf(pool).last = first;
        return first;
    }
    Block& end = blocks_[static_cast<std::size_t>(last)];
    if (!end.used) {
        removeFree(last);
        // One that may not be cut for so little is the end all the same.
        const std::int64_t added = roundUp(std::max<std::int64_t>(bytes - end.bytes, 0), page);
        end.bytes += added;
        reserved_ += added;
        return last;
    }
    const Place added = newBlock({.address = end.address + end.bytes,
                                  .bytes = roundUp(bytes, page),
                                  .pool = pool,
                                  .before = last});
    blocks_[static_cast<std::size_t>(last)].after = added;
    reserved_ += blocks_[static_cast<std::size_t>(added)].bytes;
    poolOf(pool).last = added;
    return added;
}

CachingAllocator::Place CachingAllocator::grow(std::int64_t bytes, int pool) {
    if (isExpandable()) {
        return growSegment(bytes, pool);
    }
    std::int64_t segment = roundUp(bytes, kRoundLarge);
    if (isSmallPool(pool)) {
        segment = kSmallSegment;
    } else if (bytes < kMinLargeAlloc) {
        segment = kLargeSegment;
    }
    const Place place = newBlock({.address = next_, .bytes = segment, .pool = pool});
    next_ += segment;
    reserved_ += segment;
    return place;
}

bool CachingAllocator::isSplit(std::int64_t rest, std::int64_t bytes, int pool) const {
    return isSmallPool(pool) || isExpandable() ? rest >= kBlockGranule
                                               : bytes < rules_.maxSplit && rest > kSmallSize;
}

std::optional<FreeBlock> CachingAllocator::fitting(std::int64_t bytes, int pool) const {
    const auto index = static_cast<std::size_t>(pool);
    if (index >= pools_.size()) {
        return std::nullopt;
    }
    auto best = pools_[index].free.fit(bytes);
    // The end of a segment that grows counts as large as it may become.
    if (best && isExpandable() && best->place == pools_[index].last) {
        const auto next = pools_[index].free.larger(*best);
        best = next ? next : best;
    }
    if (!best || best->bytes < rules_.maxSplit) {
        return best;
    }
    const bool isNear = bytes >= rules_.maxSplit && best->bytes - bytes < kMostNotCut;
    return isNear ? best : std::nullopt;
}

inline CachingAllocator::Place CachingAllocator::takeFitting(std::int64_t bytes, int pool) {
    if (rules_.maxSplit == AllocatorRules::kUnlimited && !isExpandable()) {
        return poolOf(pool).free.takeFit(bytes);
    }
    const std::optional<FreeBlock> fit = fitting(bytes, pool);
    if (!fit) {
        return kNowhere;
    }
    poolOf(pool).free.remove(*fit);
    return fit->place;
}

/// Cuts what is not needed off a block, if the rest is worth keeping.
inline void CachingAllocator::split(Place place, std::int64_t bytes) {
    const std::int64_t rest = blocks_[static_cast<std::size_t>(place)].bytes - bytes;
    const int pool = blocks_[static_cast<std::size_t>(place)].pool;
    if (!isSplit(rest, bytes, pool)) {
        return;
    }
    const Place cut = newPlace();
    Block& kept = blocks_[static_cast<std::size_t>(place)];
    const std::int64_t address = kept.address + bytes;
    const Place after = std::exchange(kept.after, cut);
    kept.bytes = bytes;
    blocks_[static_cast<std::size_t>(cut)] = {
        .address = address, .bytes = rest, .pool = pool, .before = place, .after = after};
    if (after != kNowhere) {
        blocks_[static_cast<std::size_t>(after)].before = cut;
    } else if (isExpandable()) {
        poolOf(pool).last = cut;
    }
    poolOf(pool).free.add({rest, address, cut});
}

inline void CachingAllocator::join(Place before, Place after) {
    Block& kept = blocks_[static_cast<std::size_t>(before)];
    const Block& gone = blocks_[static_cast<std::size_t>(after)];
    kept.bytes += gone.bytes;
    kept.after = gone.after;
    if (gone.after != kNowhere) {
        blocks_[static_cast<std::size_t>(gone.after)].before = before;
    } else if (isExpandable()) {
        poolOf(kept.pool).last = before;
    }
    unused_.push_back(after);
}

void CachingAllocator::release(Storage storage) {
    const Place place = std::exchange(placeOf(storage), kNowhere);
    if (place == kNowhere) {
        return;
    }
    allocated_ -= blocks_[static_cast<std::size_t>(place)].bytes;
    const bool expandable = isExpandable();
    pinned_ -= expandable ? blocks_[static_cast<std::size_t>(place)].bytes : 0;
    const auto isFree = [this](Place other) {
        return other != kNowhere && !blocks_[static_cast<std::size_t>(other)].used;
    };
    Block& block = blocks_[static_cast<std::size_t>(place)];
    block.used = false;
    const Place before = block.before;
    if (const Place after = block.after; isFree(after)) {
        removeFree(after);
        join(place, after);
    }
    const Place whole = isFree(before) ? before : place;
    if (whole == before) {
        removeFree(before);
        join(before, place);
    }
    addFree(whole);
    const Block& free = blocks_[static_cast<std::size_t>(whole)];
    pinned_ -= !expandable && isReleasable(free) ? free.bytes : 0;
}

bool CachingAllocator::isReleasable(const Block& block) const {
    return isExpandable() || (block.before == kNowhere && block.after == kNowhere);
}

void CachingAllocator::take(const DeviceEvent& event) {
    const std::int64_t bytes = blockBytes(event, rules_);
    const int pool = poolNumber(event, bytes);
    makePool(pool);
    const Place free = takeFitting(bytes, pool);
    const Place place = free != kNowhere ? free : grow(bytes, pool);
    const bool expandable = isExpandable();
    const Block& whole = blocks_[static_cast<std::size_t>(place)];
    pinned_ += !expandable && isReleasable(whole) ? whole.bytes : 0;
    split(place, bytes);
    Block& block = blocks_[static_cast<std::size_t>(place)];
    block.used = true;
    pinned_ += expandable ? block.bytes : 0;
    peakPinned_ = std::max(peakPinned_, pinned_);
    placeOf(event.storage) = place;
    allocated_ += block.bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_);
}

/// The block that it takes is free again afterwards, as large as before.
void CachingAllocator::pass(const DeviceEvent& event) {
    const std::int64_t bytes = blockBytes(event, rules_);
    const int pool = poolNumber(event, bytes);
    const std::optional<FreeBlock> whole = fitting(bytes, pool);
    if (!whole) {
        take(event);
        release(event.storage);
        return;
    }
    placeOf(event.storage) = kNowhere;
    const std::int64_t taken = isSplit(whole->bytes - bytes, bytes, pool) ? bytes : whole->bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_ + taken);
    const bool expandable = isExpandable();
    const Block& block = blocks_[static_cast<std::size_t>(whole->place)];
    peakPinned_ = std::max(peakPinned_,
                           pinned_ + (expandable            ? taken
                                      : isReleasable(block) ? whole->bytes
                                                            : 0));
}

void CachingAllocator::rename(const std::vector<Renaming>& all) {
    std::vector<std::pair<Storage, Place>> moved;
    for (const Renaming& one : all) {
        const Place place = std::exchange(placeOf(one.from), kNowhere);
        if (place != kNowhere) {
            moved.emplace_back(one.to, place);
        }
    }
    for (const auto& [storage, place] : moved) {
        placeOf(storage) = place;
    }
}

HeldBlocks CachingAllocator::held() const {
    HeldBlocks held{.reserved = reserved_};
    held.blocks.resize(where_.size());
    for (std::size_t storage = 0; storage < where_.size(); ++storage) {
        if (where_[storage] != kNowhere) {
            const Block& block = blocks_[static_cast<std::size_t>(where_[storage])];
            held.blocks[storage] = {block.address, block.bytes};
        }
    }
    return held;
}

}  // namespace fabricast
