#include "planner/load/load_question.h"
#include "planner/load/measured_notes.h"

#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

namespace {

Result<CollectiveLibrary> libraryNamed(const ProfileStore& profiles,
                                       const std::vector<MeasuredCollectives>& measured,
                                       std::string_view name) {
    CollectiveLibrary library;
    FABRICAST_ASSIGN(library.model, profiles.ncclModel(name));
    library.corrections = correctionTable(measured, library.model);
    return library;
}

}  // namespace

Result<TimingProfiles> loadTiming(const ProfileStore& profiles) {
    TimingProfiles timing;
    FABRICAST_ASSIGN(const auto measured, profiles.measuredCollectives());
    FABRICAST_ASSIGN(timing.nccl, libraryNamed(profiles, measured, "nccl"));
    FABRICAST_ASSIGN(timing.rccl, libraryNamed(profiles, measured, "rccl"));
    FABRICAST_ASSIGN(std::vector<NcclModel> others, profiles.otherLibraries());
    for (NcclModel& model : others) {
        CorrectionTable corrections = correctionTable(measured, model);
        timing.others.push_back({std::move(model), std::move(corrections)});
    }
    for (const ProfileFile& file : profiles.files(ProfileKind::Software)) {
        FABRICAST_ASSIGN(SoftwareTiming software, profiles.software(file.name));
        timing.software.emplace(file.name, std::move(software));
    }
    FABRICAST_ASSIGN(timing.host, profiles.host("usual"));
    FABRICAST_ASSIGN(const ProfileFile intervals, intervalsInUse(profiles));
    FABRICAST_ASSIGN(timing.intervals, profiles.intervals(intervals.name));
    return timing;
}

}  // namespace fabricast
