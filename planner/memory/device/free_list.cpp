#include "planner/memory/device/free_list.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

namespace fabricast {

namespace {

constexpr std::size_t kFirstSlots = 64;  ///< a power of two, as all table sizes are

std::size_t hashOf(std::int64_t bytes) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    constexpr unsigned kHigh = 32;  // the low bits of a product say little
    return static_cast<std::size_t>((static_cast<std::uint64_t>(bytes) * kOdd) >> kHigh);
}

}  // namespace

/// The first that does not lie higher.
std::vector<FreeList::Spot>::iterator FreeList::Bin::at(std::int64_t address) {
    return std::partition_point(blocks.begin(), blocks.end(), [address](const Spot& spot) {
        return spot.address > address;
    });
}

/// Where the size stands in the table, or would.
std::size_t FreeList::slotOf(std::int64_t bytes) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t slot = hashOf(bytes) & mask;
    while (table_[slot] != kNone && bins_[table_[slot]].bytes != bytes) {
        slot = (slot + 1) & mask;
    }
    return slot;
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
    filled_.resize((byRank_.size() + kBits - 1) / kBits);
    for (std::size_t at = rank; at < byRank_.size(); ++at) {
        Bin& bin = bins_[byRank_[at]];
        bin.rank = at;
        bin.blocks.empty() ? unmark(at) : mark(at);
    }
}

FreeList::Bin& FreeList::binOf(std::int64_t bytes) {
    const Number known = table_.empty() ? kNone : table_[slotOf(bytes)];
    if (known != kNone) {
        return bins_[known];
    }
    addSize(bytes);
    return bins_.back();
}

void FreeList::add(const FreeBlock& block) {
    Bin& bin = binOf(block.bytes);
    if (bin.blocks.empty()) {
        mark(bin.rank);
    }
    bin.blocks.insert(bin.at(block.address), {block.address, block.place});
}

void FreeList::remove(const FreeBlock& block) {
    Bin& bin = binOf(block.bytes);
    bin.blocks.erase(bin.at(block.address));
    if (bin.blocks.empty()) {
        unmark(bin.rank);
    }
}

/// The bin of the smallest size that fits and holds a block.
FreeList::Number FreeList::fitting(std::int64_t bytes) const {
    if (table_.empty()) {
        return kNone;
    }
    const Number exact = table_[slotOf(bytes)];
    if (exact != kNone && !bins_[exact].blocks.empty()) {
        return exact;
    }
    const std::size_t rank = exact != kNone ? bins_[exact].rank : rankOf(bytes);
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

std::optional<FreeBlock> FreeList::takeFit(std::int64_t bytes) {
    const Number number = fitting(bytes);
    if (number == kNone) {
        return std::nullopt;
    }
    Bin& bin = bins_[number];
    const Spot spot = bin.blocks.back();
    bin.blocks.pop_back();
    if (bin.blocks.empty()) {
        unmark(bin.rank);
    }
    return FreeBlock{.bytes = bin.bytes, .address = spot.address, .place = spot.place};
}

std::optional<FreeBlock> FreeList::fit(std::int64_t bytes) const {
    const Number number = fitting(bytes);
    if (number == kNone) {
        return std::nullopt;
    }
    const Bin& bin = bins_[number];
    const Spot& spot = bin.blocks.back();
    return FreeBlock{.bytes = bin.bytes, .address = spot.address, .place = spot.place};
}

}  // namespace fabricast
