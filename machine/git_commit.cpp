#include "machine/git_commit.h"

#include "machine/child_process.h"

#include <vector>

namespace fabricast {
namespace {

constexpr double kMostGitSeconds = 60.0;

/// What git prints; nothing where it ends with an error.
Result<std::optional<std::string>> gitOutput(const std::string& folder,
                                             const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"git", "-C", folder};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Result<ChildOutcome> outcome =
        runChild({.command = std::move(command), .mostSeconds = kMostGitSeconds});
    if (!outcome) {
        Error error = std::move(outcome).error();
        error.hint = "install git, or compare with a file: --baseline FILE";
        return tl::unexpected(std::move(error));
    }
    const bool isDone = outcome->end == ChildOutcome::End::Exited && outcome->code == 0;
    return isDone ? std::optional(std::move(outcome->out)) : std::nullopt;
}

}  // namespace

Result<GitCommit> GitCommit::find(const std::string& ref,
                                  const std::string& folder,
                                  const std::string& flag) {
    const std::string where = flag + " git:" + ref;
    FABRICAST_ASSIGN(const std::optional<std::string> repository,
                     gitOutput(folder, {"rev-parse", "--git-dir"}));
    if (!repository) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + folder + "\" is in no git repository",
                    flag + " FILE compares with a file");
    }
    FABRICAST_ASSIGN(const std::optional<std::string> commit,
                     gitOutput(folder, {"rev-parse", "--verify", "--quiet", ref + "^{commit}"}));
    if (!commit) {
        return fail(Error::Code::BadInput,
                    where,
                    "git knows no such commit in \"" + folder + "\"",
                    "git fetch --unshallow (in CI: fetch-depth: 0), or a name of \"git log\"");
    }
    return GitCommit(ref, folder);
}

Result<std::optional<std::string>> GitCommit::text(const std::string& path) const {
    return gitOutput(folder_, {"cat-file", "blob", ref_ + ":./" + path});
}

Result<bool> GitCommit::isLink(const std::string& path) const {
    FABRICAST_ASSIGN(const std::optional<std::string> entry,
                     gitOutput(folder_, {"ls-tree", ref_, "--", path}));
    return entry && entry->starts_with("120000 ");
}

}  // namespace fabricast
