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
std::int64_t blockBytes(std::int64_t bytes, const AllocatorRules& rules) {
    if (rules.divisions > 1 && bytes > kBlockGranule * rules.divisions) {
        return roundUpToDivision(bytes, rules.divisions);
    }
    return roundUp(bytes, kBlockGranule);
}
int poolNumber(int stream, std::int64_t bytes) {
    return 2 * stream + (bytes <= kSmallSize ? 1 : 0);
}
bool isReleasedAtOnce(const DeviceEvent& event, const DeviceEvent& next) {
    return next.bytes == 0 && next.storage == event.storage;
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
    at(place) = block;
    return place;
}

/// A new segment, or more pages at the end of the pool's only one.
CachingAllocator::Place CachingAllocator::growSegment(std::int64_t bytes, int pool) {
    const std::int64_t page = isSmallPool(pool) ? kSmallSegment : kLargeSegment;
    const Place last = poolOf(pool).last;
    if (last == kNowhere) {
        const Place first =
            newBlock({.address = next_, .bytes = roundUp(bytes, page), .pool = pool});
        next_ += std::int64_t{1} << 46;  // a range no other pool reaches
        reserved_ += at(first).bytes;
        poolOf(pool).last = first;
        return first;
    }
    Block& end = at(last);
    if (!end.used) {
        poolOf(pool).free.remove(blocks_, last);
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
    at(last).after = added;
    reserved_ += at(added).bytes;
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

inline CachingAllocator::Place CachingAllocator::fitting(std::int64_t bytes, int number) const {
    const Pool& pool = pools_[static_cast<std::size_t>(number)];
    const Place best = pool.free.fit(blocks_, bytes);
    if (best == kNowhere || (rules_.maxSplit == AllocatorRules::kUnlimited && !isExpandable())) {
        return best;
    }
    return fittingUnderRules(bytes, best, pool);
}

CachingAllocator::Place CachingAllocator::fittingUnderRules(std::int64_t bytes,
                                                            Place best,
                                                            const Pool& pool) const {
    // The end of a segment that grows counts as large as it may become.
    if (isExpandable() && best == pool.last) {
        const Place next = pool.free.fit(blocks_, at(best).bytes + 1);
        best = next != kNowhere ? next : best;
    }
    const std::int64_t found = at(best).bytes;
    if (found < rules_.maxSplit) {
        return best;
    }
    const bool isNear = bytes >= rules_.maxSplit && found - bytes < kMostNotCut;
    return isNear ? best : kNowhere;
}

/// Cuts off a block what it has beyond those bytes.
inline void CachingAllocator::split(Place place, std::int64_t bytes) {
    const Place cut = newPlace();
    Block& kept = at(place);
    const std::int64_t rest = kept.bytes - bytes;
    const std::int64_t address = kept.address + bytes;
    const int pool = kept.pool;
    const Place after = std::exchange(kept.after, cut);
    kept.bytes = bytes;
    at(cut) = {.address = address, .bytes = rest, .pool = pool, .before = place, .after = after};
    if (after != kNowhere) {
        at(after).before = cut;
    } else if (isExpandable()) {
        poolOf(pool).last = cut;
    }
    poolOf(pool).free.add(blocks_, cut);
}

inline void CachingAllocator::join(Place before, Place after) {
    Block& kept = at(before);
    const Block& gone = at(after);
    kept.bytes += gone.bytes;
    kept.after = gone.after;
    if (gone.after != kNowhere) {
        at(gone.after).before = before;
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
    const auto isFree = [this](Place other) { return other != kNowhere && !at(other).used; };
    Block& block = at(place);
    FreeList& list = poolOf(block.pool).free;
    block.used = false;
    allocated_ -= block.bytes;
    const bool expandable = isExpandable();
    pinned_ -= expandable ? block.bytes : 0;
    const Place before = block.before;
    if (const Place after = block.after; isFree(after)) {
        list.remove(blocks_, after);
        join(place, after);
    }
    Place whole = place;
    if (isFree(before)) {
        list.remove(blocks_, before);
        join(before, place);
        whole = before;
    }
    list.add(blocks_, whole);
    const Block& free = at(whole);
    pinned_ -= !expandable && isReleasable(free) ? free.bytes : 0;
}

inline bool CachingAllocator::isReleasable(const Block& block) const {
    return isExpandable() || (block.before == kNowhere && block.after == kNowhere);
}

std::vector<CachingAllocator::Request> CachingAllocator::requestsOf(
    std::span<const DeviceEvent> events) {
    std::vector<Request> requests;
    requests.reserve(events.size());
    for (std::size_t i = 0; i < events.size(); ++i) {
        const DeviceEvent& event = events[i];
        if (event.bytes == 0) {
            requests.emplace_back(event.storage);
        } else if (event.bytes > 0) {
            const std::int64_t bytes = blockBytes(event.bytes, rules_);
            const int pool = poolNumber(event.pool, bytes);
            makePool(pool);
            const bool isPassed = i + 1 < events.size() && isReleasedAtOnce(event, events[i + 1]);
            requests.emplace_back(event.storage, static_cast<std::int16_t>(pool), isPassed, bytes);
            i += isPassed ? 1 : 0;
        }
    }
    return requests;
}

void CachingAllocator::apply(const DeviceEvent& event) {
    for (const Request& request : requestsOf({&event, 1})) {
        serve(request);
    }
}

void CachingAllocator::take(const Request& request) {
    const std::int64_t bytes = request.bytes;
    Place place = fitting(bytes, request.pool);
    if (place != kNowhere) {
        poolOf(request.pool).free.remove(blocks_, place);
    } else {
        place = grow(bytes, request.pool);
    }
    const bool expandable = isExpandable();
    Block* block = &at(place);
    pinned_ += !expandable && isReleasable(*block) ? block->bytes : 0;
    if (isSplit(block->bytes - bytes, bytes, request.pool)) {
        split(place, bytes);
        block = &at(place);
    }
    block->used = true;
    pinned_ += expandable ? block->bytes : 0;
    peakPinned_ = std::max(peakPinned_, pinned_);
    placeOf(request.storage) = place;
    allocated_ += block->bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_);
}

/// The block that it takes is free again afterwards, as large as before.
void CachingAllocator::pass(const Request& request) {
    const std::int64_t bytes = request.bytes;
    const Place place = fitting(bytes, request.pool);
    if (place == kNowhere) {
        take(request);
        release(request.storage);
        return;
    }
    placeOf(request.storage) = kNowhere;
    const Block& whole = at(place);
    const bool isCut = isSplit(whole.bytes - bytes, bytes, request.pool);
    const std::int64_t taken = isCut ? bytes : whole.bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_ + taken);
    const bool expandable = isExpandable();
    peakPinned_ = std::max(peakPinned_,
                           pinned_ + (expandable            ? taken
                                      : isReleasable(whole) ? whole.bytes
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
            const Block& block = at(where_[storage]);
            held.blocks[storage] = {block.address, block.bytes};
        }
    }
    return held;
}

}  // namespace fabricast
