#pragma once
#include "planner/launch/key_lines.h"
#include "planner/report/launch_report.h"
#include "study/asked_file.h"
#include "study/question.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

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
