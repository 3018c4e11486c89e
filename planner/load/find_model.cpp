#include "planner/load/find_model.h"

#include "planner/text/text_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

bool isPlainlyPath(const std::string& name) {
    return name == "-" || name.starts_with(".") || name.starts_with("/") || name.ends_with(".json");
}

Result<ModelProfile> readModelFile(std::string path, const ModelPlace& place) {
    if (path == "-" && place.standardInput) {
        return parseModelProfile(*place.standardInput, sourceName(path));
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        path = (std::filesystem::path(path) / "config.json").string();
    }
    Result<std::string> text = readTextFile(path);
    if (!text) {
        Error error = std::move(text).error();
        error.why = error.where + " " + error.why;
        error.where = place.where;
        return tl::unexpected(std::move(error));
    }
    return parseModelProfile(*text, sourceName(path));
}

}  // namespace

Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const ProfileStore& profiles,
                               const ModelPlace& place) {
    const std::string path = nameOrPath == "-"
                                 ? nameOrPath
                                 : (std::filesystem::path(place.folder) / nameOrPath).string();
    std::error_code ignored;
    const bool exists = std::filesystem::exists(path, ignored);
    const bool severalParts = nameOrPath.find('/') != std::string::npos;
    if (isPlainlyPath(nameOrPath) || (severalParts && exists)) {
        return readModelFile(path, place);
    }
    Result<ProfileFile> file = profiles.model(nameOrPath, place.where);
    if (!file && exists) {
        return readModelFile(path, place);
    }
    FABRICAST_ASSIGN(const ProfileFile found, std::move(file));
    return parseModelProfile(found.text, found.source);
}

}  // namespace fabricast
