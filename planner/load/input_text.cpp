#include "planner/load/input_text.h"

#include "planner/text/text_files.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string configIn(const std::string& folder) {
    return (fs::path(folder) / "config.json").string();
}

bool isKnown(const std::string& path, const KnownTexts& known) {
    return known && known->contains(path);
}

/// Null where nothing is known of a file, or that it is not there.
const std::string* textIn(const KnownTexts& known, const std::string& path) {
    return isKnown(path, known) && known->at(path) ? &*known->at(path) : nullptr;
}

}  // namespace

std::string pathFrom(const std::string& folder, const std::string& path) {
    return path == "-" ? path : (fs::path(folder) / path).string();
}

std::string nameSeenFrom(const std::string& folder,
                         const std::string& name,
                         const KnownTexts& known) {
    std::error_code trouble;
    const fs::path here = fs::absolute(folder.empty() ? "." : folder, trouble).lexically_normal();
    if (name == "-" || fs::path(name).is_absolute()) {
        return name;
    }
    std::string seen = name;
    for (fs::path above = here; !above.empty(); above = above.parent_path()) {
        if (isInput(fs::path(pathFrom(folder, seen)).lexically_normal().string(), known)) {
            return seen;
        }
        if (above == above.root_path()) {
            break;
        }
        seen = "../" + seen;
    }
    return name;
}

bool isInput(const std::string& path, const KnownTexts& known) {
    if (isKnown(path, known)) {
        return textIn(known, path) != nullptr || textIn(known, configIn(path)) != nullptr;
    }
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Result<InputText> readInputText(const std::string& path, const KnownTexts& known) {
    for (const std::string& place : {path, configIn(path)}) {
        if (const std::string* text = textIn(known, place)) {
            return InputText{.path = place, .text = *text};
        }
    }
    if (isKnown(path, known)) {
        return fail(Error::Code::NotFound, path, "is not in the commit");
    }
    std::error_code ignored;
    const std::string place = fs::is_directory(path, ignored) ? configIn(path) : path;
    FABRICAST_ASSIGN(std::string text, readTextFile(place));
    return InputText{.path = place, .text = std::move(text)};
}

}  // namespace fabricast
