#include "study/requirements.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fabricast {
namespace {

enum class Side : std::uint8_t { Least, Exact, Most };

Side sideOf(const Requirement& one) {
    switch (one.relation) {
        case Relation::Greater:
        case Relation::AtLeast:
            return Side::Least;
        case Relation::Equal:
            return Side::Exact;
        case Relation::AtMost:
        case Relation::Less:
            break;
    }
    return Side::Most;
}

/// Whether both bound the same from the same side, however far.
bool isSameBound(const Requirement& one, const Requirement& other) {
    return one.metric == other.metric &&
           (one.metric == Metric::Fits ||
            (sideOf(one) == sideOf(other) && one.ofBaseline == other.ofBaseline));
}

/// How much of the interval is to hold: the worst end of it asks for more than the whole, which is
/// unsure where the worst end fails.
int strictness(const Requirement& one) {
    const bool isLeast = sideOf(one) == Side::Least;
    switch (one.judged) {
        case Judged::Low:
            return isLeast ? 3 : 0;
        case Judged::High:
            return isLeast ? 0 : 3;
        case Judged::Interval:
            return 2;
        case Judged::Middle:
            break;
    }
    return 1;
}

bool isBoundKept(const Requirement& now, const Requirement& before) {
    if (now.bound == before.bound) {
        const bool isStrict =
            before.relation == Relation::Less || before.relation == Relation::Greater;
        return !isStrict || now.relation == before.relation;
    }
    const Side side = sideOf(before);
    return side == Side::Least ? now.bound > before.bound
                               : side == Side::Most && now.bound < before.bound;
}

/// Whether what held `before` is still asked for.
bool isKept(const Requirement& now, const Requirement& before) {
    if (!isSameBound(now, before) ||
        (now.level == RequirementLevel::Warning && before.level == RequirementLevel::Error)) {
        return false;
    }
    return before.metric == Metric::Fits
               ? now.surely || !before.surely
               : isBoundKept(now, before) && strictness(now) >= strictness(before);
}

/// What is equal is bounded from both sides.
std::array<Requirement, 2> halvesOf(const Requirement& one) {
    std::array<Requirement, 2> halves = {one, one};
    if (one.relation == Relation::Equal) {
        halves.front().relation = Relation::AtLeast;
        halves.back().relation = Relation::AtMost;
    }
    return halves;
}

}  // namespace

std::vector<WeakerRequirement> weakerIn(const std::vector<Requirement>& now,
                                        const std::vector<Requirement>& before) {
    std::vector<WeakerRequirement> weaker;
    for (const Requirement& one : before) {
        const auto isAnyKept = [&now](const Requirement& what) {
            return std::ranges::any_of(
                now, [&what](const Requirement& each) { return isKept(each, what); });
        };
        if (isAnyKept(one) || std::ranges::all_of(halvesOf(one), isAnyKept)) {
            continue;
        }
        weaker.push_back({.before = one, .now = std::nullopt});
        const auto less = std::ranges::find_if(
            now, [&](const Requirement& each) { return isSameBound(each, one); });
        if (less != now.end()) {
            weaker.back().now = *less;
        }
    }
    return weaker;
}

}  // namespace fabricast
