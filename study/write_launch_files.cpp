#include "study/write_launch_files.h"

#include "planner/output/publish_files.h"
#include "planner/text/text_file.h"

#include <filesystem>
#include <system_error>
#include <vector>

namespace fabricast {
namespace {

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
            return fail(
                Error::Code::BadInput, "--out", path + " is there and no file", "another folder");
    }
    const Result<std::string> old = readTextFile(path);
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
        if (!replaces) {
            FABRICAST_TRY(
                checkPlace((std::filesystem::path(folder) / file.name).string(), file.text));
        }
    }
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble);
    if (trouble) {
        return fail(Error::Code::Environment, "--out", folder + ": " + trouble.message());
    }
    std::vector<FolderText> texts;
    texts.reserve(files.size());
    for (const LaunchFile& file : files) {
        texts.push_back({file.name, file.text});
    }
    const std::string why =
        publishFiles(texts, folder, [](const std::string&) { return std::string(); });
    return why.empty() ? Result<void>() : fail(Error::Code::Environment, "--out", why);
}

}  // namespace fabricast
