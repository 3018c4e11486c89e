#pragma once
#include "planner/base/watch.h"
#include "planner/launch/key_lines.h"
#include "planner/launch/opened_file.h"
#include "planner/report/launch_report.h"
#include "planner/result/explanation.h"
#include "planner/result/lint_report.h"
#include "planner/spec/edit.h"
#include "study/asked_file.h"
#include "study/lint_files.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// What a forecast finds in a launch file: FC01 to FC05.
std::span<const OwnRule> forecastRules();

/// What of this forecast will be regretted, at the lines that say it, with a fix in the keys of the
/// files where they have one.
std::vector<LintFinding> forecastFindings(const Question& question,
                                          const Explanation& forecast,
                                          std::span<const OpenedFile> files,
                                          const Workbench& bench,
                                          const Watch& watch);

/// A change of the question as the keys of the launch file that it came from: what `emit` would
/// write otherwise for the changed one. Empty where the file has no key for it.
///     ownKeysOf(files, question, {{"layout.recompute", "full", ""}}, bench)
///         →  "activation_checkpoint.mode = \"full\""
std::string ownKeysOf(std::span<const OpenedFile> files,
                      const Question& question,
                      std::span<const Edit> edits,
                      const Workbench& bench);

/// Keys of a written file that stay as the question's own file has them.
struct OwnLines {
    std::string file;  ///< the written one
    KeyLines key;
};

/// What the question's own file says in its own words and the plan leaves to it: its data, learning
/// rate and names, and other spellings of what the plan says. None of them changes what the files
/// start, as they are read back, nor gives `lint` more to say.
///     ownLines(emitted, asked, question, bench)  →  {"axolotl.yaml", {"datasets", …}}, …
std::vector<OwnLines> ownLines(const Emitted& emitted,
                               const AskedFile& asked,
                               const Question& question,
                               const Workbench& bench);

/// The files with these lines.
std::vector<LaunchFile> withOwnLines(std::vector<LaunchFile> files,
                                     const std::vector<OwnLines>& own);

}  // namespace fabricast
