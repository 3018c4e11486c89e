#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace fabricast {

/// A block that an allocator may hand out.
struct FreeBlock {
    std::int64_t bytes = 0;
    std::int64_t address = 0;
    std::int32_t place = 0;  ///< in the allocator's own list

    friend bool operator<(const FreeBlock& a, const FreeBlock& b) {
        return a.bytes != b.bytes ? a.bytes < b.bytes : a.address < b.address;
    }
};

/// Free blocks, smallest first and lowest address first of equals, in short runs: a replay adds and
/// takes thousands, and moving the rest of one long list would be most of its time.
///     list.add({.bytes = 4096, .address = 512});
///     if (const auto fit = list.takeFit(1024)) { … }
class FreeList {
public:
    void add(const FreeBlock& block) {
        const std::size_t at = runOf(block);
        if (at == runs_.size()) {
            runs_.emplace_back();
        }
        std::vector<FreeBlock>& run = runs_[at];
        run.insert(std::lower_bound(run.begin(), run.end(), block), block);
        if (run.size() > kLongest) {
            const auto middle = run.begin() + static_cast<std::ptrdiff_t>(run.size() / 2);
            std::vector<FreeBlock> upper(middle, run.end());
            run.erase(middle, run.end());
            runs_.insert(runs_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
        }
    }

    /// The block must be there.
    void remove(const FreeBlock& block) {
        const std::size_t at = runOf(block);
        take(at, std::lower_bound(runs_[at].begin(), runs_[at].end(), block));
    }

    /// The smallest block of so many bytes or more, which is no longer free.
    std::optional<FreeBlock> takeFit(std::int64_t bytes) {
        const FreeBlock least{.bytes = bytes};
        const std::size_t at = runOf(least);
        if (at == runs_.size() || runs_[at].back().bytes < bytes) {
            return std::nullopt;
        }
        const auto fit = std::lower_bound(runs_[at].begin(), runs_[at].end(), least);
        const FreeBlock found = *fit;
        take(at, fit);
        return found;
    }

private:
    static constexpr std::size_t kLongest = 24;

    /// The first run that ends at the block or after it; else the last.
    [[nodiscard]] std::size_t runOf(const FreeBlock& block) const {
        const auto run = std::partition_point(
            runs_.begin(), runs_.end(), [&block](const std::vector<FreeBlock>& candidate) {
                return candidate.back() < block;
            });
        const auto at = static_cast<std::size_t>(run - runs_.begin());
        return at == runs_.size() && at > 0 ? at - 1 : at;
    }

    void take(std::size_t at, std::vector<FreeBlock>::iterator block) {
        runs_[at].erase(block);
        if (runs_[at].empty()) {
            runs_.erase(runs_.begin() + static_cast<std::ptrdiff_t>(at));
        }
    }

    std::vector<std::vector<FreeBlock>> runs_;  ///< none is empty
};

}  // namespace fabricast
