#include "planner/launch/allocator_options.h"
#include "planner/launch/import_settings.h"

#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

struct ProcessVariable {
    std::string_view name;
    std::string_view value;  ///< that changes something; empty: every one
    std::string_view effect;
};
constexpr std::array kProcessVariables = {
    ProcessVariable{"CUDA_MODULE_LOADING",
                    "EAGER",
                    "the context is forecast as with LAZY; with every kernel loaded it is larger"},
    ProcessVariable{"PYTORCH_NO_CUDA_MEMORY_CACHING",
                    "",
                    "memory and time are forecast with PyTorch's caching allocator"},
    ProcessVariable{"CUDA_LAUNCH_BLOCKING",
                    "1",
                    "the host waits for every kernel, which the forecast of time does not"}};

}  // namespace

void noteProcessVariables(ScenarioDraft& draft) {
    for (const ProcessVariable& one : kProcessVariables) {
        const LaunchKey* const key = variableOf(draft.keys(), one.name);
        const std::string value = key == nullptr ? "" : key->values.front();
        if (!value.empty() && (one.value.empty() || value == one.value)) {
            draft.note(std::string(one.name) + "=" + value +
                       " is not modelled: " + std::string(one.effect));
        }
    }
}

}  // namespace fabricast
