#include "planner/report/profiles_report.h"

#include "planner/output/printable_text.h"
#include "planner/report/table.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <set>
#include <utility>

namespace fabricast {
namespace {

std::string kindTitle(ProfileKind kind) {
    return kind == ProfileKind::Gpu ? "GPUs" : std::string(profileKindName(kind)) + "s";
}

std::string listJson(const std::vector<ProfileRow>& rows) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.profiles/1");
    json.beginArray("profiles");
    for (const ProfileRow& row : rows) {
        json.beginObject();
        json.add("kind", profileKindName(row.kind));
        json.add("name", row.name);
        json.add("title", row.title);
        json.add("summary", row.summary);
        json.add("built_in", row.builtIn);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

/// Files say what they like: no cell begins a line of its own.
std::string linesOfTable(Table table) {
    for (std::vector<std::string>& row : table.rows) {
        std::ranges::transform(
            row, row.begin(), [](const std::string& cell) { return printableLine(cell); });
    }
    return alignedText(table);
}

/// One table per kind, under its title.
std::string listByKind(const std::vector<ProfileRow>& rows) {
    std::string text;
    for (const ProfileKind kind : kProfileKinds) {
        Table table{{{"name"}, {"summary"}, {"title"}}, {}};
        for (const ProfileRow& row : rows) {
            if (row.kind == kind) {
                table.rows.push_back(
                    {row.name, row.summary, row.title + (row.builtIn ? "" : " (yours)")});
            }
        }
        if (!table.rows.empty()) {
            const std::string count = std::to_string(table.rows.size());
            text += (text.empty() ? "" : "\n") + count + " " + kindTitle(kind) + "\n" +
                    linesOfTable(std::move(table));
        }
    }
    return text;
}

std::string factText(const ProfileFact& fact) {
    const std::string value = fact.value.empty() ? "not known" : fact.value;
    return fact.range.empty() ? value : value + " (" + fact.range + ")";
}

std::string factSource(const ProfileFact& fact) {
    return fact.from.empty() ? fact.source : fact.source + ", " + fact.from;
}

std::string sheetHeading(const ProfileSheet& sheet) {
    std::string text = std::string(profileKindName(sheet.kind)) + " " + sheet.name;
    text += sheet.title.empty() ? "" : ": " + printableLine(sheet.title);
    text += "\nfile: " + printableLine(sheet.file) + "\n";
    if (!sheet.aliases.empty()) {
        std::string names;
        for (const std::string& alias : sheet.aliases) {
            names += (names.empty() ? "" : ", ") + printableLine(alias);
        }
        text += "aliases: " + names + "\n";
    }
    return text;
}

std::string sheetsPlain(const std::vector<ProfileSheet>& sheets,
                        const std::map<std::string, ProfileSource>& sources) {
    std::string text;
    std::set<std::string> mentioned;
    for (const ProfileSheet& sheet : sheets) {
        Table table{{{"key"}, {"value"}, {"source"}, {"note"}}, {}};
        for (const ProfileFact& fact : sheet.facts) {
            table.rows.push_back({fact.key, factText(fact), factSource(fact), fact.note});
            mentioned.insert(fact.from);
        }
        text += (text.empty() ? "" : "\n") + sheetHeading(sheet) + linesOfTable(std::move(table));
    }
    std::string list;
    for (const std::string& id : mentioned) {
        const auto source = sources.find(id);
        if (source != sources.end()) {
            const ProfileSource& said = source->second;
            list +=
                "  " +
                printableLine(id + ": " + said.title + (said.url.empty() ? "" : ", " + said.url)) +
                "\n";
        }
    }
    return list.empty() ? text : text + "\nsources\n" + list;
}

std::string sheetsTable(const std::vector<ProfileSheet>& sheets, Format format) {
    Table table{{{"kind"}, {"name"}, {"key"}, {"value"}, {"range"}, {"source"}, {"from"}, {"note"}},
                {}};
    for (const ProfileSheet& sheet : sheets) {
        for (const ProfileFact& fact : sheet.facts) {
            table.rows.push_back({std::string(profileKindName(sheet.kind)),
                                  sheet.name,
                                  fact.key,
                                  fact.value,
                                  fact.range,
                                  fact.source,
                                  fact.from,
                                  fact.note});
        }
    }
    return tableText(table, format);
}

void addSheetFact(JsonText& json, const ProfileFact& fact) {
    json.beginObject();
    json.add("key", fact.key);
    if (fact.value.empty()) {
        json.addNull("value");
    } else {
        json.add("value", fact.value);
    }
    if (fact.number) {
        json.add(fact.unit, *fact.number);
    }
    for (const auto& [key, text] : {std::pair{"range", &fact.range},
                                    std::pair{"source", &fact.source},
                                    std::pair{"from", &fact.from},
                                    std::pair{"note", &fact.note}}) {
        if (!text->empty()) {
            json.add(key, *text);
        }
    }
    json.end();
}

std::string sheetsJson(const std::vector<ProfileSheet>& sheets) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.profile/1");
    json.beginArray("profiles");
    for (const ProfileSheet& sheet : sheets) {
        json.beginObject();
        json.add("kind", profileKindName(sheet.kind));
        json.add("name", sheet.name);
        json.add("title", sheet.title);
        json.add("file", sheet.file);
        json.add("aliases", sheet.aliases);
        json.beginArray("facts");
        for (const ProfileFact& fact : sheet.facts) {
            addSheetFact(json, fact);
        }
        json.end();
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

std::string_view findingWord(ProfileFinding::Severity severity) {
    return severity == ProfileFinding::Severity::Error ? "error" : "warning";
}

std::string countedNoun(std::size_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

struct Totals {
    std::size_t errors = 0;
    std::size_t warnings = 0;
    std::size_t unknown = 0;
};

Totals verificationTotals(const ProfileVerification& result) {
    Totals totals;
    for (const ProfileFinding& finding : result.findings) {
        ++(finding.severity == ProfileFinding::Severity::Error ? totals.errors : totals.warnings);
    }
    for (const ProfileVerification::Unknown& file : result.unknown) {
        totals.unknown += file.keys.size();
    }
    return totals;
}

std::string verificationPlain(const ProfileVerification& result, bool everything) {
    std::string text;
    for (const ProfileKind kind : kProfileKinds) {
        text += (text.empty() ? "" : ", ") +
                std::to_string(result.count[static_cast<std::size_t>(kind)]) + " " +
                kindTitle(kind);
    }
    text += "\n";
    for (const ProfileFinding& finding : result.findings) {
        text += std::string(findingWord(finding.severity)) + ": " +
                Error(Error::Code::BadInput, finding.where, finding.why, finding.hint).text() +
                "\n";
    }
    if (everything) {
        for (const ProfileVerification::Unknown& file : result.unknown) {
            for (const std::string& key : file.keys) {
                text += "no value: " + file.file + ": " + key + "\n";
            }
        }
    }
    const Totals totals = verificationTotals(result);
    return text + countedNoun(totals.errors, "error") + ", " +
           countedNoun(totals.warnings, "warning") + ", " + countedNoun(totals.unknown, "number") +
           " without a value\n";
}

std::string verificationTable(const ProfileVerification& result, Format format) {
    Table table{{{"severity"}, {"where"}, {"why"}, {"hint"}}, {}};
    for (const ProfileFinding& finding : result.findings) {
        table.rows.push_back(
            {std::string(findingWord(finding.severity)), finding.where, finding.why, finding.hint});
    }
    return tableText(table, format);
}

std::string verificationJson(const ProfileVerification& result) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.profiles_verify/1");
    json.add("verdict", result.sound() ? "sound" : "not_sound");
    json.beginObject("count");
    for (const ProfileKind kind : kProfileKinds) {
        json.add(profileKindName(kind), result.count[static_cast<std::size_t>(kind)]);
    }
    json.end();
    json.beginArray("findings");
    for (const ProfileFinding& finding : result.findings) {
        json.beginObject();
        json.add("severity", findingWord(finding.severity));
        json.add("where", finding.where);
        json.add("why", finding.why);
        json.add("hint", finding.hint);
        json.end();
    }
    json.end();
    json.beginArray("unknown");
    for (const ProfileVerification::Unknown& file : result.unknown) {
        json.beginObject();
        json.add("file", file.file);
        json.add("keys", file.keys);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace

std::string listText(const std::vector<ProfileRow>& rows, Format format) {
    if (format == Format::Json) {
        return listJson(rows);
    }
    if (format == Format::Text) {
        return listByKind(rows);
    }
    Table table{{{"kind"}, {"name"}, {"summary"}, {"title"}}, {}};
    for (const ProfileRow& row : rows) {
        table.rows.push_back(
            {std::string(profileKindName(row.kind)), row.name, row.summary, row.title});
    }
    return tableText(table, format);
}

std::string sheetsText(const std::vector<ProfileSheet>& sheets,
                       const std::map<std::string, ProfileSource>& sources,
                       Format format) {
    if (format == Format::Json) {
        return sheetsJson(sheets);
    }
    return format == Format::Text ? sheetsPlain(sheets, sources) : sheetsTable(sheets, format);
}

std::string verificationText(const ProfileVerification& result, bool everything, Format format) {
    if (format == Format::Json) {
        return verificationJson(result);
    }
    return format == Format::Text ? verificationPlain(result, everything)
                                  : verificationTable(result, format);
}

}  // namespace fabricast
