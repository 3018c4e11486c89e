#pragma once
#include "machine/calibration_plan.h"
#include "planner/measured/measurements.h"
#include "planner/profiles/profile_store.h"
#include "probes/fit/fit_record.h"

#include <functional>
#include <string>
#include <vector>

namespace fabricast {

/// What a profile is made from besides the measurements, and where it goes. Paths are relative to
/// the working directory.
struct FitAsk {
    std::string folder{};    ///< of profiles; empty: nothing is fitted
    std::string name{};      ///< of the profile; empty: the record's
    std::string machine{};   ///< the cluster or node profile that was measured; empty: recognised
    std::string gpu{};       ///< the GPU profile; empty: recognised by the driver's name
    std::string topology{};  ///< a topology file, kept with the profile; may be empty
    std::vector<std::string> profileFolders{};  ///< that the profile is verified on top of
    bool replaces = false;  ///< also files that would be lost, which are not of this measurement
    /// Refuses a file that the caller itself writes to.
    std::function<Result<void>(const std::string& path)> checkWritten =
        [](const std::string&) -> Result<void> { return {}; };
};

/// A profile that was written.
struct CalibratedProfile {
    FittedRecord fitted;
    std::vector<std::string> written;  ///< its files
    std::vector<std::string> next;     ///< commands that use it
};

/// The profile's name: the one asked for, else that of the record file.
Result<std::string> profileNameFor(const FitAsk& ask, const std::string& record);

/// Fits the measurements and writes the profile. `ask.name` is set.
Result<CalibratedProfile> fitCalibration(const ProfileStore& store,
                                         const MergedMeasurements& measured,
                                         const FitAsk& ask);

// What can be known to fail before minutes of measuring.

/// Time limits, and places that cannot be written.
Result<void> checkMeasuring(const MeasureAsk& ask);

/// Hosts, GPUs and ranks against the machine, as far as it is known.
Result<void> checkAgainstMachine(const MeasureAsk& ask, const MachineInventory& machine);

/// Profiles that do not exist, a folder that cannot be written, a topology that cannot be read.
Result<void> checkFit(const FitAsk& ask, const ProfileStore& store);

/// A folder that exists or can be created: its nearest existing parent is a folder that can be
/// written to.
Result<void> checkFolder(const char* flag, const std::string& folder);

/// What the fit of these runs is sure to refuse: a machine that is not named or has other GPUs, a
/// GPU without kernels to start from, files in the profile's places that stay, a profile beside
/// them that cannot be read. `ask.name` is set.
Result<void> checkPlannedFit(const FitAsk& ask,
                             const CalibrationPlan& plan,
                             const MachineInventory& machine,
                             const ProfileStore& store);

/// A topology is kept with a profile, so there must be one.
Result<void> checkTopology(const FitAsk& ask);

}  // namespace fabricast
