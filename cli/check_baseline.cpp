#include "cli/check_baseline.h"

#include "machine/child_process.h"

#include <filesystem>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kGit = "git:";
constexpr double kMostSeconds = 60.0;

/// What git prints; nothing where it ends with an error.
Result<std::optional<std::string>> gitOutput(const std::string& folder,
                                             const std::vector<std::string>& arguments) {
    std::vector<std::string> command = {"git", "-C", folder};
    command.insert(command.end(), arguments.begin(), arguments.end());
    FABRICAST_ASSIGN(ChildOutcome outcome,
                     runChild({.command = std::move(command), .mostSeconds = kMostSeconds}));
    const bool isDone = outcome.end == ChildOutcome::End::Exited && outcome.code == 0;
    return isDone ? std::optional(std::move(outcome.out)) : std::nullopt;
}

Result<std::optional<Result<Question>>> questionInGit(const std::string& ref,
                                                      const std::string& file,
                                                      const GlobalOptions& options) {
    const std::string where = "--baseline git:" + ref;
    if (file.empty() || file == "-") {
        return fail(Error::Code::BadInput, where, "needs a scenario file", "check run.json");
    }
    if (ref.empty() || ref.starts_with('-')) {
        return fail(Error::Code::BadInput, where, "is not a commit, branch or tag", "git:main");
    }
    const std::filesystem::path path = options.at(file);
    const std::string folder = path.parent_path().empty() ? "." : path.parent_path().string();
    FABRICAST_ASSIGN(const std::optional<std::string> commit,
                     gitOutput(folder, {"rev-parse", "--verify", "--quiet", ref + "^{commit}"}));
    if (!commit) {
        return fail(Error::Code::BadInput,
                    where,
                    "git knows no such commit in \"" + folder + "\"",
                    "git fetch origin " + ref);
    }
    FABRICAST_ASSIGN(const std::optional<std::string> text,
                     gitOutput(folder, {"show", ref + ":./" + path.filename().string()}));
    if (!text) {
        return std::optional<Result<Question>>();
    }
    Folders folders{.file = path.parent_path().string(), .typed = options.directory};
    return std::optional(parseQuestion(*text, ref + ":" + file, std::move(folders)));
}

}  // namespace

Result<std::optional<Result<Question>>> baselineOf(const std::string& typed,
                                                   const std::string& file,
                                                   const GlobalOptions& options) {
    if (typed.starts_with(kGit)) {
        return questionInGit(typed.substr(kGit.size()), file, options);
    }
    return std::optional(readQuestion(typed, options.directory));
}

}  // namespace fabricast
