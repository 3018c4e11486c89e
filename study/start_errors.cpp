#include "study/start_errors.h"

#include "study/launch_reader.h"

#include <algorithm>
#include <utility>

namespace fabricast {

Result<std::vector<LintFile>> lintedFiles(std::string_view text,
                                          const std::string& source,
                                          const Folders& folders,
                                          const GivenFiles& given) {
    const ReadNamed read = launchReader(folders, given);
    FABRICAST_ASSIGN(std::vector<OpenedFile> opened, openLaunchFiles(text, source, read));
    std::vector<LintFile> files;
    for (OpenedFile& one : opened) {
        // A program that was given with its configuration comes behind it once more.
        const bool isSeen = std::ranges::any_of(files, [&one](const LintFile& file) {
            return file.keys().source() == one.keys.source();
        });
        if (!isSeen) {
            files.emplace_back(std::move(one));
        }
    }
    return files;
}

std::vector<std::string> startErrors(std::string_view text,
                                     const std::string& source,
                                     const Folders& folders,
                                     const GivenFiles& given) {
    std::vector<std::string> notes;
    const Result<std::vector<LintFile>> files = lintedFiles(text, source, folders, given);
    if (!files) {
        return notes;
    }
    for (const LintFinding& one : lint(*files, {})) {
        if (one.severity == LintSeverity::Error) {
            notes.push_back("lint: error " + one.code + " at " + one.where + ": " + one.what +
                            " (" + one.why + ")");
        }
    }
    return notes;
}

}  // namespace fabricast
