#include "planner/load/find_named.h"
#include "planner/text/text_files.h"

#include <utility>

namespace fabricast {
namespace {

bool isPlainlyPath(const std::string& name) {
    return name == "-" || name.starts_with(".") || name.starts_with("/") || name.ends_with(".json");
}

Result<ModelProfile> readModelFile(const std::string& path, const ModelPlace& place) {
    Result<InputText> input = readInputText(path, place.known);
    if (!input) {
        Error error = std::move(input).error();
        error.why = error.where + " " + error.why;
        error.where = place.where;
        return tl::unexpected(std::move(error));
    }
    return parseModelProfile(input->text, sourceName(input->path));
}

}  // namespace

Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const ProfileStore& profiles,
                               const ModelPlace& place) {
    const std::string path = pathFrom(place.folder, nameOrPath);
    const bool exists = isInput(path, place.known);
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
