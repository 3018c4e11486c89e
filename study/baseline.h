#pragma once
#include "study/saved_questions.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A folder as a commit has it.
struct CommitFolder {
    EarlierFiles files;
    std::string prefix;  ///< of the folder in the repository: "ci/", or nothing
    /// The names of the folder's own files.
    std::function<Result<std::vector<std::string>>()> names;
};

/// Finds the commit `ref` of the repository that `folder` is in.
using FindCommit =
    std::function<Result<CommitFolder>(const std::string& ref, const std::string& folder)>;

struct BaselineAsk {
    std::string typed;      ///< another file, or "git:REF"
    std::string file;       ///< of the scenario that is compared with it
    bool isFolder = false;  ///< its folder was typed: the file that started the others then may
                            ///< have had another name
    std::vector<std::string> beside{};  ///< other files of its run, as typed
    std::string directory;              ///< that all are relative to
};

/// The scenario that a file is compared with: another file, or "git:REF", the same file as it is
/// in a commit, branch or tag, with the files that it names as they are there. Nothing where that
/// commit does not have it; an error where there is no such commit, no repository or no git.
///     baselineOf({.typed = "git:main", .file = "ci/run.json"}, &commitFolder)
Result<std::optional<Question>> baselineOf(const BaselineAsk& ask, const FindCommit& find);

}  // namespace fabricast
