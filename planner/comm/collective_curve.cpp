#include "planner/comm/collective_curve.h"

#include "planner/comm/own_line.h"
#include "planner/comm/site_tier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kLastKnot = kKnots - 1;

using KnotTimes = std::array<double, kKnots>;

Bytes knotSize(std::size_t knot) {
    return Bytes(std::int64_t{1} << (knot + kFirstKnot));
}

/// More bytes take no less time. What the user measured stands, so that fewer bytes take no more
/// than that, whatever a model says of them.
void putInOrder(const ChosenCorrection& corrections, KnotTimes& times) {
    const auto isOwn = [&](std::size_t knot) {
        return corrections[knot] && corrections[knot]->own;
    };
    double most = 0.0;
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        most = isOwn(knot) ? std::max(most, times[knot]) : most;
        times[knot] = isOwn(knot) ? most : times[knot];
    }
    double bound = std::numeric_limits<double>::infinity();
    for (std::size_t knot = kKnots; knot-- > 0;) {
        bound = isOwn(knot) ? times[knot] : bound;
        times[knot] = std::min(times[knot], bound);
    }
    std::partial_sum(times.begin(), times.end(), times.begin(), [](double last, double next) {
        return std::max(last, next);
    });
}

}  // namespace

CollectiveCurve::CollectiveCurve(CollectiveKind kind,
                                 const GroupShape& shape,
                                 const CollectiveSetting& setting)
    : prior_(kind, insideSite(shape), setting.links, setting.model) {
    if (shape.sites > 1) {
        joinSites(kind, shape, setting);
        return;
    }
    corrections_ = chooseCorrection(kind, shape, setting.place, setting.corrections);
    const OwnLine own = ownLine(kind, shape, setting.links.own);
    KnotTimes times{};
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        const CollectiveTime prior = prior_.at(knotSize(knot));
        const double factor = corrections_[knot] ? std::exp(corrections_[knot]->logRatio) : 1.0;
        times[knot] = prior.seconds.count() * factor;
        channels_[knot] = static_cast<std::int16_t>(prior.channels);
    }
    putInOrder(corrections_, times);
    const double least = times.front();
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        // What takes for ever is not made finite by how fast the machine's own links are.
        setKnot(knot,
                std::isinf(times[knot])
                    ? times[knot]
                    : least * own.latency + (times[knot] - least) * own.perByte);
    }
}

void CollectiveCurve::setKnot(std::size_t knot, double seconds) {
    knots_[knot] = seconds;
    const double perByte = seconds / static_cast<double>(std::int64_t{1} << (knot + kFirstKnot));
    leastPerByte_ = knot == 0 ? perByte : std::min(leastPerByte_, perByte);
}

void CollectiveCurve::joinSites(CollectiveKind kind,
                                const GroupShape& shape,
                                const CollectiveSetting& setting) {
    const SiteTier tier = siteTier(kind, shape);
    const GroupShape inside = insideSite(shape);
    const CollectiveCurve atOne(kind, atOneSite(shape), setting);
    std::vector<CollectiveCurve> parts;
    const auto ranks = static_cast<double>(inside.ranks);
    wireShare_ = tier.share / ranks;
    for (const auto& part : {tier.before, tier.after}) {
        if (part && inside.ranks > 1) {
            parts.emplace_back(*part, inside, setting);
            wireShare_ +=
                tier.inside * fabricast::wireBytes(*part, CollectiveAlgorithm::Ring, 1.0, ranks);
        }
    }
    for (std::size_t knot = 0; knot < kKnots; ++knot) {
        const auto size = static_cast<double>(std::int64_t{1} << (knot + kFirstKnot));
        const Bytes within(static_cast<std::int64_t>(std::ceil(size * tier.inside)));
        double local = 0.0;
        std::int64_t channels = 0;
        for (const CollectiveCurve& part : parts) {
            local += part.seconds(within).count();
            channels = std::max(channels, part.channels(within));
        }
        const double far = betweenSites(tier, size, shape, setting.links);
        const double joined = tier.together ? std::max(local, far) : local + far;
        setKnot(knot, std::max(joined, atOne.knots_[knot]));
        channels_[knot] = static_cast<std::int16_t>(std::max<std::int64_t>(1, channels));
    }
}

Seconds CollectiveCurve::seconds(Bytes size) const {
    const KnotPlace place = knotPlace(size);
    const double low = knots_[place.knot];
    if (place.knot == kLastKnot || !std::isfinite(low)) {
        return Seconds(low * (1.0 + place.part));
    }
    return Seconds(low + (knots_[place.knot + 1] - low) * place.part);
}

std::int64_t CollectiveCurve::channels(Bytes size) const {
    return channels_[knotPlace(size).knot];
}

CollectiveTime CollectiveCurve::at(Bytes size) const {
    CollectiveTime time = prior_.at(size);
    time.seconds = seconds(size);
    if (const auto& correction = correctionAt(corrections_, size)) {
        time.evidence = correction->evidence;
    }
    if (wireShare_ > 0.0) {
        time.evidence = CollectiveEvidence::Assumed;
        time.wire =
            Bytes(static_cast<std::int64_t>(wireShare_ * static_cast<double>(size.count())));
        time.channels = channels(size);
    }
    return time;
}

/// Groups differ most in how many ranks they have, where, and how many share a node.
std::size_t CollectiveCurves::Key::Hash::operator()(const Key& key) const {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
    constexpr unsigned kHigh = 32;
    const auto mix = [](std::uint64_t hash, std::int64_t value) {
        return (hash ^ static_cast<std::uint64_t>(value)) * kOdd;
    };
    const std::uint64_t ranks = mix(static_cast<std::uint64_t>(key.kind), key.shape.ranks);
    const std::uint64_t hash = mix(mix(ranks, key.shape.perNode), key.shape.sharing);
    return static_cast<std::size_t>(hash >> kHigh);
}

const CollectiveCurve& CollectiveCurves::of(CollectiveKind kind, const GroupShape& shape) {
    const auto found = curves_.find({kind, shape});
    if (found != curves_.end()) {
        return found->second;
    }
    return curves_.emplace(Key{kind, shape}, CollectiveCurve(kind, shape, setting_)).first->second;
}

}  // namespace fabricast
