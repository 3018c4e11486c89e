#include "planner/launch/import_launch.h"
#include "planner/models/model_file.h"
#include "study/saved_questions.h"

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// A file as it was, where a launch file of a folder looks for it: there, and in the folders above.
/// Where it looked is kept in `texts`.
Result<NamedText> earlierNamed(const EarlierFiles& earlier,
                               const std::string& folder,
                               const std::string& name,
                               TextsByPath& texts) {
    namespace fs = std::filesystem;
    std::error_code trouble;
    const fs::path here = fs::absolute(folder.empty() ? "." : folder, trouble).lexically_normal();
    std::string seen = name;
    for (fs::path above = here;; above = above.parent_path()) {
        FABRICAST_ASSIGN(const std::optional<std::string> text, earlier.text(seen));
        const std::string path = pathFrom(folder, seen);
        texts[path] = text;
        texts[fs::path(path).lexically_normal().string()] = text;
        if (text) {
            return NamedText(*text, seen);
        }
        if (above.empty() || above == above.root_path() || fs::path(name).is_absolute()) {
            return fail(Error::Code::NotFound, name, "is not in the commit");
        }
        seen = "../" + seen;
    }
}

/// The files that a launch file reads, and those that these read, as they were. A file of another
/// kind names none here.
void addLaunchTexts(const EarlierFiles& earlier,
                    std::string_view text,
                    const std::string& source,
                    const std::string& folder,
                    TextsByPath& texts) {
    if (isLaunchFile(text, source)) {
        const auto read = [&](const std::string& name) {
            return earlierNamed(earlier, folder, name, texts);
        };
        const auto noLayers = [](const std::string&) { return std::optional<std::int64_t>(); };
        // What it says is asked for later; here only what it reads.
        (void)importLaunch(text, source, {.read = read, .layers = noLayers});
    }
}

/// The other files of a run as they were, and what these read. One that was not there is none.
Result<void> addTextsBeside(const EarlierFiles& earlier,
                            const std::vector<std::string>& beside,
                            const Folders& folders,
                            TextsByPath& texts) {
    namespace fs = std::filesystem;
    std::error_code trouble;
    const fs::path here =
        fs::absolute(folders.file.empty() ? "." : folders.file, trouble).lexically_normal();
    for (const std::string& file : beside) {
        const std::string path = pathFrom(folders.typed, file);
        const std::string seen =
            fs::absolute(path, trouble).lexically_normal().lexically_relative(here).string();
        FABRICAST_ASSIGN(texts[path], earlier.text(seen));
        if (const std::optional<std::string> text = texts[path]) {
            addLaunchTexts(earlier, *text, earlier.name + ":" + seen, folders.file, texts);
        }
    }
    return {};
}

/// The files that the scenario names, as they were. One that was not there is then no file: that of
/// today must not stand in for it.
Result<KnownTexts> earlierTexts(const EarlierFiles& earlier,
                                const Question& question,
                                TextsByPath texts) {
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
                                                const Folders& folders,
                                                const std::vector<std::string>& beside) {
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
    const std::string source = earlier.name + ":" + file;
    TextsByPath texts;
    addLaunchTexts(earlier, *text, source, folders.file, texts);
    FABRICAST_TRY(addTextsBeside(earlier, beside, folders, texts));
    Folders then = folders;
    then.known = std::make_shared<const TextsByPath>(texts);
    FABRICAST_ASSIGN(Question question,
                     parseQuestion(*text, source, std::move(then), {.beside = beside}));
    if (isModelFile(question.root)) {
        return fail(Error::Code::BadInput,
                    source,
                    "is a model, and no scenario: what is compared says its hardware too",
                    "a scenario that names the model: fabricast init run.json");
    }
    FABRICAST_ASSIGN(question.folders.known, earlierTexts(earlier, question, std::move(texts)));
    return question;
}

namespace {

/// Whether what is typed of the hardware is that of the baseline too: a launch file does not say
/// it.
bool isTakenTo(const Question& baseline, const Edit& edit) {
    const bool saysRanks = says(baseline, "layout.dp") || says(baseline, "imported.gpus");
    const bool isCount = edit.path == "cluster.nodes" || edit.path == "cluster.gpus";
    const bool isHardware = edit.path.starts_with("cluster.") || edit.path == "model";
    return says(baseline, "imported") && isHardware && !says(baseline, edit.path) &&
           !(isCount && saysRanks);
}

}  // namespace

Result<std::optional<Question>> onTypedHardware(Result<std::optional<Question>> baseline,
                                                const Result<Question>& question) {
    if (!baseline || !*baseline || !question || !says(**baseline, "imported")) {
        return baseline;
    }
    std::vector<Edit> edits = question->edits;
    std::erase_if(edits, [&](const Edit& edit) {
        return edit.value == "null" || !isTakenTo(**baseline, edit);
    });
    FABRICAST_ASSIGN(Question changed, with(**std::move(baseline), edits));
    return std::optional(std::move(changed));
}

std::vector<Edit> heldInBaseline(const Question& baseline, std::span<const Edit> changes) {
    std::vector<Edit> held;
    for (const Edit& change : changes) {
        const bool saysCount = says(baseline, "cluster.nodes") || says(baseline, "cluster.gpus");
        const bool isCount = change.path == "cluster.nodes" || change.path == "cluster.gpus";
        if (change.value != "null" && isTakenTo(baseline, change) && !(isCount && saysCount)) {
            held.push_back({change.path, "null", "--set"});
        }
    }
    return held;
}

}  // namespace fabricast
