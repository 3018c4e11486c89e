#include "planner/stack/adapter_rules.h"

#include "planner/spec/names.h"

#include <sstream>
#include <string>
#include <utility>

namespace fabricast {

Result<void> checkTogether(std::span<const AdaptedTogether> matrices, const NameSet& targets) {
    for (const AdaptedTogether& matrix : matrices) {
        std::string found;
        std::istringstream all{std::string(matrix.targets)};
        for (std::string target; std::getline(all, target, '+');) {
            if (targets.contains(target)) {
                found += (found.empty() ? "" : "+") + target;
            }
        }
        if (!found.empty() && found != matrix.targets) {
            return breaks("settings.lora.targets",
                          std::string(matrix.matrix) + " adapts " + std::string(matrix.targets) +
                              " together, not " + found + " alone",
                          std::string(matrix.targets) + ", or none of them");
        }
    }
    return {};
}

Result<void> checkAdapterTypes(std::string_view key, const Settings& settings) {
    const Dtype type = settings.precision.parameters;
    for (const auto& [name, own] : {std::pair("settings.lora.base", settings.lora.base),
                                    std::pair("settings.lora.dtype", settings.lora.dtype)}) {
        if (own != type) {
            return breaks(name,
                          "base and adapters have the type of the model (" + std::string(key) +
                              "), " + std::string(nameOf(type)),
                          "--set " + std::string(name) + "=" + std::string(nameOf(type)));
        }
    }
    return {};
}

}  // namespace fabricast
