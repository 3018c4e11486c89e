#include "planner/load/find_named.h"
#include "planner/text/shell_text.h"
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
    Result<ModelProfile> model = parseModelProfile(input->text, sourceName(input->path));
    const std::size_t begin = input->text.find_first_not_of(" \t\r\n");
    if (!model && begin != std::string::npos && input->text[begin] != '{') {
        model.error().hint =
            "a model's config.json, or its folder; a launch file goes without -m: "
            "fabricast explain " +
            shellWord(path) + " -c dgx-h100";
    }
    return model;
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
