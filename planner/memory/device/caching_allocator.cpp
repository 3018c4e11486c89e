#include "planner/memory/device/caching_allocator.h"

#include <algorithm>
#include <map>
#include <span>
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
constexpr int kWarmSteps = 3;  ///< by the third step the pools have their final size

std::int64_t roundUp(std::int64_t value, std::int64_t step) {
    return (value + step - 1) / step * step;
}
bool isSmallPool(int pool) {
    return pool % 2 == 1;
}
std::int64_t blockBytes(const DeviceEvent& event) {
    return std::max(kBlockGranule, roundUp(event.bytes, kBlockGranule));
}
int poolNumber(const DeviceEvent& event, std::int64_t bytes) {
    return 2 * event.pool + (bytes <= kSmallSize ? 1 : 0);
}

}  // namespace

CachingAllocator::Pool& CachingAllocator::poolOf(int number) {
    const auto index = static_cast<std::size_t>(number);
    if (index >= pools_.size()) {
        pools_.resize(index + 1);
    }
    return pools_[index];
}

CachingAllocator::Place CachingAllocator::newBlock(const Block& block) {
    if (unused_.empty()) {
        blocks_.push_back(block);
        return static_cast<Place>(blocks_.size() - 1);
    }
    const Place place = unused_.back();
    unused_.pop_back();
    blocks_[static_cast<std::size_t>(place)] = block;
    return place;
}

void CachingAllocator::addFree(Place place) {
    const Block& block = blocks_[static_cast<std::size_t>(place)];
    poolOf(block.pool).free.add({block.bytes, block.address, place});
}

void CachingAllocator::removeFree(Place place) {
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
        const std::int64_t added = roundUp(bytes - end.bytes, page);
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
    if (kind_ == AllocatorKind::ExpandableSegments) {
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

bool CachingAllocator::isSplit(std::int64_t rest, int pool) const {
    return isSmallPool(pool) || kind_ == AllocatorKind::ExpandableSegments ? rest >= kBlockGranule
                                                                           : rest > kSmallSize;
}

/// Cuts what is not needed off a block, if the rest is worth keeping.
void CachingAllocator::split(Place place, std::int64_t bytes) {
    const Block whole = blocks_[static_cast<std::size_t>(place)];
    const std::int64_t rest = whole.bytes - bytes;
    const bool expandable = kind_ == AllocatorKind::ExpandableSegments;
    if (!isSplit(rest, whole.pool)) {
        return;
    }
    const Place cut = newBlock({.address = whole.address + bytes,
                                .bytes = rest,
                                .pool = whole.pool,
                                .before = place,
                                .after = whole.after});
    Block& kept = blocks_[static_cast<std::size_t>(place)];
    kept.bytes = bytes;
    kept.after = cut;
    if (whole.after != kNowhere) {
        blocks_[static_cast<std::size_t>(whole.after)].before = cut;
    } else if (expandable) {
        poolOf(whole.pool).last = cut;
    }
    addFree(cut);
}

void CachingAllocator::join(Place before, Place after) {
    Block& kept = blocks_[static_cast<std::size_t>(before)];
    const Block& gone = blocks_[static_cast<std::size_t>(after)];
    kept.bytes += gone.bytes;
    kept.after = gone.after;
    if (gone.after != kNowhere) {
        blocks_[static_cast<std::size_t>(gone.after)].before = before;
    } else if (kind_ == AllocatorKind::ExpandableSegments) {
        poolOf(kept.pool).last = before;
    }
    unused_.push_back(after);
}

void CachingAllocator::giveBack(Place place) {
    const bool expandable = kind_ == AllocatorKind::ExpandableSegments;
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
    return kind_ == AllocatorKind::ExpandableSegments ||
           (block.before == kNowhere && block.after == kNowhere);
}

CachingAllocator::Place& CachingAllocator::placeOf(Storage storage) {
    const auto index = static_cast<std::size_t>(storage);
    if (index >= where_.size()) {
        where_.resize(2 * index + 1, kNowhere);
    }
    return where_[index];
}

void CachingAllocator::apply(const DeviceEvent& event) {
    if (event.bytes == kRenamed) {
        return;
    }
    if (event.bytes == 0) {
        const Place place = std::exchange(placeOf(event.storage), kNowhere);
        if (place != kNowhere) {
            allocated_ -= blocks_[static_cast<std::size_t>(place)].bytes;
            giveBack(place);
        }
        return;
    }
    const std::int64_t bytes = blockBytes(event);
    const int pool = poolNumber(event, bytes);
    const std::optional<FreeBlock> fit = poolOf(pool).free.takeFit(bytes);
    const Place place = fit ? fit->place : grow(bytes, pool);
    const bool expandable = kind_ == AllocatorKind::ExpandableSegments;
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
    const std::int64_t bytes = blockBytes(event);
    const int pool = poolNumber(event, bytes);
    const std::optional<FreeBlock> whole = poolOf(pool).free.fit(bytes);
    if (!whole) {
        apply(event);
        apply({.storage = event.storage});
        return;
    }
    placeOf(event.storage) = kNowhere;
    const std::int64_t taken = isSplit(whole->bytes - bytes, pool) ? bytes : whole->bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_ + taken);
    const bool expandable = kind_ == AllocatorKind::ExpandableSegments;
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

namespace {

/// Names of states that a step drops, each with the one of the same size that it leaves instead.
std::vector<Renaming> replacedStates(std::span<const DeviceEvent> events, std::size_t statesEnd) {
    std::size_t storages = 0;
    for (const DeviceEvent& event : events) {
        storages = std::max(storages, static_cast<std::size_t>(event.storage) + 1);
    }
    std::vector<std::int64_t> states(storages, 0);
    std::vector<std::int64_t> made(storages, 0);  // by the step
    std::multimap<std::int64_t, Storage> dropped;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const DeviceEvent& event = events[i];
        const auto at = static_cast<std::size_t>(event.storage);
        if (event.bytes > 0) {
            (i < statesEnd ? states : made)[at] = event.bytes;
        } else if (event.bytes == 0 && i < statesEnd) {
            states[at] = 0;
        } else if (event.bytes == 0 && std::exchange(made[at], 0) == 0 && states[at] > 0) {
            dropped.emplace(std::exchange(states[at], 0), event.storage);
        }
    }
    std::vector<Renaming> pairs;
    for (std::size_t storage = 0; storage < storages; ++storage) {
        if (const auto match = dropped.find(made[storage]); match != dropped.end()) {
            pairs.push_back({.from = static_cast<Storage>(storage), .to = match->second});
            dropped.erase(match);
        }
    }
    return pairs;
}

/// The names that the events behind a step have for what it left.
std::vector<Renaming> backwards(std::vector<Renaming> pairs) {
    for (Renaming& pair : pairs) {
        std::swap(pair.from, pair.to);
    }
    return pairs;
}

/// States that are made when a process starts, or those that the optimizer makes after a step.
void makeStates(CachingAllocator& allocator,
                std::span<const DeviceEvent> states,
                bool ofOptimizer) {
    for (const DeviceEvent& event : states) {
        if ((event.kind == MemoryKind::Optimizer) == ofOptimizer) {
            allocator.apply(event);
        }
    }
}

bool isReleasedAtOnce(const DeviceEvent& event, const DeviceEvent& next) {
    return event.bytes > 0 && next.bytes == 0 && next.storage == event.storage;
}

Result<void> replayStep(CachingAllocator& allocator,
                        std::span<const DeviceEvent> step,
                        const Watch& watch) {
    constexpr std::size_t kEventsPerLook = 4096;  // at the watch: about half a millisecond
    allocator.resetPeak();
    std::size_t look = 0;
    for (std::size_t event = 0; event < step.size(); ++event) {
        if (event >= look) {
            FABRICAST_TRY(watch.check());
            look = event + kEventsPerLook;
        }
        const bool isLast = event + 1 == step.size();
        if (!isLast && isReleasedAtOnce(step[event], step[event + 1])) {
            allocator.pass(step[event++]);
        } else {
            allocator.apply(step[event]);
        }
    }
    return {};
}

}  // namespace

Result<Footprint> replayRun(const RunEvents& run, AllocatorKind kind, const Watch& watch) {
    const std::span<const DeviceEvent> all(run.events);
    const auto states = all.first(run.statesEnd);
    const auto step = all.subspan(run.statesEnd, run.stepEnd - run.statesEnd);
    const auto replaced = replacedStates(all.first(run.stepEnd), run.statesEnd);
    CachingAllocator allocator(kind);
    makeStates(allocator, states, false);
    Footprint most;
    if (run.loads) {
        most = {0, allocator.peakAllocated(), allocator.peakPinned()};
    }
    const auto count = [&] {
        most = {allocator.reserved(),
                std::max(most.allocated, allocator.peakAllocated()),
                std::max(most.pinned, allocator.peakPinned())};
    };
    HeldBlocks before;
    for (int number = 0; number < kWarmSteps; ++number) {
        FABRICAST_TRY(replayStep(allocator, step, watch));
        allocator.rename(replaced);
        if (number == 0) {
            makeStates(allocator, states, true);
        }
        HeldBlocks now = allocator.held();
        if (number > 0 && now == before) {
            break;  // further steps are like this one
        }
        before = std::move(now);
    }
    count();
    if (const auto after = all.subspan(run.stepEnd); !after.empty()) {
        allocator.rename(backwards(replaced));
        FABRICAST_TRY(replayStep(allocator, after, watch));
        count();
    }
    return most;
}

Result<Footprint> replaySteps(const std::vector<DeviceEvent>& events,
                              std::size_t statesEnd,
                              AllocatorKind kind,
                              const Watch& watch) {
    return replayRun({events, statesEnd, events.size()}, kind, watch);
}

}  // namespace fabricast
