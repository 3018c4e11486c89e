#include "machine/visible_gpus.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

namespace fabricast {
namespace {

constexpr const char* kVariable = "CUDA_VISIBLE_DEVICES";

bool isInstalled(std::string_view name, std::size_t installed) {
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    const bool isNumber = error == std::errc() && end == name.data() + name.size();
    return isNumber ? number < installed : name.starts_with("GPU-") || name.starts_with("MIG-");
}

}  // namespace

VisibleGpus::VisibleGpus(std::size_t installed, const std::optional<std::string>& variable) {
    if (!variable) {
        for (std::size_t number = 0; number < installed; ++number) {
            names_.push_back(std::to_string(number));
        }
        return;
    }
    why_ = std::string(kVariable) + "=" + *variable;
    for (std::size_t at = 0; at <= variable->size();) {
        const std::size_t end = std::min(variable->find(',', at), variable->size());
        const std::string name = variable->substr(at, end - at);
        if (!isInstalled(name, installed)) {
            return;  // as CUDA does: what follows is not seen either
        }
        names_.push_back(name);
        at = end + 1;
    }
}

VisibleGpus VisibleGpus::here(std::size_t installed) {
    const char* const text = std::getenv(kVariable);  // NOLINT(concurrency-mt-unsafe)
    return {installed, text == nullptr ? std::nullopt : std::optional<std::string>(text)};
}

bool VisibleGpus::has(std::string_view number) const {
    return std::ranges::find(names_, number) != names_.end();
}

}  // namespace fabricast
