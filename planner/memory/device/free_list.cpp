#include "planner/memory/device/free_list.h"

#include <utility>

namespace fabricast {

namespace {

HeapBlock& at(std::vector<HeapBlock>& blocks, HeapBlock::Place place) {
    return blocks[static_cast<std::size_t>(place)];
}
const HeapBlock& at(const std::vector<HeapBlock>& blocks, HeapBlock::Place place) {
    return blocks[static_cast<std::size_t>(place)];
}
bool isAhead(const HeapBlock& a, const HeapBlock& b) {
    return a.bytes < b.bytes || (a.bytes == b.bytes && a.address < b.address);
}

/// Whom a block stands ahead of in a ring that it does not begin: the first again if it ends it.
HeapBlock::Place nextInRing(const std::vector<HeapBlock>& blocks,
                            HeapBlock::Place first,
                            const HeapBlock& block) {
    if (isAhead(at(blocks, at(blocks, first).smaller), block)) {
        return first;
    }
    HeapBlock::Place place = at(blocks, first).larger;
    while (isAhead(at(blocks, place), block)) {
        place = at(blocks, place).larger;
    }
    return place;
}

}  // namespace

void FreeList::add(Blocks& blocks, Place place) {
    HeapBlock& block = at(blocks, place);
    const std::size_t bin = binOf(block.bytes);
    Place& first = first_[bin];
    if (first == HeapBlock::kNowhere) {
        block.smaller = block.larger = first = place;
        filled_[bin / kWord] |= std::uint64_t{1} << bin % kWord;
        return;
    }
    Place larger = first;
    if (isAhead(block, at(blocks, first))) {
        first = place;
    } else {
        larger = nextInRing(blocks, first, block);
    }
    block.larger = larger;
    block.smaller = std::exchange(at(blocks, larger).smaller, place);
    at(blocks, block.smaller).larger = place;
}

void FreeList::remove(Blocks& blocks, Place place) {
    const HeapBlock& block = at(blocks, place);
    const std::size_t bin = binOf(block.bytes);
    if (block.larger == place) {
        first_[bin] = HeapBlock::kNowhere;
        filled_[bin / kWord] &= ~(std::uint64_t{1} << bin % kWord);
        return;
    }
    at(blocks, block.smaller).larger = block.larger;
    at(blocks, block.larger).smaller = block.smaller;
    if (first_[bin] == place) {
        first_[bin] = block.larger;
    }
}

/// The first block of the first bin from this one on that holds one.
inline FreeList::Place FreeList::firstFrom(std::size_t bin) const {
    std::size_t word = bin / kWord;
    std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << bin % kWord);
    while (bits == 0) {
        if (++word == kWords) {
            return HeapBlock::kNowhere;
        }
        bits = filled_[word];
    }
    return first_[word * kWord + static_cast<std::size_t>(std::countr_zero(bits))];
}

FreeList::Place FreeList::fit(const Blocks& blocks, std::int64_t bytes) const {
    const std::size_t bin = binOf(bytes);
    Place place = firstFrom(bin);
    if (place == HeapBlock::kNowhere || at(blocks, place).bytes >= bytes) {
        return place;
    }
    if (at(blocks, at(blocks, place).smaller).bytes < bytes) {
        return firstFrom(bin + 1);
    }
    while (at(blocks, place).bytes < bytes) {
        place = at(blocks, place).larger;
    }
    return place;
}

}  // namespace fabricast
