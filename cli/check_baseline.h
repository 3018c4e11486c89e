#pragma once
#include "flags/global_options.h"
#include "planner/base/result.h"
#include "study/question.h"

#include <optional>
#include <string>

namespace fabricast {

/// The scenario that a file is compared with: another file, or "git:REF", the same file as it is
/// in a commit, branch or tag, with the files that it names as they are there. Nothing where that
/// commit does not have it; an error where there is no such commit, no repository or no git.
/// `isFolder`: its folder was typed, and the file that started the others then may have had another
/// name.
Result<std::optional<Question>> baselineOf(const std::string& typed,
                                           const std::string& file,
                                           bool isFolder,
                                           const GlobalOptions& options);

}  // namespace fabricast
