#include "planner/launch/python_start.h"

namespace fabricast {

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
    return start;
}

}  // namespace fabricast
