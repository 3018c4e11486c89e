#include "machine/git_commit.h"

#include "machine/child_process.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr double kMostGitSeconds = 60.0;

Result<ChildOutcome> runGit(const std::string& folder, const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"git", "-C", folder};
    command.insert(command.end(), arguments.begin(), arguments.end());
    Result<ChildOutcome> outcome =
        runChild({.command = std::move(command), .mostSeconds = kMostGitSeconds});
    if (!outcome) {
        Error error = std::move(outcome).error();
        error.hint = "install git, or compare with a file: --baseline FILE";
        return tl::unexpected(std::move(error));
    }
    return outcome;
}

bool isDone(const ChildOutcome& outcome) {
    return outcome.end == ChildOutcome::End::Exited && outcome.code == 0;
}

/// What git prints; nothing where it ends with an error.
Result<std::optional<std::string>> gitOutput(const std::string& folder,
                                             const std::vector<std::string>& arguments) {
    FABRICAST_ASSIGN(ChildOutcome outcome, runGit(folder, arguments));
    return isDone(outcome) ? std::optional(std::move(outcome.out)) : std::nullopt;
}

/// Whether a repository is there, in the folder or above it, whatever git says of it.
bool isInRepository(const std::string& folder) {
    namespace fs = std::filesystem;
    std::error_code trouble;
    for (fs::path above = fs::absolute(folder, trouble).lexically_normal();;
         above = above.parent_path()) {
        if (fs::exists(above / ".git", trouble)) {
            return true;
        }
        if (above.empty() || above == above.root_path()) {
            return false;
        }
    }
}

/// A folder that git takes for one of a repository. One of another owner it refuses.
Result<void> checkRepository(const std::string& where,
                             const std::string& folder,
                             const std::string& flag) {
    FABRICAST_ASSIGN(const ChildOutcome found, runGit(folder, {"rev-parse", "--git-dir"}));
    if (isDone(found)) {
        return {};
    }
    if (!isInRepository(folder)) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + folder + "\" is in no git repository",
                    flag + " FILE compares with a file");
    }
    const auto command = std::ranges::find_if(found.lastLines, [](const std::string& line) {
        return line.find("git config ") != std::string::npos;
    });
    const std::string why = found.lastLines.empty() ? endText(found) : found.lastLines.front();
    return fail(Error::Code::Environment,
                where,
                "git refuses the repository of \"" + folder + "\": " + why,
                command == found.lastLines.end() ? "git -C " + folder + " status"
                                                 : command->substr(command->find("git config ")));
}

}  // namespace

Result<GitCommit> GitCommit::find(const std::string& ref,
                                  const std::string& folder,
                                  const std::string& flag) {
    const std::string where = flag + " git:" + ref;
    FABRICAST_TRY(checkRepository(where, folder, flag));
    FABRICAST_ASSIGN(const std::optional<std::string> commit,
                     gitOutput(folder, {"rev-parse", "--verify", "--quiet", ref + "^{commit}"}));
    if (!commit) {
        return fail(Error::Code::BadInput,
                    where,
                    "git knows no such commit in \"" + folder + "\"",
                    "git fetch --unshallow (in CI: fetch-depth: 0), or a name of \"git log\"");
    }
    FABRICAST_ASSIGN(std::optional<std::string> prefix,
                     gitOutput(folder, {"rev-parse", "--show-prefix"}));
    if (prefix && prefix->ends_with('\n')) {
        prefix->pop_back();
    }
    return GitCommit(ref, folder, prefix.value_or(""));
}

Result<std::optional<std::string>> GitCommit::text(const std::string& path) const {
    return gitOutput(folder_, {"cat-file", "blob", ref_ + ":./" + path});
}

Result<std::vector<std::string>> GitCommit::names() const {
    FABRICAST_ASSIGN(const std::optional<std::string> entries,
                     gitOutput(folder_, {"ls-tree", "-z", ref_}));
    std::vector<std::string> names;
    std::istringstream lines(entries.value_or(""));
    for (std::string entry; std::getline(lines, entry, '\0');) {
        const std::size_t tab = entry.find('\t');
        if (entry.starts_with("100") && tab != std::string::npos) {
            names.push_back(entry.substr(tab + 1));
        }
    }
    return names;
}

Result<bool> GitCommit::isLink(const std::string& path) const {
    FABRICAST_ASSIGN(const std::optional<std::string> entry,
                     gitOutput(folder_, {"ls-tree", ref_, "--", path}));
    return entry && entry->starts_with("120000 ");
}

}  // namespace fabricast
