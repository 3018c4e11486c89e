#include "planner/output/publish_files.h"
#include "planner/text/text_files.h"
#include "study/launch_folder.h"

#include <filesystem>
#include <system_error>
#include <vector>

namespace fabricast {
namespace {

/// A file of the folder that is also one elsewhere, which nobody named: its text would change too.
Result<void> checkAlone(const std::string& path) {
    std::error_code none;
    const bool isFile =
        std::filesystem::is_regular_file(std::filesystem::symlink_status(path, none));
    return !isFile || std::filesystem::hard_link_count(path, none) <= 1
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      "--out",
                      path + " has another name elsewhere (a hard link), which would change too",
                      "another folder, or remove this name first");
}

tl::unexpected<Error> noFile(Error::Code code, const std::string& path) {
    return fail(code, "--out", path + " is there and no file", "another folder");
}

/// What may lie in the place of a file that --force replaces.
Result<void> checkReplaced(const std::string& path) {
    std::error_code none;
    const auto there = std::filesystem::symlink_status(path, none);
    if (std::filesystem::exists(there) && !std::filesystem::is_symlink(there) &&
        !std::filesystem::is_regular_file(there)) {
        return noFile(Error::Code::Environment, path);
    }
    FABRICAST_TRY(checkAlone(path));
    return checkNotRead(path);
}

/// What lies in the place of a file, and may not be replaced unasked.
Result<void> checkPlace(const std::string& path, const std::string& text) {
    using Kind = std::filesystem::file_type;
    std::error_code trouble;
    switch (std::filesystem::symlink_status(path, trouble).type()) {
        case Kind::none:  // whatever that is, writing says it
        case Kind::unknown:
        case Kind::not_found:
            return {};
        case Kind::symlink:
            return fail(Error::Code::BadInput,
                        "--out",
                        path + " is a link",
                        "--force, which replaces it and not what it leads to, or another folder");
        case Kind::regular:
            break;
        default:
            return noFile(Error::Code::BadInput, path);
    }
    const Result<std::string> old = readTextFile(path, kMostTextBytes, ReadFor::Look);
    return old && *old == text ? Result<void>()
                               : fail(Error::Code::BadInput,
                                      "--out",
                                      path + " is there and differs",
                                      "--force, or another folder");
}

}  // namespace

Result<void> writeLaunchFiles(std::span<const LaunchFile> files,
                              const std::string& folder,
                              bool replaces) {
    for (const LaunchFile& file : files) {
        const std::string place = (std::filesystem::path(folder) / file.name).string();
        FABRICAST_TRY(replaces ? checkReplaced(place) : checkPlace(place, file.text));
    }
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble) {
        return fail(
            Error::Code::Environment, "--out", folder + ": " + trouble.message(), "another folder");
    }
    std::vector<FolderText> texts;
    texts.reserve(files.size());
    for (const LaunchFile& file : files) {
        texts.push_back({file.name, file.text});
    }
    const std::string why = publishFiles(
        texts, folder, FolderLinks::Replaced, [](const std::string&) { return std::string(); });
    return why.empty() ? Result<void>()
                       : fail(Error::Code::Environment,
                              "--out",
                              why,
                              "a folder that takes new files, on a disk with room");
}

}  // namespace fabricast
