#pragma once
#include "planner/measured/measurements.h"
#include "planner/profiles/profile_store.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/number_change.h"
#include "probes/fit/profile_text.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What a record does not say of itself.
struct RecordFitOptions {
    std::string name;     ///< of the measured profile: "ours" makes collectives/measured-ours.json
    std::string gpu;      ///< a GPU profile; empty: recognised by the driver's name
    std::string machine;  ///< the cluster or node profile whose collectives were measured
    bool isForced = false;  ///< a host that cannot be that machine's is taken for it
    std::string today{};    ///< nothing was measured after this day; empty: it is not asked
    std::string now{};      ///< nor after this time of UTC
    /// Without the folder that the profile goes to: kernels start from those; null: the store's.
    const ProfileStore* beneath = nullptr;
};

/// A number of a profile that was measured as it is, not fitted with others.
struct FittedNumber {
    std::string profile;  ///< "nodes/dgx-h200"
    NumberChange change;
};

/// A measured profile, laid out like hardware_profiles, and what a person wants to know of it.
struct FittedRecord {
    std::string gpu;      ///< the GPU profile whose kernels were measured; empty: none were
    std::string machine;  ///< the cluster or node profile that it holds for; empty: any
    std::vector<ProfileText> files;
    std::vector<FitSection> sections;
    std::vector<FittedNumber> numbers;
    std::vector<std::string> remarks;  ///< what may have been mistaken for another
    std::string report;  ///< sections with their residuals, what was left out, and what is missing
};

/// Fits all that a record holds. What was not measured of a known GPU stays as its profile has it.
/// What ranks on CPUs measured becomes a cluster of its own, which has the name of the options.
/// An error: nothing can be fitted, or nobody knows which machine it is.
Result<FittedRecord> fitRecord(const ProfileStore& store,
                               const MergedMeasurements& record,
                               const RecordFitOptions& options);

/// An error where collectives of a record cannot be of the machine that is named.
Result<void> checkMachineOf(const ProfileStore& store,
                            const MergedMeasurements& record,
                            const RecordFitOptions& options);

/// A profile's name like a text: "all-reduce-8-gpus-day-2" of "all_reduce 8 gpus (day 2)". Empty
/// where that has no letters or digits.
std::string nameLike(std::string_view text);

/// The profiles of these folders, without those of `folder` itself.
Result<ProfileStore> openBeneath(std::vector<std::string> folders, const std::string& folder);

/// Writes the files of one calibration into a folder, all or none: only once they are verified on
/// top of the profiles built in, those of the folders `beneath`, and what the folder holds already.
Result<void> writeProfile(std::span<const ProfileText> files,
                          const std::string& folder,
                          const std::vector<std::string>& beneath,
                          const char* flag = "--profile");

/// Whether the profiles that a calibration would be verified with are sound, those aside whose
/// place in the folder its files `replaced` take.
Result<void> verifyBeside(std::span<const std::string> replaced,
                          const std::string& folder,
                          std::vector<std::string> beneath);

/// The programs, their versions and the dates of a record, in a line: where its numbers come from.
std::string originText(const MergedMeasurements& record);
/// The last day of the measurement, "2026-11-20"; empty where no sitting has one.
std::string dayOf(const MergedMeasurements& record);
/// When the last sitting of that day began; empty where none says it.
std::string beginningOf(const MergedMeasurements& record);

}  // namespace fabricast
