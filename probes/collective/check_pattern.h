#pragma once
#include "probes/collective/sweep.h"

#include <array>
#include <span>
#include <vector>

namespace fabricast::probe {

/// What the members of a group send, and so what each must receive. All numbers are whole and so
/// small that sums are exact in whatever order they are added; neighbours differ as if by chance.
/// What a member sends repeats after `kPeriod` elements, a prime, so that no two slices are alike.
class CheckPattern {
public:
    static constexpr std::int64_t kPeriod = 1'048'573;

    explicit CheckPattern(const CollectiveTask& task);

    /// Whether sums of so many ranks are exact in this type; results are not judged otherwise.
    [[nodiscard]] bool possible() const { return values_ >= 2; }

    /// Writes what the member at `place` sends, from its element `first` on.
    void fill(std::span<char> bytes, std::int64_t first, int place) const;
    /// How many elements are not what that member must have received, from `first` on.
    [[nodiscard]] std::int64_t wrong(std::span<const char> bytes,
                                     std::int64_t first,
                                     int place) const;

private:
    [[nodiscard]] std::int64_t sentBy(int place, std::int64_t element) const;
    [[nodiscard]] std::int64_t receivedBy(int place, std::int64_t element) const;

    CollectiveTask task_;
    std::int64_t count_ = 0;
    std::int64_t values_ = 0;                   ///< 0, 1, … below this are sent
    std::vector<std::int64_t> sums_;            ///< of all members, by what the first one sends
    std::vector<std::array<char, 8>> encoded_;  ///< by value
};

/// Elements of a result, one after another.
struct JudgedPart {
    std::int64_t first = 0;
    std::int64_t elements = 0;
};

/// What of a result is compared on the host, which takes about 10 ns an element: all of it up to
/// 32 MiB, else as much in 32 parts from the first element to the last.
std::vector<JudgedPart> judgedParts(const CollectiveTask& task);

}  // namespace fabricast::probe
