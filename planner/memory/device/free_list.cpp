#include "planner/memory/device/free_list.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kFirstSlots = 64;  ///< a power of two, as all table sizes are

}  // namespace

/// The first that does not lie higher: mostly one of the last, so it is looked for from there, ever
/// twice as far.
std::vector<FreeList::Spot>::iterator FreeList::Bin::at(std::int64_t address) {
    const std::size_t size = blocks.size();
    std::size_t passed = 0;  // the last so many do not lie higher
    std::size_t reach = 1;
    while (reach <= size && blocks[size - reach].address <= address) {
        passed = std::exchange(reach, 2 * reach);
    }
    const auto end = blocks.end();
    return std::partition_point(end - static_cast<std::ptrdiff_t>(std::min(reach, size)),
                                end - static_cast<std::ptrdiff_t>(passed),
                                [address](const Spot& spot) { return spot.address > address; });
}

inline void FreeList::Bin::add(std::int64_t address, std::int32_t place) {
    if (blocks.empty() || address < blocks.back().address) {
        blocks.push_back({address, place});
    } else {
        blocks.insert(at(address), {address, place});
    }
}

inline void FreeList::Bin::remove(std::int64_t address) {
    if (blocks.back().address == address) {
        blocks.pop_back();
    } else {
        blocks.erase(at(address));
    }
}

std::size_t FreeList::rankOf(std::int64_t bytes) const {
    const auto at = std::partition_point(
        byRank_.begin(), byRank_.end(), [&](Number number) { return bins_[number].bytes < bytes; });
    return static_cast<std::size_t>(at - byRank_.begin());
}

/// Twice as many slots as sizes at least.
void FreeList::growTable() {
    fillTable(std::max(kFirstSlots, 2 * table_.size()));
}

void FreeList::fillTable(std::size_t slots) {
    table_.assign(slots, kNone);
    for (Number number = 0; number < bins_.size(); ++number) {
        table_[slotOf(bins_[number].bytes)] = number;
    }
}

/// Blocks that are split leave sizes that never come again: a model of a thousand layers leaves
/// thousands, and each new one moves all that are larger.
void FreeList::forgetEmptySizes() {
    if (bins_.size() < nextForgotten_) {
        return;
    }
    std::vector<Bin> kept;
    for (const Number number : byRank_) {
        if (!bins_[number].blocks.empty()) {
            kept.push_back(std::move(bins_[number]));
            kept.back().rank = kept.size() - 1;
        }
    }
    bins_ = std::move(kept);
    byRank_.resize(bins_.size());
    std::iota(byRank_.begin(), byRank_.end(), Number{0});
    filled_.assign((bins_.size() + kBits - 1) / kBits, 0);
    for (std::size_t rank = 0; rank < bins_.size(); ++rank) {
        mark(rank);
    }
    fillTable(table_.size());
    nextForgotten_ = std::max(kManySizes, 2 * bins_.size());
}

void FreeList::addSize(std::int64_t bytes) {
    forgetEmptySizes();
    if (2 * (bins_.size() + 1) > table_.size()) {
        growTable();
    }
    const std::size_t rank = rankOf(bytes);
    const auto number = static_cast<Number>(bins_.size());
    bins_.push_back({.bytes = bytes});
    table_[slotOf(bytes)] = number;
    byRank_.insert(byRank_.begin() + static_cast<std::ptrdiff_t>(rank), number);
    for (std::size_t at = rank; at < byRank_.size(); ++at) {
        bins_[byRank_[at]].rank = at;
    }
    insertMark(rank);
}

/// A rank more, whose bin is empty: the marks from there on move one further.
void FreeList::insertMark(std::size_t rank) {
    filled_.resize((byRank_.size() + kBits - 1) / kBits);
    const std::size_t first = rank / kBits;
    for (std::size_t word = filled_.size() - 1; word > first; --word) {
        filled_[word] = filled_[word] << 1 | filled_[word - 1] >> (kBits - 1);
    }
    const std::uint64_t below = (std::uint64_t{1} << rank % kBits) - 1;
    filled_[first] = (filled_[first] & below) | (filled_[first] & ~below) << 1;
}

inline FreeList::Bin& FreeList::binOf(std::int64_t bytes) {
    const Number known = table_.empty() ? kNone : table_[slotOf(bytes)];
    if (known != kNone) {
        return bins_[known];
    }
    addSize(bytes);
    return bins_.back();
}

void FreeList::add(std::int64_t bytes, std::int64_t address, std::int32_t place) {
    Bin& bin = binOf(bytes);
    if (bin.blocks.empty()) {
        mark(bin.rank);
    }
    bin.add(address, place);
}

void FreeList::remove(std::int64_t bytes, std::int64_t address) {
    Bin& bin = binOf(bytes);
    bin.remove(address);
    if (bin.blocks.empty()) {
        unmark(bin.rank);
    }
}

/// The first bin from this rank on that holds a block.
inline FreeList::Number FreeList::filledFrom(std::size_t rank) const {
    std::size_t word = rank / kBits;
    if (word >= filled_.size()) {
        return kNone;
    }
    std::uint64_t bits = filled_[word] & (~std::uint64_t{0} << rank % kBits);
    while (bits == 0) {
        if (++word == filled_.size()) {
            return kNone;
        }
        bits = filled_[word];
    }
    return byRank_[word * kBits + static_cast<std::size_t>(std::countr_zero(bits))];
}

/// The bin of the smallest size that fits and holds a block.
inline FreeList::Number FreeList::fitting(std::int64_t bytes) const {
    if (table_.empty()) {
        return kNone;
    }
    const Number exact = table_[slotOf(bytes)];
    if (exact != kNone && !bins_[exact].blocks.empty()) {
        return exact;
    }
    return filledFrom(exact != kNone ? bins_[exact].rank : rankOf(bytes));
}

std::int32_t FreeList::takeFit(std::int64_t bytes) {
    const Number number = fitting(bytes);
    if (number == kNone) {
        return kNowhere;
    }
    Bin& bin = bins_[number];
    const std::int32_t place = bin.blocks.back().place;
    bin.blocks.pop_back();
    if (bin.blocks.empty()) {
        unmark(bin.rank);
    }
    return place;
}

inline std::optional<FreeBlock> FreeList::lowestOf(Number number) const {
    if (number == kNone) {
        return std::nullopt;
    }
    const Bin& bin = bins_[number];
    const Spot& spot = bin.blocks.back();
    return FreeBlock{.bytes = bin.bytes, .address = spot.address, .place = spot.place};
}

std::optional<FreeBlock> FreeList::fit(std::int64_t bytes) const {
    return lowestOf(fitting(bytes));
}

std::optional<FreeBlock> FreeList::larger(const FreeBlock& block) const {
    return lowestOf(filledFrom(bins_[table_[slotOf(block.bytes)]].rank + 1));
}

}  // namespace fabricast
