#include "planner/launch/import_launch.h"
#include "planner/load/find_named.h"
#include "planner/load/input_text.h"
#include "planner/models/model_file.h"
#include "planner/ops/parameters.h"
#include "planner/text/json_builder.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "study/launch_folder.h"
#include "study/launch_reader.h"
#include "study/oom.h"
#include "study/question.h"
#include "study/saved_questions.h"
#include "study/start_errors.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 3> kAskedAgain = {
    "fabricast.explain/1", "fabricast.plan/1", "fabricast.advice/1"};

/// Of which answer the document is; empty: of none.
std::string answerIn(const JsonValue& root) {
    const JsonValue* const schema = root.find("schema");
    const std::string name = schema == nullptr ? "" : schema->text().value_or("");
    return std::ranges::find(kAskedAgain, name) == kAskedAgain.end() ? "" : name;
}

/// dp of an answer follows from its other keys, so that these can be changed.
JsonValue scenarioOfAnswer(const JsonValue& scenario) {
    const JsonValue* cluster = scenario.find("cluster");
    const bool knowsGpus = cluster != nullptr && cluster->find("gpus") != nullptr;
    return knowsGpus ? JsonBuilder::without(scenario, "layout.dp") : scenario;
}

std::optional<std::int64_t> layersOfBuiltIn(const std::string& model) {
    const Result<ModelProfile> found = findModel(model, ProfileStore::builtIn(), {});
    return found ? std::optional(found->model.layers) : std::nullopt;
}

std::optional<std::int64_t> vocabularyOfBuiltIn(const std::string& model) {
    const Result<ModelProfile> found = findModel(model, ProfileStore::builtIn(), {});
    return found ? std::optional(found->model.vocab) : std::nullopt;
}

bool isTiedBuiltIn(const std::string& model) {
    const Result<ModelProfile> found = findModel(model, ProfileStore::builtIn(), {});
    return found && found->model.tiedEmbeddings;
}

std::optional<std::int64_t> parametersOfBuiltIn(const std::string& model) {
    const Result<ModelProfile> found = findModel(model, ProfileStore::builtIn(), {});
    return found ? std::optional(countParameters(found->model).total) : std::nullopt;
}

/// What the files are taken to say beside what they do is among the notes.
Result<JsonValue> withTaken(JsonValue root, const std::vector<std::string>& taken) {
    const JsonBuilder build("");
    const JsonValue* const said = valueAt(root, "imported.notes");
    JsonValue notes = said == nullptr ? build.array() : *said;
    for (const std::string& note : taken) {
        JsonBuilder::appendItem(notes, build.string(note));
    }
    return taken.empty() ? Result<JsonValue>(std::move(root))
                         : build.with(std::move(root), "imported.notes", std::move(notes));
}

/// A scenario as it is written, or one that is made of a framework's launch file.
Result<JsonValue> documentOf(std::string_view text,
                             const std::string& source,
                             const Folders& folders,
                             const GivenFiles& given) {
    if (isSnapshotOfMemory(text)) {
        return fail(Error::Code::BadInput,
                    source,
                    "is a snapshot of PyTorch's allocator, and no scenario",
                    "fabricast import " + shellWord(source));
    }
    if (!isLaunchFile(text, source, given.from)) {
        Result<JsonValue> root = parseJson(text, source);
        if (!root && isMemoryMessage(text, source)) {
            return fail(Error::Code::BadInput,
                        source,
                        "is a log with a message of memory, and no scenario",
                        "fabricast oom " + shellWord(source));
        }
        if (!root && root.error().hint.empty() && !source.ends_with(".json")) {
            root.error().hint = "--from axolotl, or whose launch file it is; a scenario is JSON";
        }
        return root;
    }
    const ReadNamed read = launchReader(folders, given);
    FABRICAST_ASSIGN(JsonValue run,
                     importLaunch(text,
                                  source,
                                  {.read = read,
                                   .layers = &layersOfBuiltIn,
                                   .vocabulary = &vocabularyOfBuiltIn,
                                   .isTied = &isTiedBuiltIn,
                                   .parameters = &parametersOfBuiltIn}));
    return withTaken(std::move(run), startErrors(text, source, folders, given));
}

/// Of an answer what was asked; of one that does not hold it the scenario that `explain` answered.
Result<void> takeAnsweredQuestion(Question& question) {
    const std::string answer = answerIn(question.root);
    if (answer.empty()) {
        return {};
    }
    if (const JsonValue* const asked = question.root.find("asked")) {
        question.root = JsonValue(*asked);
        return question.root.expect(JsonValue::Kind::Object);
    }
    if (answer != kAskedAgain.front()) {
        return tl::unexpected(question.root.find("schema")->problem(
            "is the answer of a search, which does not contain the whole question",
            "fabricast explain --layout … -f json, for one of its plans"));
    }
    FABRICAST_ASSIGN(const JsonValue* scenario, question.root.require("scenario"));
    question.root = scenarioOfAnswer(JsonValue(*scenario));
    question.isAnswer = true;
    return {};
}

bool isModelAt(const std::string& place) {
    const Result<std::string> text = readTextFile(place, kMostTextBytes, ReadFor::Look);
    const Result<JsonValue> root = text ? parseJson(*text, place) : tl::unexpected(text.error());
    return root && isModelFile(*root);
}

/// A question about the model in a file.
JsonValue namedModel(const std::string& path, const std::string& source) {
    JsonBuilder build(source);
    build.moveTo(1, 1);
    JsonValue root = build.object();
    JsonBuilder::appendMember(root, build.string("model"), build.string(path));
    return root;
}

/// The files that start a run, where a folder is named: that of its launch files, or the
/// config.json of a model.
Result<std::vector<std::string>> filesOfRun(const std::string& path, const std::string& directory) {
    std::error_code trouble;
    const std::string place = pathFrom(directory, path);
    if (!std::filesystem::is_directory(place, trouble)) {
        return std::vector{path};
    }
    const std::string config = (std::filesystem::path(path) / "config.json").string();
    return isModelAt(pathFrom(directory, config)) && !hasLaunchFiles(path, directory)
               ? Result<std::vector<std::string>>(std::vector{config})
               : filesOfFolder(path, directory);
}

/// Where the files of a folder do not name the model that they train, it is the folder's.
Result<Question> withModelOfFolder(Question question,
                                   const std::string& folder,
                                   const std::string& directory) {
    const JsonValue* const model = question.root.find("model");
    const bool isKnown = model != nullptr && !model->text().value_or("").starts_with("$");
    const std::string config = (std::filesystem::path(folder) / "config.json").string();
    if (isKnown || question.root.find("imported") == nullptr ||
        !isModelAt(pathFrom(directory, config))) {
        return question;
    }
    const std::vector<Edit> named = {{"model", config, "-m"}};
    return with(std::move(question), named);
}

Result<Question> readFile(const std::string& path,
                          const GivenFiles& given,
                          const std::string& directory) {
    const std::string file = pathFrom(directory, path);
    FABRICAST_ASSIGN(const std::string text, readTextFile(file));
    const Folders folders{.file = std::filesystem::path(file).parent_path().string(),
                          .typed = directory};
    FABRICAST_ASSIGN(Question question, parseQuestion(text, sourceName(file), folders, given));
    question.file = path;
    if (isModelFile(question.root)) {  // seen from where it was typed, as any other model
        question.folders.file = directory;
        question.root = namedModel(path, sourceName(file));
    }
    return question;
}

}  // namespace

Result<Question> parseQuestion(std::string_view text,
                               const std::string& source,
                               Folders folders,
                               GivenFiles given) {
    Question question{.folders = std::move(folders), .file = source, .given = std::move(given)};
    FABRICAST_ASSIGN(question.root, documentOf(text, source, question.folders, question.given));
    FABRICAST_TRY(question.root.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(takeAnsweredQuestion(question));
    FABRICAST_ASSIGN(question.root, withObjects(std::move(question.root)));
    FABRICAST_ASSIGN(question.root, withoutWords(std::move(question.root)));
    return question;
}

Result<Question> readQuestion(const std::string& path, const std::string& directory) {
    return readQuestion(std::vector{path}, "", directory);
}

Result<Question> readQuestion(const std::vector<std::string>& paths,
                              const std::string& from,
                              const std::string& directory) {
    if (paths.empty() || paths == std::vector<std::string>{""}) {
        Question question;
        question.folders.typed = directory;
        question.root = JsonBuilder("the command line").object();
        return question;
    }
    if (paths.size() == 1) {
        FABRICAST_ASSIGN(const std::vector<std::string> files,
                         filesOfRun(paths.front(), directory));
        FABRICAST_ASSIGN(Question question,
                         files.size() == 1 ? readFile(files.front(), {.from = from}, directory)
                                           : readQuestion(files, from, directory));
        return withModelOfFolder(std::move(question), paths.front(), directory);
    }
    FABRICAST_ASSIGN(RunFiles run, runFiles(paths, from, directory));
    FABRICAST_ASSIGN(Question question,
                     readFile(run.start, {.beside = run.beside, .from = from}, directory));
    if (!run.model.empty()) {
        const std::vector<Edit> model = {{"model", run.model, "-m"}};
        FABRICAST_ASSIGN(question, with(std::move(question), model));
    }
    FABRICAST_ASSIGN(question.root, withTaken(std::move(question.root), run.taken));
    return question;
}

Result<Question> readInput(Question question) {
    const JsonValue* model = question.root.find("model");
    const JsonValue* cluster = question.root.find("cluster");
    const JsonValue* name = cluster == nullptr ? nullptr : cluster->find("name");
    const auto isInput = [](const JsonValue* value) {
        return value != nullptr && value->text() == "-";
    };
    if (isInput(model) || isInput(name)) {
        FABRICAST_ASSIGN(std::string text, readTextFile("-"));
        question.folders.known =
            std::make_shared<const TextsByPath>(TextsByPath{{"-", std::move(text)}});
    }
    return question;
}

}  // namespace fabricast
