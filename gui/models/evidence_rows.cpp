#include "gui/models/edit_words.h"
#include "gui/models/headlines.h"
#include "gui/models/row_texts.h"
#include "planner/base/quantity_text.h"
#include "planner/profiles/profile_sheet.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/note_line.h"

#include <set>

namespace fabricast {
namespace {

template <class T, class Text>
std::vector<std::string> trustRow(const char* title, const Headline<T>& number, const Text& text) {
    return {title,
            text(number.value),
            text(number.lo) + " – " + text(number.hi),
            std::string(evidenceWords(number.evidence))};
}

void addSheet(const ProfileSheet& sheet, Table& table) {
    for (const ProfileFact& fact : sheet.facts) {
        if (fact.source.empty() && fact.from.empty()) {
            continue;
        }
        table.rows.push_back(
            {sheet.name,
             fact.key,
             fact.value,
             fact.range,
             fact.source,
             fact.from + (fact.from.empty() || fact.note.empty() ? "" : ": ") + fact.note});
    }
}

}  // namespace

Table trustRows(const Explanation& explanation) {
    Table table{{{"number"}, {"value", Align::Right}, {"80 % lie within", Align::Right}, {"it is"}},
                {}};
    if (explanation.memory) {
        table.rows.push_back(trustRow(
            "peak memory", explanation.memory->peak, [](Bytes size) { return shortText(size); }));
    }
    if (explanation.step) {
        const Headline<Seconds>& step = explanation.step->step;
        table.rows.push_back({"step time",
                              durationText(step.value),
                              durationRange(step.lo, step.hi, step.value),
                              std::string(evidenceWords(step.evidence))});
    }
    if (explanation.cost && explanation.cost->perMtok) {
        table.rows.push_back(trustRow("price of 1M tokens",
                                      *explanation.cost->perMtok,
                                      [](Usd price) { return dollarText(price.count()); }));
    }
    return table;
}

std::vector<std::string> assumptionLines(const Explanation& explanation, const PlanReport* search) {
    std::vector<std::string> lines;
    std::set<std::string> known;
    const auto add = [&](const std::vector<std::string>& notes) {
        for (const std::string& note : notes) {
            if (known.insert(note).second) {
                lines.push_back(windowWords(noteLine(note)));
            }
        }
    };
    if (explanation.memory) {
        add(explanation.memory->notes);
    }
    if (explanation.step) {
        add(explanation.step->notes);
    }
    add(explanation.basis.assumed);
    if (search != nullptr) {
        add(search->notes);
    }
    return lines;
}

Table sourceRows(const ProfileStore& profiles, const Scenario& scenario) {
    Table table{
        {{"profile"}, {"number"}, {"value", Align::Right}, {"sources say"}, {"kind"}, {"from"}},
        {}};
    const ClusterSpec& cluster = scenario.cluster;
    for (const std::string& name : {cluster.name, cluster.node.gpu.name}) {
        const auto sheets = profileSheets(profiles, name);
        for (const ProfileSheet& sheet : sheets.value_or(std::vector<ProfileSheet>())) {
            addSheet(sheet, table);
        }
        if (!table.rows.empty()) {
            break;
        }
    }
    return table;
}

}  // namespace fabricast
