#pragma once
#include "planner/base/result.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {

/// This is a commit of the git repository that a folder is in, and the files of that folder as the
/// commit has them.
///     FABRICAST_ASSIGN(const GitCommit commit, GitCommit::find("main", "ci", "--baseline"));
///     FABRICAST_ASSIGN(const std::optional<std::string> text, commit.text("run.json"));
class GitCommit {
public:
    /// An error, which names `flag`, where git, a repository or the commit is missing.
    static Result<GitCommit> find(const std::string& ref,
                                  const std::string& folder,
                                  const std::string& flag);

    /// A file of the folder as the commit names it: "ci/run.json".
    [[nodiscard]] std::string pathOf(const std::string& name) const { return prefix_ + name; }
    /// Nothing where the commit does not have the file.
    [[nodiscard]] Result<std::optional<std::string>> text(const std::string& path) const;
    /// The names of the folder's own files, not of those in folders below it. Links are none.
    [[nodiscard]] Result<std::vector<std::string>> names() const;
    /// What git keeps of a link is the name that it leads to.
    [[nodiscard]] Result<bool> isLink(const std::string& path) const;

private:
    GitCommit(std::string ref, std::string folder, std::string prefix)
        : ref_(std::move(ref)), folder_(std::move(folder)), prefix_(std::move(prefix)) {}

    std::string ref_;
    std::string folder_;
    std::string prefix_;  ///< of the folder, in the repository: "ci/", or nothing
};

}  // namespace fabricast
