#include "planner/memory/caching_allocator.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace fabricast {

namespace {

// Sizes of PyTorch's allocator (c10/cuda/CUDACachingAllocator).
constexpr std::int64_t kGranule = 512;
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

}  // namespace

/// A new segment, or more pages at the end of the pool's only one.
CachingAllocator::Address CachingAllocator::growSegment(std::int64_t bytes, int pool) {
    const std::int64_t page = isSmallPool(pool) ? kSmallSegment : kLargeSegment;
    const auto [end, fresh] = segmentEnd_.emplace(pool, next_);
    if (fresh) {
        next_ += std::int64_t{1} << 46;  // a range no other pool reaches
    }
    Address at = end->second;
    std::int64_t have = 0;
    if (!fresh) {
        const auto last = std::prev(blocks_.lower_bound(end->second));
        if (!last->second.used && last->second.pool == pool) {
            at = last->first;
            have = last->second.bytes;
            free_[pool].erase({have, at});
        }
    }
    const std::int64_t added = roundUp(bytes - have, page);
    const bool first = have > 0 ? blocks_[at].first : fresh;
    blocks_[at] = {have + added, pool, false, first};
    end->second += added;
    reserved_ += added;
    return at;
}

CachingAllocator::Address CachingAllocator::grow(std::int64_t bytes, int pool) {
    if (kind_ == AllocatorKind::ExpandableSegments) {
        return growSegment(bytes, pool);
    }
    std::int64_t segment = roundUp(bytes, kRoundLarge);
    if (isSmallPool(pool)) {
        segment = kSmallSegment;
    } else if (bytes < kMinLargeAlloc) {
        segment = kLargeSegment;
    }
    const Address at = next_;
    next_ += segment;
    blocks_[at] = {segment, pool, false, true};
    reserved_ += segment;
    return at;
}

/// Cuts what is not needed off a block, if the rest is worth keeping.
void CachingAllocator::split(Address at, std::int64_t bytes) {
    Block& block = blocks_[at];
    const std::int64_t rest = block.bytes - bytes;
    const bool expandable = kind_ == AllocatorKind::ExpandableSegments;
    const bool worth = isSmallPool(block.pool) || expandable ? rest >= kGranule : rest > kSmallSize;
    if (!worth) {
        return;
    }
    block.bytes = bytes;
    blocks_[at + bytes] = {rest, block.pool, false, false};
    free_[block.pool].emplace(rest, at + bytes);
}

void CachingAllocator::giveBack(Address at) {
    auto block = blocks_.find(at);
    block->second.used = false;
    const int pool = block->second.pool;
    const auto next = std::next(block);
    if (next != blocks_.end() && !next->second.used && !next->second.first &&
        next->second.pool == pool && next->first == at + block->second.bytes) {
        free_[pool].erase({next->second.bytes, next->first});
        block->second.bytes += next->second.bytes;
        blocks_.erase(next);
    }
    if (!block->second.first && block != blocks_.begin()) {
        const auto before = std::prev(block);
        if (!before->second.used && before->second.pool == pool) {
            free_[pool].erase({before->second.bytes, before->first});
            before->second.bytes += block->second.bytes;
            blocks_.erase(block);
            block = before;
        }
    }
    free_[pool].emplace(block->second.bytes, block->first);
}

void CachingAllocator::apply(const DeviceEvent& event) {
    if (event.bytes == kRenamed) {
        return;
    }
    if (event.bytes == 0) {
        const auto found = where_.find(event.storage);
        if (found != where_.end()) {
            allocated_ -= blocks_[found->second].bytes;
            giveBack(found->second);
            where_.erase(found);
        }
        return;
    }
    const std::int64_t bytes = std::max(kGranule, roundUp(event.bytes, kGranule));
    const int pool = 2 * event.pool + (bytes <= kSmallSize ? 1 : 0);
    FreeList& list = free_[pool];
    const auto fit = list.lower_bound({bytes, 0});
    Address at = 0;
    if (fit != list.end()) {
        at = fit->second;
        list.erase(fit);
    } else {
        at = grow(bytes, pool);
    }
    split(at, bytes);
    Block& block = blocks_[at];
    block.used = true;
    where_[event.storage] = at;
    allocated_ += block.bytes;
    peakAllocated_ = std::max(peakAllocated_, allocated_);
}

void CachingAllocator::rename(const std::vector<Renaming>& all) {
    std::vector<std::pair<Storage, Address>> moved;
    for (const Renaming& one : all) {
        const auto found = where_.find(one.from);
        if (found != where_.end()) {
            moved.emplace_back(one.to, found->second);
            where_.erase(found);
        }
    }
    where_.insert(moved.begin(), moved.end());
}

namespace {

/// Names of states that a step drops, each with the one of the same size that it leaves instead.
std::vector<Renaming> replacedStates(const std::vector<DeviceEvent>& events,
                                     std::size_t statesEnd) {
    std::map<Storage, std::int64_t> states;
    std::map<Storage, std::int64_t> made;  // by the step
    std::multimap<std::int64_t, Storage> dropped;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const DeviceEvent& event = events[i];
        if (event.bytes > 0) {
            (i < statesEnd ? states : made)[event.storage] = event.bytes;
        } else if (event.bytes == 0 && i < statesEnd) {
            states.erase(event.storage);
        } else if (event.bytes == 0 && made.erase(event.storage) == 0) {
            if (const auto state = states.find(event.storage); state != states.end()) {
                dropped.emplace(state->second, event.storage);
                states.erase(state);
            }
        }
    }
    std::vector<Renaming> pairs;
    for (const auto& [storage, bytes] : made) {
        if (const auto match = dropped.find(bytes); match != dropped.end()) {
            pairs.push_back({.from = storage, .to = match->second});
            dropped.erase(match);
        }
    }
    return pairs;
}

}  // namespace

Footprint replaySteps(const std::vector<DeviceEvent>& events,
                      std::size_t statesEnd,
                      AllocatorKind kind) {
    CachingAllocator allocator(kind);
    const auto states = events.begin() + static_cast<std::ptrdiff_t>(statesEnd);
    for (auto event = events.begin(); event != states; ++event) {
        if (event->kind != MemoryKind::Optimizer) {
            allocator.apply(*event);
        }
    }
    const auto replaced = replacedStates(events, statesEnd);
    for (int step = 0; step < kWarmSteps; ++step) {
        allocator.resetPeak();
        std::for_each(states, events.end(), [&](const DeviceEvent& e) { allocator.apply(e); });
        allocator.rename(replaced);
        if (step > 0) {
            continue;
        }
        for (auto event = events.begin(); event != states; ++event) {
            if (event->kind == MemoryKind::Optimizer) {
                allocator.apply(*event);
            }
        }
    }
    return {allocator.reserved(), allocator.peakAllocated()};
}

}  // namespace fabricast
