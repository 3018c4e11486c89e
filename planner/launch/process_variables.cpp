#include "planner/launch/allocator_options.h"
#include "planner/launch/import_settings.h"
#include "planner/launch/python_start.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

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

void noteUntypedSwitches(ScenarioDraft& draft) {
    const LaunchKey* const switches = draft.keys().use(kUntypedSwitches);
    std::string all;
    for (const std::string& one :
         switches == nullptr ? std::vector<std::string>() : switches->values) {
        all += (all.empty() ? "" : ", ") + one;
    }
    if (!all.empty()) {
        draft.note(all +
                   " of the program is off, as where nothing is typed behind it: give the "
                   "script that starts it for what is typed");
    }
}

}  // namespace fabricast
