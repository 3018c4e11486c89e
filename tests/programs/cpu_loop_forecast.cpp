// cpu_loop_forecast PROFILE_DIR CLUSTER RECORD.jsonl: what the profiles forecast of each collective
// that a record has, as lines "point,measured seconds,forecast seconds".
#include "planner/comm/collective_curve.h"
#include "planner/load/load_question.h"
#include "planner/measured/measurements.h"
#include "planner/profiles/profile_store.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

using namespace fabricast;

namespace {

std::optional<CollectiveKind> kindOf(const RecordedPoint& point) {
    const auto* const found = std::ranges::find(kCollectiveNames, point.what);
    return found == kCollectiveNames.end()
               ? std::nullopt
               : std::optional(static_cast<CollectiveKind>(found - kCollectiveNames.begin()));
}

Result<void> forecastAll(const std::string& folder,
                         const std::string& name,
                         const std::string& path) {
    FABRICAST_ASSIGN(const ProfileStore profiles,
                     ProfileStore::open(std::vector<std::string>{folder}));
    FABRICAST_ASSIGN(const ClusterSpec cluster, profiles.cluster(name, "CLUSTER"));
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(profiles));
    const CollectiveLibrary& library = timing.libraryOf(cluster.node.gpu);
    FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(cluster, library.model));
    const MeasuredPlace place = placeOf(cluster, links);
    FABRICAST_ASSIGN(const MergedMeasurements record,
                     readMeasurements(std::vector<std::string>{path}));
    for (const RecordedPoint& point : record.points) {
        const auto kind = kindOf(point);
        if (!kind || !(point.median > 0.0)) {
            continue;
        }
        FABRICAST_ASSIGN(const std::int64_t ranks, wholeSetting(point, "ranks", 2));
        FABRICAST_ASSIGN(const std::int64_t bytes, wholeSetting(point, "bytes", 1));
        const CollectiveCurve curve(
            *kind, wholeNodes(ranks, links), {links, library.model, place, library.corrections});
        std::printf("%s,%.9g,%.9g\n",
                    point.text.c_str(),
                    point.median,
                    curve.seconds(Bytes(bytes)).count());
    }
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    constexpr int kArguments = 4;
    if (argc != kArguments) {
        std::fputs("cpu_loop_forecast PROFILE_DIR CLUSTER RECORD.jsonl\n", stderr);
        return 2;
    }
    const auto done = forecastAll(argv[1], argv[2], argv[3]);
    if (!done) {
        std::fprintf(stderr, "error: %s\n", done.error().text().c_str());
        return 2;
    }
    return 0;
}
