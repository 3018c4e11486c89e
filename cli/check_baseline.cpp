#include "cli/check_baseline.h"

#include "machine/child_process.h"

#include <filesystem>
#include <memory>
#include <string_view>
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

/// A commit of the repository that a folder is in.
struct Commit {
    std::string ref;
    std::string folder;

    [[nodiscard]] Result<std::optional<std::string>> text(const std::string& path) const {
        return gitOutput(folder, {"cat-file", "blob", ref + ":./" + path});
    }
    /// What git keeps of a link is the name that it leads to.
    [[nodiscard]] Result<bool> isLink(const std::string& path) const {
        FABRICAST_ASSIGN(const std::optional<std::string> entry,
                         gitOutput(folder, {"ls-tree", ref, "--", path}));
        return entry && entry->starts_with("120000 ");
    }
};

/// The commit that was named, with the reason where there is none.
Result<Commit> commitOf(const std::string& ref, const std::string& folder) {
    const std::string where = "--baseline git:" + ref;
    FABRICAST_ASSIGN(const std::optional<std::string> repository,
                     gitOutput(folder, {"rev-parse", "--git-dir"}));
    if (!repository) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + folder + "\" is in no git repository",
                    "--baseline FILE compares with a file");
    }
    FABRICAST_ASSIGN(const std::optional<std::string> commit,
                     gitOutput(folder, {"rev-parse", "--verify", "--quiet", ref + "^{commit}"}));
    if (!commit) {
        return fail(Error::Code::BadInput,
                    where,
                    "git knows no such commit in \"" + folder + "\"",
                    "git fetch --unshallow (in CI: fetch-depth: 0), or a name of \"git log\"");
    }
    return Commit{.ref = ref, .folder = folder};
}

/// The files that the scenario names, as the commit has them. One that it does not have is then no
/// file: that of today must not stand in for it.
Result<KnownTexts> filesOf(const Commit& commit, const Question& question) {
    TextsByPath texts;
    for (const auto& [key, name, folder] : filesNamed(question)) {
        const std::filesystem::path path = name;
        if (name.empty() || name == "-" || path.is_absolute()) {
            continue;
        }
        for (const std::string& file : {name, (path / "config.json").string()}) {
            FABRICAST_ASSIGN(texts[pathFrom(folder, file)], commit.text(file));
        }
    }
    return std::make_shared<const TextsByPath>(std::move(texts));
}

Result<std::optional<Question>> questionInGit(const std::string& ref,
                                              const std::string& file,
                                              const GlobalOptions& options) {
    const std::filesystem::path path = options.at(file);
    const std::string folder = path.parent_path().string();
    FABRICAST_ASSIGN(const Commit commit, commitOf(ref, folder.empty() ? "." : folder));
    FABRICAST_ASSIGN(const std::optional<std::string> text, commit.text(path.filename().string()));
    if (!text) {
        return std::nullopt;
    }
    FABRICAST_ASSIGN(const bool isLink, commit.isLink(path.filename().string()));
    if (isLink) {
        return fail(Error::Code::BadInput,
                    file,
                    "is a symbolic link in " + ref + ", to \"" + *text + "\"",
                    "check that file itself");
    }
    FABRICAST_ASSIGN(
        Question question,
        parseQuestion(
            *text, ref + ":" + file, Folders{.file = folder, .typed = options.directory}));
    FABRICAST_ASSIGN(question.folders.known, filesOf(commit, question));
    return question;
}

Result<void> checkGit(const std::string& ref, const std::string& file) {
    const std::string where = "--baseline git:" + ref;
    if (file.empty() || file == "-") {
        return fail(Error::Code::BadInput, where, "needs a scenario file", "check run.json");
    }
    if (ref.empty() || ref.starts_with('-')) {
        return fail(Error::Code::BadInput, where, "is not a commit, branch or tag", "git:main");
    }
    return {};
}

}  // namespace

Result<std::optional<Question>> baselineOf(const std::string& typed,
                                           const std::string& file,
                                           const GlobalOptions& options) {
    if (!typed.starts_with(kGit)) {
        return readQuestion(typed, options.directory);
    }
    const std::string ref = typed.substr(kGit.size());
    FABRICAST_TRY(checkGit(ref, file));
    return questionInGit(ref, file, options);
}

}  // namespace fabricast
