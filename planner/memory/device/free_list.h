#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace fabricast {

/// A block that an allocator may hand out.
struct FreeBlock {
    std::int64_t bytes = 0;
    std::int64_t address = 0;
    std::int32_t place = 0;  ///< in the allocator's own list
};

/// Free blocks by size, of equals the lowest address first. Steps ask for the same sizes again and
/// again: a size that was seen keeps its bin for long, and a bit says whether the bin holds a
/// block.
///     list.add({.bytes = 4096, .address = 512});
///     if (const auto place = list.takeFit(1024); place != FreeList::kNowhere) { … }
class FreeList {
public:
    void add(const FreeBlock& block) { add(block.bytes, block.address, block.place); }
    /// The block must be there.
    void remove(const FreeBlock& block) { remove(block.bytes, block.address); }
    static constexpr std::int32_t kNowhere = -1;
    /// The place of the smallest block of so many bytes or more, which is no longer free.
    std::int32_t takeFit(std::int64_t bytes);
    /// The block that `takeFit` would take.
    [[nodiscard]] std::optional<FreeBlock> fit(std::int64_t bytes) const;
    /// Of the next size behind that of a block that is there.
    [[nodiscard]] std::optional<FreeBlock> larger(const FreeBlock& block) const;

private:
    using Number = std::uint32_t;  ///< of a bin, in the order in which sizes were seen
    static constexpr Number kNone = ~Number{0};
    struct Spot {
        std::int64_t address = 0;
        std::int32_t place = 0;
    };
    struct Bin {
        std::int64_t bytes = 0;
        std::size_t rank = 0;        ///< among the sizes
        std::vector<Spot> blocks{};  ///< the lowest address last

        std::vector<Spot>::iterator at(std::int64_t address);
        void add(std::int64_t address, std::int32_t place);
        void remove(std::int64_t address);
    };
    // Values in registers: a block that is written field by field and then copied as a whole waits
    // for its own stores.
    void add(std::int64_t bytes, std::int64_t address, std::int32_t place);
    void remove(std::int64_t bytes, std::int64_t address);

    /// Where the size stands in the table, or would.
    [[nodiscard]] std::size_t slotOf(std::int64_t bytes) const {
        const std::size_t mask = table_.size() - 1;
        std::size_t slot = hashOf(bytes) & mask;
        while (table_[slot] != kNone && bins_[table_[slot]].bytes != bytes) {
            slot = (slot + 1) & mask;
        }
        return slot;
    }
    static std::size_t hashOf(std::int64_t bytes) {
        constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
        constexpr unsigned kHigh = 32;  // the low bits of a product say little
        return static_cast<std::size_t>((static_cast<std::uint64_t>(bytes) * kOdd) >> kHigh);
    }
    [[nodiscard]] Bin& binOf(std::int64_t bytes);
    /// Of the sizes: how many are smaller.
    [[nodiscard]] std::size_t rankOf(std::int64_t bytes) const;
    [[nodiscard]] Number fitting(std::int64_t bytes) const;
    [[nodiscard]] Number filledFrom(std::size_t rank) const;
    [[nodiscard]] std::optional<FreeBlock> lowestOf(Number number) const;
    void addSize(std::int64_t bytes);
    void insertMark(std::size_t rank);
    void growTable();
    void fillTable(std::size_t slots);
    void forgetEmptySizes();
    void mark(std::size_t rank) { filled_[rank / kBits] |= std::uint64_t{1} << rank % kBits; }
    void unmark(std::size_t rank) { filled_[rank / kBits] &= ~(std::uint64_t{1} << rank % kBits); }

    static constexpr std::size_t kBits = 64;
    static constexpr std::size_t kManySizes = 1024;
    std::vector<Bin> bins_;
    std::vector<Number> byRank_;              ///< bins, the smallest size first
    std::vector<std::uint64_t> filled_;       ///< by rank: whether the bin holds a block
    std::vector<Number> table_;               ///< bins by a hash of their size
    std::size_t nextForgotten_ = kManySizes;  ///< so many sizes: those without blocks are forgotten
};

}  // namespace fabricast
