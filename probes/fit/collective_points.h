#pragma once
#include "planner/evidence/measured_collectives.h"
#include "planner/measured/measurements.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The measured collectives of a record as curves of hardware_profiles/collectives, and what of
/// them could not be used, a line each.
struct CollectivePoints {
    std::vector<MeasuredCurve> curves;  ///< by collective, ranks and nodes
    std::vector<std::string> leftOut;
    std::size_t used = 0;    ///< points of the record
    double mostMoved = 0.0;  ///< the largest part by which a time was moved to make a curve rise
};

/// The collective that a point is named after; nothing: it is another measurement.
std::optional<CollectiveKind> collectiveOf(const RecordedPoint& point);
bool isCollective(const RecordedPoint& point);

/// A curve never falls: neighbours that do are given their common (geometric) mean. Where one group
/// was measured with several strides or types, or alone and beside others, the one with most sizes
/// counts. Wrong results, refusals, single ranks and ranks that shared a GPU are left out. An
/// error: a point that does not say what it is.
Result<CollectivePoints> collectivePoints(std::span<const RecordedPoint> points);

/// What a file of curves says beside them.
struct CollectivesHead {
    std::string name;  ///< "measured-ours"
    std::string title;
    std::string machine;   ///< a cluster or node profile
    std::string software;  ///< "nccl 2.28.9"
    std::string date;      ///< of the measurement, "2026-11-20"; may be empty
    std::string begun;     ///< the time of that, "2026-11-20T09:30:00Z"; may be empty
    std::string from;      ///< where the numbers come from
    std::string note;
};

/// A file of hardware_profiles/collectives.
std::string collectivesJson(const CollectivesHead& head, const CollectivePoints& points);

}  // namespace fabricast
