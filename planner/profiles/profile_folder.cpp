#include "planner/profiles/profile_list.h"
#include "planner/text/text_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// Names of the *.json files of one subfolder; none when it is not there.
Result<std::vector<std::string>> jsonNames(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        return names;
    }
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        if (entry->path().extension() == ".json") {
            names.push_back(entry->path().filename().string());
        }
    }
    if (error) {
        return fail(
            Error::Code::Environment, folder.string(), "cannot be listed: " + error.message());
    }
    std::ranges::sort(names);
    return names;
}

Result<FolderFile> readOne(const fs::path& folder, const std::string& path) {
    const std::string source = (folder / path).string();
    std::error_code error;
    // Nobody typed this name: a pipe among profiles would be waited for.
    if (!fs::is_regular_file(source, error)) {
        return fail(Error::Code::BadInput,
                    source,
                    error ? "cannot be read: " + error.message() : "is not a regular file",
                    "move it out of the folder of profiles");
    }
    FABRICAST_ASSIGN(std::string text, readTextFile(source));
    return FolderFile{path, source, std::make_shared<const std::string>(std::move(text))};
}

std::string listed(std::span<const std::string> kinds) {
    std::string text;
    for (const std::string& kind : kinds) {
        text += (text.empty() ? "" : ", ") + kind + "/";
    }
    return text;
}

}  // namespace

Result<std::vector<FolderFile>> readProfileFolder(const std::string& folder,
                                                  std::span<const std::string> kinds) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        return fail(Error::Code::NotFound,
                    folder,
                    "is not a folder of profiles",
                    "a folder that contains " + listed(kinds));
    }
    if (fs::directory_iterator(folder, error); error) {
        return fail(Error::Code::Environment, folder, "cannot be listed: " + error.message());
    }
    std::vector<FolderFile> files;
    for (const std::string& kind : kinds) {
        FABRICAST_ASSIGN(const std::vector<std::string> names, jsonNames(fs::path(folder) / kind));
        for (const std::string& name : names) {
            FABRICAST_ASSIGN(FolderFile file, readOne(folder, kind + "/" + name));
            files.push_back(std::move(file));
        }
    }
    if (fs::exists(fs::path(folder) / "sources.json", error)) {
        FABRICAST_ASSIGN(FolderFile file, readOne(folder, "sources.json"));
        files.push_back(std::move(file));
    }
    if (files.empty()) {
        return fail(Error::Code::NotFound,
                    folder,
                    "has no profiles",
                    "add *.json files in its folders " + listed(kinds));
    }
    return files;
}

}  // namespace fabricast
