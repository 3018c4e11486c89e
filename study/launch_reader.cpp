#include "study/launch_reader.h"

#include <filesystem>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

namespace fs = std::filesystem;

/// A file as errors call one that is named in the folder of another one.
std::string nameFrom(const std::string& folder, const std::string& path) {
    std::error_code trouble;
    const fs::path base = fs::absolute(folder.empty() ? "." : folder, trouble);
    const fs::path name =
        fs::absolute(path, trouble).lexically_normal().lexically_relative(base.lexically_normal());
    return name.empty() || fs::path(path).is_absolute() ? path : name.string();
}

}  // namespace

ReadNamed launchReader(const Folders& folders, const GivenFiles& given) {
    std::vector<NamedText> texts;
    for (const std::string& file : given.beside) {
        const std::string path = pathFrom(folders.typed, file);
        if (Result<InputText> input = readInputText(path, folders.known)) {
            texts.emplace_back(std::move(input->text), nameFrom(folders.file, path));
        }
    }
    const auto byName = [folders](const std::string& name) -> Result<NamedText> {
        std::string seen = nameSeenFrom(folders.file, name, folders.known);
        FABRICAST_ASSIGN(InputText input,
                         readInputText(pathFrom(folders.file, seen), folders.known));
        return NamedText(std::move(input.text), std::move(seen));
    };
    return {byName, std::move(texts), given.from};
}

}  // namespace fabricast
