#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// What a run may do at best while its states are saved: wait for storage, go on, or go on with
/// copies in the memory of other nodes.
enum class Saving { Waits, InBackground, Copies };

/// A framework that files are written for, and the stack whose runs it starts.
struct LaunchTarget {
    std::string_view name;
    std::string_view stack;
    std::string_view newest;    ///< release, if none is named
    std::string_view versions;  ///< those that are known
    Result<LaunchFiles> (*files)(const LaunchFacts& facts);
    Saving saves = Saving::InBackground;  ///< without DeepSpeed's writer
    /// The newest release that has a plan's model and loss, where not all have the same.
    std::string_view (*newestWith)(const Scenario& scenario) = nullptr;
};

std::span<const LaunchTarget> launchTargets();

/// The stack's own target, or the one of that name. An error where no files are written for a stack
/// yet, or the target starts runs of another one.
Result<const LaunchTarget*> findLaunchTarget(std::string_view stack, std::string_view name = {});

/// The release that files are written for where none is named.
std::string usualRelease(const LaunchTarget& target, const Scenario& scenario);

/// How its files can save: DeepSpeed's ZeRO has a writer of its own under every target.
Saving savingOf(const LaunchTarget& target, const Layout& layout);

/// The stack whose files say what is trained of a plan: its own, or else Axolotl, which runs the
/// same layers. PyTorch's train.py has no adapters.
std::string whoWrites(const Scenario& scenario);

/// All files of a run: the framework's and the launcher's.
///     FABRICAST_ASSIGN(const LaunchFiles files, launchFiles(**target, facts));
Result<LaunchFiles> launchFiles(const LaunchTarget& target, const LaunchFacts& facts);

}  // namespace fabricast
