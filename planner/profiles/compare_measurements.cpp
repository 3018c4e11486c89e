#include "planner/base/quantity_text.h"
#include "planner/profiles/possible_collective.h"
#include "planner/profiles/verify_profiles.h"
#include "planner/spec/collective_kind.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// One machine on two days, with two versions of its libraries, is no farther apart.
constexpr double kFarApart = 2.0;

/// Something that two profiles say of one machine.
struct SaidTwice {
    std::string what;  ///< "all_reduce of 1 MiB over 8 ranks takes"
    std::string here;
    std::string there;
    double ratio = 1.0;  ///< of the larger to the smaller
};

double ratioOf(double one, double other) {
    return std::max(one, other) / std::max(std::min(one, other), 1e-30);
}

/// Between the sizes that were measured; nothing beyond them.
std::optional<Seconds> secondsAt(const MeasuredCurve& curve, double bytes) {
    const auto above = std::ranges::lower_bound(
        curve.points, bytes, {}, [](const MeasuredCurve::Point& point) { return point.bytes; });
    if (above == curve.points.end() || (above == curve.points.begin() && above->bytes > bytes)) {
        return std::nullopt;
    }
    if (above->bytes == bytes) {
        return above->seconds;
    }
    const auto below = above - 1;
    const double share = (bytes - below->bytes) / (above->bytes - below->bytes);
    return below->seconds + share * (above->seconds - below->seconds);
}

std::string curveText(const MeasuredCurve& curve, double bytes) {
    return std::string(collectiveName(curve.kind)) + " of " +
           shortText(Bytes(std::llround(bytes)), UnitStyle::Binary) + " over " +
           std::to_string(curve.ranks) + " ranks on " + std::to_string(curve.nodes) +
           (curve.nodes == 1 ? " node" : " nodes") + " takes";
}

void addCurves(const MeasuredCurve& here,
               const MeasuredCurve& there,
               std::optional<SaidTwice>& worst) {
    for (const MeasuredCurve::Point& point : here.points) {
        const std::optional<Seconds> other = secondsAt(there, point.bytes);
        const double ratio = other ? ratioOf(point.seconds.count(), other->count()) : 1.0;
        if (ratio > kFarApart && (!worst || ratio > worst->ratio)) {
            worst = {
                curveText(here, point.bytes), shortText(point.seconds), shortText(*other), ratio};
        }
    }
}

std::optional<SaidTwice> farthest(const MeasuredCollectives& here,
                                  const MeasuredCollectives& there) {
    std::optional<SaidTwice> worst;
    for (const MeasuredCurve& one : here.curves) {
        for (const MeasuredCurve& other : there.curves) {
            if (one.kind == other.kind && one.ranks == other.ranks && one.nodes == other.nodes) {
                addCurves(one, other, worst);
            }
        }
    }
    return worst;
}

/// "0.4": three decimals at most.
std::string shareText(double share) {
    std::string text = std::to_string(std::round(share * 1e3) / 1e3);
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text + "0" : text;
}

std::optional<SaidTwice> farthest(const MachineCorrection& here, const MachineCorrection& there) {
    std::optional<SaidTwice> worst;
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        const double speed = here.factors().speeds[i];
        const double other = there.factors().speeds[i];
        const double ratio = ratioOf(speed, other);
        if (ratio > kFarApart && (!worst || ratio > worst->ratio)) {
            worst = {std::string(nameOf(static_cast<MachineFactor>(i))) + " has the speed",
                     shareText(speed),
                     shareText(other),
                     ratio};
        }
    }
    return worst;
}

/// A profile of the user with its file.
template <class T>
struct OwnProfile {
    std::string machine;
    std::string name;
    std::string source;
    T said;
};

/// Each pair of one machine that is far apart; the second of it is found fault with.
template <class T>
void addPairs(const std::vector<OwnProfile<T>>& all, std::vector<ProfileFinding>& findings) {
    for (std::size_t second = 1; second < all.size(); ++second) {
        for (std::size_t first = 0; first < second; ++first) {
            const OwnProfile<T>& here = all[second];
            const OwnProfile<T>& there = all[first];
            const std::optional<SaidTwice> twice =
                here.machine == there.machine ? farthest(here.said, there.said) : std::nullopt;
            if (twice) {
                findings.push_back({ProfileFinding::Severity::Warning,
                                    here.source,
                                    "contradicts \"" + there.name + "\", which is also of " +
                                        here.machine + ": " + twice->what + " " + twice->here +
                                        " here and " + twice->there + " there",
                                    "one of the two is used, the newer: remove the other, or "
                                    "name its machine"});
            }
        }
    }
}

}  // namespace

std::vector<std::string> contradictionsOf(const MeasuredCollectives& measured) {
    const GpuSpec& gpu = measured.machine.node.gpu;
    for (const MeasuredCurve& curve : measured.curves) {
        for (const MeasuredCurve::Point& point : curve.points) {
            const TimedCollective timed{
                curve.kind, curve.ranks, curve.nodes, point.bytes, point.seconds};
            std::string why = tooSlowBecause(timed);
            why = why.empty() ? tooSlowBecause(timed, gpu) : why;
            why = why.empty() ? tooFastBecause(timed, measured.machine) : why;
            if (!why.empty()) {
                return {std::string(collectiveName(curve.kind)) + " that cannot be: " + why};
            }
        }
    }
    return {};
}

std::vector<ProfileFinding> contradictingMeasurements(const ProfileStore& store) {
    std::vector<OwnProfile<MeasuredCollectives>> collectives;
    for (const ProfileFile& file : store.files(ProfileKind::Collective)) {
        // Of what cannot be read its own error says so, and NCCL's model has no curves.
        if (Result<MeasuredCollectives> one = store.measuredCollectives(file);
            one && file.isOwn()) {
            const std::string machine = one->machine.node.name;
            collectives.push_back({machine, file.name, file.source, *std::move(one)});
        }
    }
    std::vector<OwnProfile<MachineCorrection>> corrections;
    for (const ProfileFile& file : store.files(ProfileKind::Correction)) {
        if (Result<MachineCorrection> one = store.correction(file.name); one && file.isOwn()) {
            const std::string gpu = one->gpu;
            corrections.push_back({gpu, file.name, file.source, *std::move(one)});
        }
    }
    std::vector<ProfileFinding> findings;
    addPairs(collectives, findings);
    addPairs(corrections, findings);
    return findings;
}

}  // namespace fabricast
