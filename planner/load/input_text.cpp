#include "planner/load/input_text.h"

#include "planner/text/text_file.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

std::string configIn(const std::string& folder) {
    return (fs::path(folder) / "config.json").string();
}

}  // namespace

std::string pathFrom(const std::string& folder, const std::string& path) {
    return path == "-" ? path : (fs::path(folder) / path).string();
}

bool isInput(const std::string& path, const KnownTexts& known) {
    std::error_code ignored;
    return (known && (known->contains(path) || known->contains(configIn(path)))) ||
           fs::exists(path, ignored);
}

Result<InputText> readInputText(const std::string& path, const KnownTexts& known) {
    for (const std::string& place : {path, configIn(path)}) {
        if (known && known->contains(place)) {
            return InputText{.path = place, .text = known->at(place)};
        }
    }
    std::error_code ignored;
    const std::string place = fs::is_directory(path, ignored) ? configIn(path) : path;
    FABRICAST_ASSIGN(std::string text, readTextFile(place));
    return InputText{.path = place, .text = std::move(text)};
}

}  // namespace fabricast
