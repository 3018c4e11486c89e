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
/// Looked for from both ends: of many blocks of one size what is freed next is near one of them.
HeapBlock::Place nextInRing(const std::vector<HeapBlock>& blocks,
                            HeapBlock::Place first,
                            const HeapBlock& block) {
    HeapBlock::Place up = at(blocks, first).larger;
    HeapBlock::Place down = at(blocks, first).smaller;
    while (!isAhead(at(blocks, down), block)) {
        if (!isAhead(at(blocks, up), block)) {
            return up;
        }
        up = at(blocks, up).larger;
        down = at(blocks, down).smaller;
    }
    return at(blocks, down).larger;
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

}  // namespace fabricast
