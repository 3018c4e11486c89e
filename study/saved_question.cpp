#include "planner/load/input_text.h"
#include "planner/text/json_builder.h"
#include "study/saved_questions.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// As its reader decides: what looks like a path is one, and a model's name may be that of a
/// folder.
bool isFile(const FileName& file, const std::string& place, const ProfileStore& profiles) {
    const bool isThere = isInput(place, {});
    if (file.name.starts_with('.') || file.name.ends_with(".json")) {
        return true;
    }
    if (file.name.find('/') != std::string::npos) {
        return isThere;
    }
    return file.key == "model" && isThere && !profiles.model(file.name, "");
}

/// From one folder to a file, so that no reader takes it for a profile's name.
std::string pathBetween(const std::string& folder, const std::string& place) {
    std::error_code error;
    const fs::path from = folder.empty() ? "." : folder;
    const std::string path = fs::proximate(fs::absolute(place, error), from, error).string();
    return error ? place : path.starts_with("..") ? path : "./" + path;
}

/// The question with each file that it names by a path called what `nameOf` says of its place.
template <class NameOf>
Result<Question> withFilesNamed(Question question, const ProfileStore& profiles, NameOf nameOf) {
    const JsonBuilder build("the scenario");
    for (const FileName& file : filesNamed(question)) {
        const std::string place = pathFrom(file.folder, file.name);
        const bool isSame = file.name == "-" || fs::path(file.name).is_absolute();
        if (!isSame && isFile(file, place, profiles)) {
            FABRICAST_ASSIGN(
                question.root,
                build.with(std::move(question.root), file.key, build.string(nameOf(place))));
        }
    }
    return question;
}

}  // namespace

Result<Question> savedIn(const std::string& folder,
                         Question question,
                         const ProfileStore& profiles) {
    for (const FileName& file : filesNamed(question)) {
        if (file.name == "-") {
            return fail(Error::Code::BadInput,
                        std::string(file.key),
                        "standard input is no file that a scenario can name",
                        "the path of a file");
        }
    }
    return withFilesNamed(std::move(question), profiles, [&folder](const std::string& place) {
        return pathBetween(folder, place);
    });
}

Result<Question> withWholePaths(Question question, const ProfileStore& profiles) {
    return withFilesNamed(std::move(question), profiles, [](const std::string& place) {
        std::error_code error;
        const fs::path whole = fs::absolute(place, error);
        return error ? place : whole.lexically_normal().string();
    });
}

}  // namespace fabricast
