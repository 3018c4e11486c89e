#include "planner/report/import_text.h"

#include "planner/report/lint_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/note_line.h"
#include "planner/report/subject_words.h"
#include "planner/report/table.h"
#include "planner/text/json_strings.h"

namespace fabricast {
namespace {

/// Each value that the file says, and where.
void addSaidValues(const JsonValue& object, const std::string& before, Table& table) {
    for (const JsonValue& member : object.members()) {
        const std::string path = before + member.name();
        if (path == "imported") {
            continue;
        }
        if (member.is(JsonValue::Kind::Object)) {
            addSaidValues(member, path + ".", table);
        } else if (member.line() > 0) {
            table.rows.push_back({path, member.shown(), member.where()});
        }
    }
}

/// What lint finds stands below, with its fixes.
std::string importNoteLine(const std::string& note) {
    return note.starts_with("lint: ") ? "" : noteLine(note) + "\n";
}

/// What the file's reader has to say; a forecast says it among what it assumes.
std::string importNotes(const JsonValue& root) {
    const JsonValue* const imported = root.find("imported");
    std::string text;
    for (const char* const key : {"notes", "assumed"}) {
        const JsonValue* const notes = imported == nullptr ? nullptr : imported->find(key);
        for (const std::string& note : stringsIn(notes)) {
            text += importNoteLine(note);
        }
    }
    return text;
}

std::string importedRun(const Result<Explanation>& forecast, const JsonValue& root) {
    if (!forecast) {
        return "not forecast: " + forecast.error().text() + "\n" + importNotes(root);
    }
    std::string text;
    if (forecast->verdict) {
        text = std::string(verdictWord(*forecast->verdict)) + "  ";
    }
    text += subjectText(forecast->scenario) + "\n";
    if (forecast->memory) {
        for (const std::string& note : forecast->memory->notes) {
            text += importNoteLine(note);
        }
    }
    return text;
}

}  // namespace

std::string importText(const JsonValue& root,
                       const Result<Explanation>& forecast,
                       const LintReport& regrets) {
    Table table{.columns = {{"key"}, {"value"}, {"from"}}, .rows = {}};
    addSaidValues(root, "", table);
    return alignedText(table) + "\n" + importedRun(forecast, root) +
           (regrets.findings.empty() ? "" : "\n" + findingsText(regrets));
}

}  // namespace fabricast
