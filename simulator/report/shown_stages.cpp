#include "simulator/report/shown_stages.h"

#include "planner/stack/stack.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

std::vector<std::size_t> inOrder(std::vector<std::size_t> shown) {
    std::ranges::sort(shown);
    shown.erase(std::ranges::unique(shown).begin(), shown.end());
    return shown;
}

}  // namespace

std::vector<std::size_t> shownActors(const SimulatedStep& step, std::size_t most) {
    const auto& busy = step.path.busy;
    if (busy.size() <= most) {
        std::vector<std::size_t> shown(busy.size());
        std::iota(shown.begin(), shown.end(), 0);
        return shown;
    }
    const auto kernels = [](const auto& streams) { return streams[0]; };
    const auto least = std::ranges::min_element(busy, {}, kernels) - busy.begin();
    return inOrder({0, step.path.busiest, static_cast<std::size_t>(least), busy.size() - 1});
}

std::vector<std::size_t> shownStages(const SimulatedStep& step,
                                     const StageRanks& ranks,
                                     std::size_t fullest,
                                     std::size_t most) {
    std::vector<std::size_t> shown(ranks.stages());
    std::iota(shown.begin(), shown.end(), 0);
    if (shown.size() <= most) {
        return shown;
    }
    const std::vector<std::size_t> actors = shownActors(step, most);
    std::erase_if(shown, [&](std::size_t stage) {
        return stage != fullest && !std::ranges::any_of(actors, [&](std::size_t actor) {
                   return std::ranges::count(ranks.of(stage), actor) > 0;
               });
    });
    return shown;
}

}  // namespace fabricast
