#pragma once
#include "planner/base/result.h"
#include "study/backtest.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

// The corrections that a backtest fits to machines, as profiles in files: one file for the machine
// of a table, "ours-b200-sxm-180gb.json" and so on for each of several. `typed` is the file as it
// was named behind --fit, `directory` where that starts.

/// A profile is named like its file and lies in the folder of its kind, or no command would find
/// it: told before anything is fitted.
Result<void> checkFitFile(const std::string& typed, const std::string& directory);

/// Writes the files, all names of which are sound.
Result<void> writeFits(const std::string& typed,
                       const std::string& directory,
                       const std::vector<MachineFit>& fits);

/// The intervals that runs tell, as a profile in a file of its name.
Result<void> writeIntervals(const std::string& path, const StepIntervals& intervals);

/// What was written, and a command whose forecast takes it.
std::vector<std::string> fitRemarks(const std::string& typed,
                                    const std::vector<MachineFit>& fits,
                                    const RunTable& table,
                                    const Workbench& bench);

}  // namespace fabricast
