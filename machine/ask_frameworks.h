#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/report/launch_report.h"

#include <string>
#include <vector>

namespace fabricast {

/// Whose Python is asked, and what the files are for.
struct FrameworkAsk {
    std::string python{};  ///< empty: python3 of PATH
    Launcher launcher = Launcher::Torchrun;
};

/// What the frameworks that are installed on this machine say of launch files, by their own code:
/// the target's, and `sbatch --test-only` of a job for Slurm. The files are written into a folder
/// of their own, and nothing of them trains. An error: the Python that was named is none.
Result<std::vector<FrameworkAnswer>> askFrameworks(const Emitted& emitted,
                                                   const FrameworkAsk& ask,
                                                   const Watch& watch);

}  // namespace fabricast
