#include "planner/launch/linear_names.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 3> kLinearClasses = {"Linear", "Linear4bit", "Linear8bitLt"};

/// Whether it asks each of a model's modules for its class, and these are linear ones.
bool goesThroughLinears(const PythonValues& program, const PythonFunction& function) {
    bool walks = false;
    bool asks = false;
    bool isLinear = false;
    for (std::size_t i = function.body.begin; i < function.body.end; ++i) {
        const std::string_view word =
            program.isName(i) ? std::string_view(program.words()[i].text) : std::string_view();
        walks = walks || word == "named_modules";
        asks = asks || word == "isinstance";
        isLinear = isLinear || std::ranges::find(kLinearClasses, word) != kLinearClasses.end();
    }
    return walks && asks && isLinear;
}

}  // namespace

bool findsAllLinears(const PythonValues& program,
                     const std::vector<PythonFunction>& functions,
                     const std::vector<std::string>& values) {
    const std::string value = values.size() == 1 ? values.front() : "";
    const std::string name = value.starts_with("$(") ? value.substr(2, value.find('(', 2) - 2) : "";
    if (name.empty()) {
        return false;
    }
    const auto found = std::ranges::find_if(
        functions, [&](const PythonFunction& one) { return !one.isClass && one.name == name; });
    return found != functions.end() && goesThroughLinears(program, *found);
}

}  // namespace fabricast
