#pragma once
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_targets.h"
#include "planner/search/candidate_scenarios.h"
#include "tests/planner/search/search_example.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// How many layouts of a stack are looked at; FABRICAST_LAYOUTS=1000 says so many.
inline std::size_t wantedLayouts() {
    constexpr std::size_t kUsual = 150;
    const char* const typed = std::getenv("FABRICAST_LAYOUTS");
    return typed == nullptr ? kUsual : std::strtoul(typed, nullptr, 10);
}

/// Layouts of a few layers that a stack takes, spread over all that it has.
inline std::vector<Scenario> layoutsOf(const std::string& stack, const std::string& model) {
    const SmallWorld world{
        .model = model, .layers = 8, .gpus = 16, .memory = Bytes(1LL << 40), .batch = 64};
    const SearchTask task = taskOf(world, {stack});
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    const std::vector<Candidate> all = allOf(space);
    std::vector<Scenario> found;
    const std::size_t stride =
        std::max<std::size_t>(1, all.size() / std::max<std::size_t>(1, wantedLayouts()));
    for (std::size_t i = 0; i < all.size(); i += stride) {
        if (const auto scenario = scenarios.allowed(all[i])) {
            found.push_back(**scenario);
        }
    }
    return found;
}

inline LaunchFacts factsOf(const Scenario& scenario, const std::string& version) {
    return {
        .scenario = scenario, .version = version, .loadFrom = "example/model", .about = {"a test"}};
}

/// Launch files by their names.
using LaunchFolder = std::map<std::string, std::string>;

/// What one of them says, with those that it names; its models have eight layers, and of one the
/// size is known.
inline Result<JsonValue> importedFrom(const LaunchFolder& folder, const std::string& first) {
    const auto read = [&folder](const std::string& one) -> Result<std::string> {
        const auto file = folder.find(one);
        return file == folder.end()
                   ? Result<std::string>(fail(Error::Code::NotFound, one, "is not there"))
                   : Result<std::string>(file->second);
    };
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
    const auto parameters = [](const std::string& model) {
        return model == "known/70b" ? std::optional<std::int64_t>(70'000'000'000) : std::nullopt;
    };
    return importLaunch(
        folder.at(first), first, {.read = read, .layers = layers, .parameters = parameters});
}

/// What was read of "layout.dp", "-" where nothing says it, or why the file is refused.
inline std::string readFrom(const LaunchFolder& folder,
                            const std::string& first,
                            std::string path) {
    const auto run = importedFrom(folder, first);
    if (!run) {
        return run.error().text();
    }
    const JsonValue* value = &*run;
    while (value != nullptr && !path.empty()) {
        const std::size_t dot = path.find('.');
        value = value->find(path.substr(0, dot));
        path = dot == std::string::npos ? "" : path.substr(dot + 1);
    }
    return value == nullptr ? "-" : value->shown();
}

}  // namespace fabricast
