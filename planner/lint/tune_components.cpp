#include "planner/lint/tune_components.h"

#include "planner/base/nearest_name.h"
#include "planner/lint/known_keys.h"

#include <algorithm>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::string_view kComponentKey = "_component_";

/// "model" and "lora_rank" of "model.lora_rank"; no section at the top.
struct SectionKey {
    std::string section;
    std::string name;
};
SectionKey splitKey(const std::string& path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? SectionKey{"", path}
                                    : SectionKey{path.substr(0, dot), path.substr(dot + 1)};
}

/// "lora_llama3_1_8b" of its whole name.
std::string shortName(std::string_view component) {
    return std::string(component.substr(component.rfind('.') + 1));
}

/// "torchtune.models.llama3_1." of a builder there; empty for another component.
std::string_view packageOf(std::string_view component) {
    constexpr std::string_view kModels = "torchtune.models.";
    const std::size_t dot = component.rfind('.');
    const bool isModel = component.starts_with(kModels) && dot >= kModels.size();
    return isModel ? component.substr(0, dot + 1) : std::string_view();
}

/// The names of a package; none where it is not known, or is a part of one.
std::vector<std::string> namesIn(std::string_view package) {
    std::vector<std::string> names;
    for (const auto& [component, parameters] : tuneComponents()) {
        if (packageOf(component) == package) {
            names.push_back(shortName(component));
        }
    }
    return names;
}

bool takesParameter(const std::vector<std::string>& parameters, const std::string& name) {
    return std::ranges::any_of(
        parameters, [&name](const std::string& one) { return one == name || one == "**"; });
}

}  // namespace

LintHits unknownParameters(const LintView& view) {
    LintHits hits;
    if (view.file.kind() != LaunchKind::Tune) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        const SectionKey at = splitKey(key.path);
        const std::string component = at.section.empty() || at.name == kComponentKey
                                          ? ""
                                          : view.file.text(at.section + "._component_");
        const auto known = tuneComponents().find(component);
        if (known == tuneComponents().end() || takesParameter(known->second, at.name)) {
            continue;
        }
        hits.push_back({.at = &key,
                        .what = "\"" + at.name + "\" is no argument of " + shortName(component) +
                                " (" + at.section + ") in torchtune 0.6.1",
                        .fix = known->second.empty() ? "leave it out: it takes none"
                                                     : suggestName(at.name, known->second)});
    }
    return hits;
}

LintHits unknownComponents(const LintView& view) {
    LintHits hits;
    if (view.file.kind() != LaunchKind::Tune) {
        return hits;
    }
    for (const LaunchKey& key : view.file.keys().all()) {
        const std::string component =
            splitKey(key.path).name == kComponentKey ? view.file.text(key.path) : "";
        const std::vector<std::string> names =
            tuneComponents().contains(component) || packageOf(component).empty()
                ? std::vector<std::string>()
                : namesIn(packageOf(component));
        if (!names.empty()) {
            hits.push_back({.at = &key,
                            .what = component + " is not in torchtune 0.6.1",
                            .fix = suggestName(shortName(component), names)});
        }
    }
    return hits;
}

}  // namespace fabricast
