#include "planner/lint/known_keys.h"
#include "planner/lint/lint_rule.h"

namespace fabricast {
namespace {

/// Of YAML, whose loaders take the last: what stands in an earlier section of the name is dropped.
LintHits repeatedKeys(const LintView& view) {
    LintHits hits;
    for (const RepeatedKey& one : view.file.opened().keys.repeated()) {
        if (!one.isSame) {
            hits.push_back({.at = &one.first,
                            .what = "\"" + one.first.path + "\" is said again in line " +
                                    std::to_string(one.holds) +
                                    (one.isSection ? ", which drops all that is in this one"
                                                   : ", with another value"),
                            .fix = "one of the two"});
        }
    }
    return hits;
}

LintHits repeatedArguments(const LintView& view) {
    LintHits hits = repeatedKeys(view);
    const bool isProgram = view.file.keys().source().ends_with(".py");  // it calls things again
    const bool isScript =
        !isProgram && (view.file.kind() == LaunchKind::Megatron || view.file.isArguments());
    for (const LaunchKey& key : view.file.keys().all()) {
        const LaunchKey* const holds = view.file.at(key.path);
        if (isScript && !isOfTheLauncher(key.path) && holds != &key && holds->file == key.file &&
            holds->values != key.values) {
            hits.push_back({.at = &key,
                            .what = key.path + " is said again in line " +
                                    std::to_string(holds->line) + ", with another value",
                            .fix = "one of the two"});
        }
    }
    return hits;
}

constexpr std::array kRepeatedRules = {
    LintRule{"KEY5",
             LintSeverity::Warning,
             "an argument or key that is given twice, with different values",
             "The last one holds; whoever reads the file sees the first.",
             &repeatedArguments}};

}  // namespace

std::span<const LintRule> repeatedRules() {
    return kRepeatedRules;
}

}  // namespace fabricast
