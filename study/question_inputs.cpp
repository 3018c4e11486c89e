#include "study/question_inputs.h"

#include "study/saved_questions.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 4> kFileKeys = {
    "model", "cluster.name", "price.profile", "operation.site"};

}  // namespace

bool mayNameFile(std::string_view key) {
    return std::ranges::find(kFileKeys, key) != kFileKeys.end();
}

std::vector<FileName> filesNamed(const Question& question) {
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

std::string textBehind(const std::string& name,
                       const std::string& folder,
                       const KnownTexts& known) {
    const std::string path = pathFrom(folder, name);
    if (name.empty() || !isInput(path, known)) {
        return "";
    }
    const Result<InputText> input = readInputText(path, known);
    return input ? input->text : name;  // what cannot be read is said by the forecast
}

std::string textWithFiles(const Question& question) {
    std::string all = documentText(question);
    for (const auto& [key, name, folder] : filesNamed(question)) {
        all += textBehind(name, folder, question.folders.known);
    }
    return all;
}

}  // namespace fabricast
