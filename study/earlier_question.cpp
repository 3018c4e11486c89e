#include "study/earlier_question.h"

#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// The files that the scenario names, as they were. One that was not there is then no file: that of
/// today must not stand in for it.
Result<KnownTexts> earlierTexts(const EarlierFiles& earlier, const Question& question) {
    TextsByPath texts;
    for (const auto& [key, name, folder] : filesNamed(question)) {
        const std::filesystem::path path = name;
        if (name.empty() || name == "-" || path.is_absolute()) {
            continue;
        }
        for (const std::string& file : {name, (path / "config.json").string()}) {
            FABRICAST_ASSIGN(texts[pathFrom(folder, file)], earlier.text(file));
        }
    }
    return std::make_shared<const TextsByPath>(std::move(texts));
}

}  // namespace

Result<std::optional<Question>> earlierQuestion(const std::string& file,
                                                const EarlierFiles& earlier,
                                                const Folders& folders) {
    const std::string name = std::filesystem::path(file).filename().string();
    FABRICAST_ASSIGN(const std::optional<std::string> text, earlier.text(name));
    if (!text) {
        return std::nullopt;
    }
    FABRICAST_ASSIGN(const bool isLink, earlier.isLink(name));
    if (isLink) {
        return fail(Error::Code::BadInput,
                    file,
                    "is a symbolic link in " + earlier.name + ", to \"" + *text + "\"",
                    "check that file itself");
    }
    FABRICAST_ASSIGN(Question question, parseQuestion(*text, earlier.name + ":" + file, folders));
    FABRICAST_ASSIGN(question.folders.known, earlierTexts(earlier, question));
    return question;
}

Result<std::optional<Question>> onTypedHardware(Result<std::optional<Question>> baseline,
                                                const Result<Question>& question) {
    if (!baseline || !*baseline || !question || !says(**baseline, "imported")) {
        return baseline;
    }
    std::vector<Edit> edits = question->edits;
    std::erase_if(edits, [&baseline](const Edit& edit) {
        const bool isHardware = edit.path.starts_with("cluster.") || edit.path == "model";
        return !isHardware || says(**baseline, edit.path);
    });
    FABRICAST_ASSIGN(Question changed, with(**std::move(baseline), edits));
    return std::optional(std::move(changed));
}

}  // namespace fabricast
