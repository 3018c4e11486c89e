#include "study/launch_reader.h"

#include "planner/text/text_files.h"

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

/// What files name is read whenever something is asked of them, which a pipe is not.
Result<void> checkIsFile(const std::string& path) {
    std::error_code trouble;
    const fs::file_status status = fs::status(path, trouble);
    const bool isOdd =
        fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
    return isOdd
               ? Result<void>(fail(
                     Error::Code::BadInput, path, "is a device or a pipe", "a file that is there"))
               : Result<void>();
}

}  // namespace

ReadNamed launchReader(const Folders& folders, const GivenFiles& given) {
    std::vector<NamedText> texts;
    for (const std::string& file : given.beside) {
        const std::string path = pathFrom(folders.typed, file);
        if (Result<InputText> input = readInputText(path, folders.known)) {
            texts.emplace_back(std::move(input->text), nameFrom(folders.file, path));
            texts.back().source = sourceName(fs::path(path).lexically_normal().string());
        }
    }
    const auto byName = [folders](const std::string& name) -> Result<NamedText> {
        std::string seen = nameSeenFrom(folders.file, name, folders.known);
        const std::string path = pathFrom(folders.file, seen);
        FABRICAST_TRY(checkIsFile(path));
        FABRICAST_ASSIGN(InputText input, readInputText(path, folders.known));
        NamedText text(std::move(input.text), std::move(seen));
        text.source = sourceName(fs::path(path).lexically_normal().string());
        return text;
    };
    return {byName, std::move(texts), given.from};
}

}  // namespace fabricast
