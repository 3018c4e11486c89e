#include "planner/comm/collective_curve.h"

#include "planner/comm/own_line.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fabricast {
namespace {

constexpr std::size_t kLastKnot = kKnots - 1;

/// The knot at or below a size, and how far to the next it is.
struct Place {
    std::size_t knot = 0;
    double part = 0.0;
};

Place placeAt(std::int64_t size) {
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(size, 1));
    const int log2 = static_cast<int>(std::bit_width(bytes)) - 1;
    if (log2 < kFirstKnot) {
        return {};
    }
    const auto knot = std::min(static_cast<std::size_t>(log2 - kFirstKnot), kLastKnot);
    const auto low = static_cast<double>(std::uint64_t{1} << (knot + kFirstKnot));
    return {.knot = knot, .part = static_cast<double>(bytes) / low - 1.0};
}

}  // namespace

CollectiveCurve::CollectiveCurve(CollectiveKind kind,
                                 const GroupShape& shape,
                                 const CollectiveSetting& setting)
    : prior_(kind, shape, setting.links, setting.model) {
    const auto chosen = chooseCorrection(kind, shape, setting.place, setting.corrections);
    const OwnLine own = ownLine(kind, shape, setting.links.own);
    double most = 0.0;
    double least = 0.0;
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        const Bytes size(std::int64_t{1} << (knot + kFirstKnot));
        const CollectiveTime prior = prior_.at(size);
        const double factor = chosen ? std::exp(chosen->logRatio[knot]) : 1.0;
        most = std::max(most, prior.seconds.count() * factor);
        least = knot == 0 ? most : least;
        // What takes for ever is not made finite by how fast the machine's own links are.
        knots_[knot] = std::isinf(most) ? most : least * own.latency + (most - least) * own.perByte;
        const double perByte = knots_[knot] / static_cast<double>(size.count());
        leastPerByte_ = knot == 0 ? perByte : std::min(leastPerByte_, perByte);
        channels_[knot] = static_cast<std::int16_t>(prior.channels);
    }
    if (chosen) {
        corrected_ = true;
        evidence_ = chosen->evidence;
    }
}

Seconds CollectiveCurve::seconds(Bytes size) const {
    const Place place = placeAt(size.count());
    const double low = knots_[place.knot];
    if (place.knot == kLastKnot || !std::isfinite(low)) {
        return Seconds(low * (1.0 + place.part));
    }
    return Seconds(low + (knots_[place.knot + 1] - low) * place.part);
}

std::int64_t CollectiveCurve::channels(Bytes size) const {
    return channels_[placeAt(size.count()).knot];
}

CollectiveTime CollectiveCurve::at(Bytes size) const {
    CollectiveTime time = prior_.at(size);
    time.seconds = seconds(size);
    if (corrected_) {
        time.evidence = evidence_;
    }
    return time;
}

const CollectiveCurve& CollectiveCurves::of(CollectiveKind kind, const GroupShape& shape) {
    const auto found = curves_.find({kind, shape});
    if (found != curves_.end()) {
        return found->second;
    }
    return curves_.emplace(std::pair{kind, shape}, CollectiveCurve(kind, shape, setting_))
        .first->second;
}

}  // namespace fabricast
