#include "probes/collective/check_pattern.h"

#include <algorithm>
#include <cstring>

namespace fabricast::probe {

namespace {

/// A number that looks like chance (splitmix64's last step).
std::uint64_t mixed(std::uint64_t number) {
    number = (number ^ (number >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    number = (number ^ (number >> 27U)) * 0x94D049BB133111EBULL;
    return number ^ (number >> 31U);
}

}  // namespace

CheckPattern::CheckPattern(const CollectiveTask& task) : task_(task), count_(countsOf(task).count) {
    const std::int64_t ranks = task.shape.ranks;
    constexpr std::int64_t kMoved = 127;
    constexpr std::int64_t kAdded = 8;
    values_ = isReduction(task.call) ? std::min(kAdded, task.type.exact / ranks + 1) : kMoved;
    if (!possible()) {
        return;
    }
    std::int64_t largest = values_ - 1;
    for (std::int64_t first = 0; isReduction(task.call) && first < values_; ++first) {
        std::int64_t sum = 0;
        for (std::int64_t place = 0; place < ranks; ++place) {
            sum += (first + place) % values_;
        }
        sums_.push_back(sum);
        largest = std::max(largest, sum);
    }
    for (std::int64_t value = 0; value <= largest; ++value) {
        encoded_.push_back(encoded(task.type, value));
    }
}

std::int64_t CheckPattern::sentBy(int place, std::int64_t element) const {
    const auto values = static_cast<std::uint64_t>(values_);
    const auto at = static_cast<std::uint64_t>(element % kPeriod);
    const auto who = static_cast<std::uint64_t>(place);
    // Sums of all members then depend on what the first one sends alone.
    return static_cast<std::int64_t>(isReduction(task_.call)
                                         ? (mixed(at) % values + who) % values
                                         : mixed(at ^ ((who + 1) << 44U)) % values);
}

std::int64_t CheckPattern::receivedBy(int place, std::int64_t element) const {
    const int ranks = task_.shape.ranks;
    const auto sum = [&](std::int64_t at) {
        return sums_[static_cast<std::size_t>(sentBy(0, at))];
    };
    switch (task_.call) {
        case GroupCall::AllReduce:
            return sum(element);
        case GroupCall::ReduceScatter:
            return sum(place * count_ + element);
        case GroupCall::AllGather:
            return sentBy(static_cast<int>(element / count_), element % count_);
        case GroupCall::AllToAll:
            return sentBy(static_cast<int>(element / count_), place * count_ + element % count_);
        case GroupCall::Broadcast:
            return sentBy(0, element);
        case GroupCall::SendRecv:
            return sentBy((place + ranks - 1) % ranks, element);
    }
    return 0;
}

void CheckPattern::fill(std::span<char> bytes, std::int64_t first, int place) const {
    const auto each = static_cast<std::size_t>(task_.type.bytes);
    for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
        const auto value = static_cast<std::size_t>(sentBy(place, first++));
        std::memcpy(bytes.data() + at, encoded_[value].data(), each);
    }
}

std::int64_t CheckPattern::wrong(std::span<const char> bytes, std::int64_t first, int place) const {
    const auto each = static_cast<std::size_t>(task_.type.bytes);
    std::int64_t wrong = 0;
    for (std::size_t at = 0; at + each <= bytes.size(); at += each) {
        const auto value = static_cast<std::size_t>(receivedBy(place, first++));
        wrong += std::memcmp(bytes.data() + at, encoded_[value].data(), each) != 0 ? 1 : 0;
    }
    return wrong;
}

std::vector<JudgedPart> judgedParts(const CollectiveTask& task) {
    constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
    constexpr std::int64_t kMostPieces = 32;
    const std::int64_t elements = countsOf(task).received;
    const std::int64_t piece = kPieceBytes / task.type.bytes;
    const std::int64_t all = (elements + piece - 1) / piece;
    const std::int64_t pieces = std::min(all, kMostPieces);
    std::vector<JudgedPart> parts;
    for (std::int64_t at = 0; at < pieces; ++at) {
        // The first and the last are among them.
        const std::int64_t number = pieces == all ? at : at * (all - 1) / (pieces - 1);
        const std::int64_t first = number * piece;
        parts.push_back({first, std::min(piece, elements - first)});
    }
    return parts;
}

}  // namespace fabricast::probe
