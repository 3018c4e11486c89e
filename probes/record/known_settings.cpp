#include "probes/record/known_settings.h"

#include "planner/output/probe_points.h"

#include <string>

namespace fabricast::probe {
namespace {

void list(std::string_view name, std::string& names) {
    names.append(names.empty() ? "" : ", ").append(name);
}

std::string namesOf(const ProbePoint& kind) {
    std::string names;
    for (const std::string_view setting : kind.settingNames()) {
        list(setting, names);
    }
    return names;
}

std::string kindsOf(std::string_view program) {
    std::string names;
    std::string_view last;
    for (const ProbePoint& kind : probePoints()) {
        if (kind.program == program && kind.what != last) {
            list(kind.what, names);
            last = kind.what;
        }
    }
    return names;
}

}  // namespace

Done onlyKnownSettings(std::string_view program, const Point& point) {
    const ProbePoint* const kind = probePoint(program, point.what, point.settings);
    if (kind == nullptr) {
        return Trouble{"'" + point.what + "' is nothing that this probe measures; it measures " +
                       kindsOf(program)};
    }
    for (const auto& [name, value] : point.settings) {
        if (!kind->has(name)) {
            return Trouble{point.what + " has no setting '" + name + "'; it has " + namesOf(*kind)};
        }
    }
    return std::monostate();
}

}  // namespace fabricast::probe
