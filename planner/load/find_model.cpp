#include "planner/load/find_model.h"

#include "planner/io/text_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

Result<ModelProfile> readModelFile(std::string path, const std::string& where) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        path = (std::filesystem::path(path) / "config.json").string();
    }
    Result<std::string> text = readTextFile(path);
    if (!text) {
        Error error = std::move(text).error();
        error.why = error.where + " " + error.why;
        error.where = where;
        return tl::unexpected(std::move(error));
    }
    return parseModelProfile(*text, path);
}

}  // namespace

bool isModelPath(const std::string& nameOrPath) {
    return nameOrPath.find('/') != std::string::npos || nameOrPath.ends_with(".json") ||
           nameOrPath == "." || nameOrPath == "..";
}

Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const std::string& where,
                               const ProfileStore& profiles) {
    std::error_code ignored;
    if (isModelPath(nameOrPath) || nameOrPath == "-") {
        return readModelFile(nameOrPath, where);
    }
    Result<ProfileFile> file = profiles.model(nameOrPath, where);
    if (!file && std::filesystem::exists(nameOrPath, ignored)) {
        return readModelFile(nameOrPath, where);
    }
    FABRICAST_ASSIGN(const ProfileFile found, std::move(file));
    return parseModelProfile(found.text, found.source);
}

}  // namespace fabricast
