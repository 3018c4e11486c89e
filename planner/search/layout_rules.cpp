#include "planner/search/layout_rules.h"

#include "planner/base/nearest_name.h"

#include <algorithm>

namespace fabricast {

namespace {

std::vector<std::string_view> keys() {
    std::vector<std::string_view> names;
    fieldsOf(Layout{}, [&names](const auto& field) { names.push_back(field.name); });
    names.emplace_back("recompute");
    return names;
}

}  // namespace

Result<ForbiddenValue> readForbidden(const std::string& typed) {
    const std::size_t equals = typed.find('=');
    ForbiddenValue rule{typed.substr(0, equals),
                        equals == std::string::npos ? "" : typed.substr(equals + 1)};
    const std::vector<std::string_view> known = keys();
    const auto found = std::find_if(known.begin(), known.end(), [&rule](std::string_view name) {
        return sameName(name, rule.key);
    });
    if (found == known.end()) {
        return fail(Error::Code::BadInput,
                    "--forbid",
                    "unknown layout key \"" + rule.key + "\"",
                    suggestName(rule.key, known));
    }
    rule.key = std::string(*found);
    if (equals != std::string::npos && rule.value.empty()) {
        return fail(
            Error::Code::BadInput, "--forbid", "missing value after \"" + typed + "\"", rule.key);
    }
    return rule;
}

bool LayoutRules::forbids(std::string_view key, std::string_view value, bool neutral) const {
    return std::any_of(forbidden.begin(), forbidden.end(), [&](const ForbiddenValue& rule) {
        return rule.key == key && (rule.value.empty() ? !neutral : sameName(rule.value, value));
    });
}

}  // namespace fabricast
