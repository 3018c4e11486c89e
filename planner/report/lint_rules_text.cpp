#include "planner/base/enum_names.h"
#include "planner/report/lint_report.h"
#include "planner/report/table.h"
#include "planner/text/json_text.h"

#include <utility>

namespace fabricast {
namespace {

Table ruleTable(std::span<const ListedRule> rules) {
    Table table{.columns = {{"code"}, {"severity"}, {"finds"}, {"why"}}, .rows = {}};
    for (const ListedRule& one : rules) {
        table.rows.push_back({one.code, std::string(nameOf(one.severity)), one.title, one.why});
    }
    return table;
}

std::string rulesJson(std::span<const ListedRule> rules) {
    JsonText json;
    json.beginObject();
    json.add("schema", "fabricast.lint_rules/1");
    json.beginArray("rules");
    for (const ListedRule& one : rules) {
        json.beginObject();
        json.add("code", one.code);
        json.add("severity", nameOf(one.severity));
        json.add("finds", one.title);
        json.add("why", one.why);
        json.end();
    }
    json.end();
    json.end();
    return std::move(json).finish();
}

}  // namespace

std::string lintRulesText(std::span<const ListedRule> rules, Format format) {
    return format == Format::Json ? rulesJson(rules) : tableText(ruleTable(rules), format);
}

}  // namespace fabricast
