#include "planner/launch/import_launch.h"
#include "planner/load/find_model.h"
#include "planner/load/input_text.h"
#include "planner/text/json_builder.h"
#include "planner/text/text_file.h"
#include "study/launch_folder.h"
#include "study/question.h"
#include "study/question_document.h"

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

/// A scenario as it is written, or one that is made of a framework's launch file.
Result<JsonValue> documentOf(std::string_view text,
                             const std::string& source,
                             const Folders& folders) {
    if (!isLaunchFile(text, source)) {
        return parseJson(text, source);
    }
    const auto read = [&folders](const std::string& name) -> Result<NamedText> {
        std::string seen = nameSeenFrom(folders.file, name, folders.known);
        FABRICAST_ASSIGN(InputText input,
                         readInputText(pathFrom(folders.file, seen), folders.known));
        return NamedText(std::move(input.text), std::move(seen));
    };
    return importLaunch(text, source, {.read = read, .layers = &layersOfBuiltIn});
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

}  // namespace

Result<Question> parseQuestion(std::string_view text, const std::string& source, Folders folders) {
    Question question{.folders = std::move(folders), .file = source};
    FABRICAST_ASSIGN(question.root, documentOf(text, source, question.folders));
    FABRICAST_TRY(question.root.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(takeAnsweredQuestion(question));
    FABRICAST_ASSIGN(question.root, withObjects(std::move(question.root)));
    return question;
}

Result<Question> readQuestion(const std::string& typedPath, const std::string& directory) {
    std::error_code trouble;
    std::string path = typedPath;
    if (!path.empty() && std::filesystem::is_directory(pathFrom(directory, path), trouble)) {
        FABRICAST_ASSIGN(path, startOfFolder(typedPath, directory));
    }
    Question question{.file = path};
    question.folders.typed = directory;
    if (path.empty()) {
        question.root = JsonBuilder("the command line").object();
        return question;
    }
    const std::string file = pathFrom(directory, path);
    FABRICAST_ASSIGN(const std::string text, readTextFile(file));
    question.folders.file = std::filesystem::path(file).parent_path().string();
    FABRICAST_ASSIGN(question, parseQuestion(text, sourceName(file), question.folders));
    question.file = path;
    return question;
}

std::vector<FileName> filesNamed(const Question& question) {
    constexpr std::array<std::string_view, 4> kFileKeys = {
        "model", "cluster.name", "price.profile", "operation.site"};
    std::vector<FileName> names;
    for (const std::string_view key : kFileKeys) {
        const JsonValue* value = valueAt(question.root, key);
        if (value != nullptr && value->is(JsonValue::Kind::String)) {
            const bool isTyped = value->line() == 0;
            names.push_back({.key = key,
                             .name = value->text().value_or(""),
                             .folder = isTyped ? question.folders.typed : question.folders.file});
        }
    }
    return names;
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
