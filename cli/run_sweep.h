#pragma once
#include "cli/command.h"
#include "study/sweep.h"

#include <string>
#include <vector>

namespace fabricast {

/// What was typed of a sweep: --sweep KEY=VALUES, repeated, and --out FILE.
struct TypedSweep {
    std::vector<std::string> axes;
    std::string file;

    [[nodiscard]] bool isAsked() const { return !axes.empty(); }
};
void addSweepFlags(const FlagSet& command, TypedSweep& flags, const char* what, const char* group);

/// The answer at every combination of values, kept in a file of JSON lines. Exit status 1 where no
/// point has one.
Result<Answer> runSweep(const SweepWork& work,
                        const std::vector<SweepAxis>& axes,
                        const std::string& file,
                        const GlobalOptions& options);

}  // namespace fabricast
