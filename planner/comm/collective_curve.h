#pragma once
#include "planner/comm/collective_correction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace fabricast {

/// A cluster, its library, and what was measured of it: all that the time of a collective needs.
/// The parts must outlive what is made from it.
struct CollectiveSetting {
    const ClusterLinks& links;
    const NcclModel& model;
    const MeasuredPlace& place;
    const CorrectionTable& corrections;
};

/// This is the time of one collective over one group for any size, ready to be asked often: the
/// library's own model, corrected by what was measured. More bytes never take less time.
///     const CollectiveCurve gather(CollectiveKind::AllGather, shape, setting);
///     total += gather.seconds(bytes);
class CollectiveCurve {
public:
    CollectiveCurve(CollectiveKind kind, const GroupShape& shape, const CollectiveSetting& setting);

    [[nodiscard]] Seconds seconds(Bytes size) const;
    /// The fewest seconds that a byte takes, whatever the size.
    [[nodiscard]] double leastPerByte() const { return leastPerByte_; }
    /// Multiprocessors that its kernel holds meanwhile.
    [[nodiscard]] std::int64_t channels(Bytes size) const;
    /// With the algorithm, the protocol and the evidence.
    [[nodiscard]] CollectiveTime at(Bytes size) const;

private:
    /// Of a group over several sites: from the curves of what it does inside them, and no less than
    /// the same ranks take at one site.
    void joinSites(CollectiveKind kind, const GroupShape& shape, const CollectiveSetting& setting);
    void setKnot(std::size_t knot, double seconds);

    CollectivePrior prior_;
    std::array<double, kKnots> knots_{};
    double leastPerByte_ = 0.0;
    std::array<std::int16_t, kKnots> channels_{};
    ChosenCorrection corrections_{};
    double wireShare_ = 0.0;  ///< over several sites: what a rank sends of the size
};

/// Curves already made, by collective and group: a search asks for few of them, often. One per
/// thread.
class CollectiveCurves {
public:
    explicit CollectiveCurves(const CollectiveSetting& setting) : setting_(setting) {}
    const CollectiveCurve& of(CollectiveKind kind, const GroupShape& shape);

private:
    struct Key {
        CollectiveKind kind = CollectiveKind::AllReduce;
        GroupShape shape;

        friend bool operator==(const Key&, const Key&) = default;
        struct Hash {
            std::size_t operator()(const Key& key) const;
        };
    };

    CollectiveSetting setting_;
    std::unordered_map<Key, CollectiveCurve, Key::Hash> curves_;
};

}  // namespace fabricast
