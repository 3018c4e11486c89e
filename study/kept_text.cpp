#include "study/kept_text.h"

#include "planner/text/edit_json.h"
#include "study/saved_questions.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// As the words and short forms of a scenario are read.
Result<JsonValue> readAsScenario(const JsonValue& written) {
    FABRICAST_ASSIGN(JsonValue root, withObjects(written));
    return withoutWords(std::move(root));
}

/// The text of the scenario that a question was read from.
std::optional<std::string> textRead(const Question& question) {
    if (question.file.empty() || question.file == "-" || question.isAnswer) {
        return {};
    }
    Result<InputText> read =
        readInputText(pathFrom(question.folders.typed, question.file), question.folders.known);
    return read ? std::optional(std::move(read->text)) : std::nullopt;
}

/// Nothing where it would say anything else than the question.
std::optional<std::string> textSaying(const JsonValue& wanted,
                                      const std::string& text,
                                      const JsonValue& said) {
    Result<std::string> edited = editedJson(text, said, wanted);
    const Result<JsonValue> written = edited ? parseJson(*edited, "") : JsonValue();
    const Result<JsonValue> root = written ? readAsScenario(*written) : written;
    return edited && root && isSameJson(*root, wanted) ? std::optional(*std::move(edited))
                                                       : std::nullopt;
}

/// No model's config.json, launch file or answer.
bool isScenarioOf(const JsonValue& said, const Question& question) {
    const JsonValue* const schema = said.find("schema");
    const JsonValue* const own = question.root.find("schema");
    const bool isSameKind = schema == nullptr || (own != nullptr && isSameJson(*schema, *own));
    return said.is(JsonValue::Kind::Object) && !says(question, "imported") && isSameKind &&
           std::ranges::any_of(said.members(), [&question](const JsonValue& member) {
               return says(question, member.name());
           });
}

std::optional<std::string> editedText(const Question& question, const std::string& text) {
    const Result<JsonValue> written = parseJson(text, question.file);
    const Result<JsonValue> said = written ? readAsScenario(*written) : written;
    if (!said || !isScenarioOf(*said, question)) {
        return {};
    }
    // As it is abbreviated, if that can stay: "tuning": "qlora" is about its base too.
    std::optional<std::string> edited = textSaying(question.root, text, *said);
    return edited ? std::move(edited) : textSaying(question.root, text, *written);
}

}  // namespace

KeptText keptText(const Question& question) {
    const std::optional<std::string> text = textRead(question);
    std::optional<std::string> edited = text ? editedText(question, *text) : std::nullopt;
    KeptText kept{edited ? *std::move(edited) : documentText(question)};
    std::vector<std::string> left = commentsOf(kept.text);
    for (std::string& comment :
         text&& parseJson(*text, question.file) ? commentsOf(*text) : std::vector<std::string>()) {
        const auto same = std::ranges::find(left, comment);
        if (same == left.end()) {
            kept.lost.push_back(std::move(comment));
        } else {
            left.erase(same);
        }
    }
    return kept;
}

}  // namespace fabricast
