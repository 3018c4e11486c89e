#include "planner/launch/python_start.h"

#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// How many ranks the script starts on all nodes; empty where the cluster says it.
std::string ranksBy(const LaunchKeys& script) {
    LaunchKeys keys = script;
    ScenarioDraft draft(keys);
    if (!oneProcessOf(keys).empty()) {
        return "1";
    }
    const auto ranks = startedRanks(draft);
    return ranks && *ranks ? std::to_string((*ranks)->count) : "";
}

}  // namespace

PythonStart pythonStartOf(const LaunchKeys& script) {
    constexpr std::string_view kVariable = "env ";
    PythonStart start;
    for (const LaunchKey& key : script.all()) {
        const bool isOne = key.values.size() == 1 && !key.path.empty();
        if (isOne && key.path.starts_with(kVariable)) {
            start.environment.insert_or_assign(key.path.substr(kVariable.size()),
                                               key.values.front());
        } else if (key.path.starts_with('-')) {  // what "-b" or a list is given is not read
            start.arguments.insert_or_assign(key.path,
                                             isOne ? key.values.front() : "$(" + key.path + ")");
        }
    }
    if (const std::string ranks = ranksBy(script); !ranks.empty()) {
        start.environment.insert_or_assign(kRanksVariable, ranks);
    }
    return start;
}

std::optional<LaunchKey> untypedSwitches(const PythonValues& program, const PythonCourse& course) {
    LaunchKey untyped{.path = kUntypedSwitches, .values = {}};
    const std::vector<PythonWord>& words = program.words();
    for (const PythonBranch& branch : branchesOf(program)) {
        for (std::size_t i = branch.condition.begin; i + 2 < branch.condition.end; ++i) {
            const auto* const argument = program.argumentOf({i, i + 3});
            const bool isDead = course.leavesOut(i);
            const bool isOff = argument != nullptr && argument->isOff && !isDead;
            const std::string flag = isOff ? "--" + words[i + 2].text : "";
            if (isOff && std::ranges::find(untyped.values, flag) == untyped.values.end()) {
                untyped.values.push_back(flag);
                untyped.line = words[argument->at].line;
                untyped.column = words[argument->at].column;
            }
        }
    }
    return untyped.values.empty() ? std::nullopt : std::optional(std::move(untyped));
}

}  // namespace fabricast
