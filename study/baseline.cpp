#include "study/baseline.h"

#include "study/launch_folder.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

constexpr std::string_view kGit = "git:";

Result<void> checkGit(const std::string& ref, const std::string& file) {
    const std::string where = "--baseline git:" + ref;
    if (file.empty() || file == "-") {
        return fail(Error::Code::BadInput, where, "needs a scenario file", "check run.json");
    }
    if (ref.empty() || ref.starts_with('-')) {
        return fail(Error::Code::BadInput, where, "is not a commit, branch or tag", "git:main");
    }
    if (const std::size_t colon = ref.find(':'); colon != std::string::npos) {
        return fail(Error::Code::BadInput,
                    where,
                    "names a file: of a commit the scenario's own file is compared",
                    "git:" + ref.substr(0, colon) + ", or another file: git show " + ref +
                        " > before.json, then --baseline before.json");
    }
    return {};
}

/// The file of the commit that stands for `name`: of a folder that was typed it may have had
/// another name, and is the one that started the others.
Result<std::string> nameIn(const CommitFolder& commit, const std::string& name, bool isFolder) {
    FABRICAST_ASSIGN(const std::optional<std::string> same, commit.files.text(name));
    if (same || !isFolder) {
        return name;
    }
    FABRICAST_ASSIGN(std::vector<std::string> names, commit.names());
    std::erase_if(names, [](const std::string& one) { return !mayBeLaunchFile(one); });
    std::map<std::string, std::string> texts;
    for (const std::string& one : names) {
        FABRICAST_ASSIGN(const std::optional<std::string> text, commit.files.text(one));
        texts[one] = text.value_or("");
    }
    FABRICAST_ASSIGN(const std::optional<std::string> start,
                     startAmong(commit.files.name + ":" + commit.prefix, texts));
    return start.value_or(name);
}

}  // namespace

Result<std::optional<Question>> baselineOf(const BaselineAsk& ask, const FindCommit& find) {
    if (!ask.typed.starts_with(kGit)) {
        return readQuestion(ask.typed, ask.directory);
    }
    const std::string ref = ask.typed.substr(kGit.size());
    FABRICAST_TRY(checkGit(ref, ask.file));
    const std::filesystem::path scenario = std::filesystem::path(ask.directory) / ask.file;
    const std::string folder = scenario.parent_path().string();
    FABRICAST_ASSIGN(const CommitFolder commit, find(ref, folder.empty() ? "." : folder));
    FABRICAST_ASSIGN(const std::string name,
                     nameIn(commit, scenario.filename().string(), ask.isFolder));
    return earlierQuestion(
        commit.prefix + name, commit.files, {.file = folder, .typed = ask.directory}, ask.beside);
}

}  // namespace fabricast
