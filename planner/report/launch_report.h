#pragma once
#include "planner/launch/launch_files.h"
#include "planner/result/explanation.h"
#include "planner/result/lint_report.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The files that start a run, and its forecast.
struct Emitted {
    Explanation forecast;
    std::string target;
    std::string version;
    LaunchFiles launch;
    std::optional<SavedStates> saved{};  ///< where the question says how
};

/// What a framework that is installed says of launch files: it accepts them where nothing is
/// rejected or missing.
struct FrameworkAnswer {
    std::string reader;      ///< "deepspeed", "sbatch"
    std::string version{};   ///< the one that is installed
    std::string rejected{};  ///< why
    std::string missing{};   ///< why it was not asked
};

/// What launch files showed when they were read back.
struct EmittedCheck {
    std::string notRead{};              ///< why they could not be
    std::vector<std::string> differs;   ///< "layout.recompute: full in the plan, none in the files"
    std::vector<std::string> filledIn;  ///< "workload.sequence=4096", which the files do not say
    std::vector<LintFinding> findings;  ///< no errors: such files are not written
    std::vector<FrameworkAnswer> frameworks{};

    [[nodiscard]] bool holds() const;
};

/// Where the files lie, and what starts them.
struct EmittedView {
    std::string folder{};  ///< empty: they were not written, and are shown
    Launcher launcher = Launcher::Torchrun;
    bool next = true;     ///< with the command that starts the run
    std::string asked{};  ///< the question as it is typed, for what says more of it
};

/// "fabricast.launch/1"; with the check, where there was one.
std::string emittedJson(const Emitted& emitted,
                        std::string_view version,
                        const std::optional<EmittedCheck>& check = std::nullopt);
/// The verdict, the files, what they do not say, and how the run is started.
std::string emittedText(const Emitted& emitted, const EmittedView& view);
/// What reading the files back showed. `version`: that of the framework that they are for.
std::string emittedCheckText(const EmittedCheck& check, const std::string& version);

}  // namespace fabricast
