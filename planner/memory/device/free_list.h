#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// A part of a segment, in use or free.
struct HeapBlock {
    using Place = std::int32_t;  ///< of a block, in a list of all
    static constexpr Place kNowhere = -1;
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    int pool = 0;  ///< whose list it stands in while it is free
    bool used = false;
    Place before = kNowhere;  ///< its neighbours in the same segment
    Place after = kNowhere;
    Place smaller = kNowhere;  ///< while it is free: its neighbours in a FreeList
    Place larger = kNowhere;
};

/// Free blocks by size, of equals the lowest address first. Sizes that differ by less than a
/// sixteenth share a bin, which is a ring through its blocks, and a bit says whether it has one.
///     list.add(blocks, place);
///     if (const Place fit = list.fit(blocks, 1024); fit != HeapBlock::kNowhere) { … }
class FreeList {
public:
    using Place = HeapBlock::Place;
    using Blocks = std::vector<HeapBlock>;
    FreeList() { first_.fill(HeapBlock::kNowhere); }
    void add(Blocks& blocks, Place place);
    /// The block must be there.
    void remove(Blocks& blocks, Place place);
    /// The smallest block of so many bytes or more.
    [[nodiscard]] Place fit(const Blocks& blocks, std::int64_t bytes) const;

private:
    static constexpr std::size_t kBinBits = 4;
    static constexpr std::size_t kWord = 64;
    static constexpr std::size_t kWords = (std::size_t{55} << kBinBits) / kWord + 1;
    /// By the highest bits of their size in granules.
    static std::size_t binOf(std::int64_t bytes) {
        const auto granules = static_cast<std::uint64_t>(bytes) / 512;
        const std::uint64_t least = std::uint64_t{1} << kBinBits;
        const auto width = static_cast<std::size_t>(std::bit_width(granules | least));
        const std::size_t shift = width - 1 - kBinBits;
        return (shift << kBinBits) + (granules >> shift);
    }
    static HeapBlock& blockAt(Blocks& blocks, Place place) {
        return blocks[static_cast<std::size_t>(place)];
    }
    static const HeapBlock& blockAt(const Blocks& blocks, Place place) {
        return blocks[static_cast<std::size_t>(place)];
    }
    [[nodiscard]] Place firstFrom(std::size_t bin) const;

    std::array<Place, kWords * kWord> first_;     ///< by bin: the smallest block
    std::array<std::uint64_t, kWords> filled_{};  ///< by bin: whether it holds a block
};

inline void FreeList::remove(Blocks& blocks, Place place) {
    const HeapBlock& block = blockAt(blocks, place);
    const std::size_t bin = binOf(block.bytes);
    if (block.larger == place) {
        first_[bin] = HeapBlock::kNowhere;
        filled_[bin / kWord] &= ~(std::uint64_t{1} << bin % kWord);
        return;
    }
    blockAt(blocks, block.smaller).larger = block.larger;
    blockAt(blocks, block.larger).smaller = block.smaller;
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

inline FreeList::Place FreeList::fit(const Blocks& blocks, std::int64_t bytes) const {
    const std::size_t bin = binOf(bytes);
    Place place = firstFrom(bin);
    if (place == HeapBlock::kNowhere || blockAt(blocks, place).bytes >= bytes) {
        return place;
    }
    if (blockAt(blocks, blockAt(blocks, place).smaller).bytes < bytes) {
        return firstFrom(bin + 1);
    }
    while (blockAt(blocks, place).bytes < bytes) {
        place = blockAt(blocks, place).larger;
    }
    return place;
}

}  // namespace fabricast
