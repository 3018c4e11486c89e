#include "planner/base/small_letters.h"
#include "planner/report/explanation_report.h"
#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

/// A name that is printed of a number with another key; the second one where it is of two.
struct PrintedName {
    std::string_view name;
    std::string_view key;
    std::string_view other{};
};

constexpr std::array kPrinted = {
    // Memory.
    PrintedName{"in flight", "in_flight"},
    PrintedName{"peak at", "peak"},
    PrintedName{"peak memory", "peak"},
    PrintedName{"gib", "peak"},
    PrintedName{"optimizer", "optimizer", "time.optimizer"},
    PrintedName{"host", "host", "time.host"},
    // The step, as explain, plan, compare and simulate print it.
    PrintedName{"step", "time.step"},
    PrintedName{"step s", "time.step"},
    PrintedName{"step ms", "time.step"},
    PrintedName{"step time", "time.step"},
    PrintedName{"time", "time.step", "cost.days"},
    PrintedName{"tokens/s per gpu", "time.tokens_per_s_gpu"},
    PrintedName{"tok/s/gpu", "time.tokens_per_s_gpu"},
    PrintedName{"tokens/s", "time.tokens_per_s"},
    PrintedName{"mfu", "time.mfu"},
    PrintedName{"gpus", "time.gpus"},
    PrintedName{"recomputation", "time.recompute"},
    PrintedName{"kernels", "time.kernels"},
    PrintedName{"bubble: the busiest stage waits", "time.bubble"},
    PrintedName{"waiting for tensor parallelism", "time.tensor"},
    PrintedName{"waiting for context and experts", "time.context", "time.expert"},
    PrintedName{"waiting for parameters and gradients", "time.shard"},
    PrintedName{"copies to and from the host", "time.shard"},
    // The money.
    PrintedName{"$/mtok", "cost.usd_per_mtok"},
    PrintedName{"price of 1m tokens", "cost.usd_per_mtok"},
    PrintedName{"energy of 1m tokens", "cost.kwh_per_mtok"},
    PrintedName{"goodput", "cost.goodput"},
    PrintedName{"checkpoint", "cost.checkpoint"},
    PrintedName{"power", "cost.watts_per_gpu"},
    PrintedName{"gpu-hours", "cost.gpu_hours"},
    PrintedName{"price", "cost.usd_per_run", "cost.usd_per_gpu_hour"},
    PrintedName{"price of the run", "cost.usd_per_run"},
    PrintedName{"energy", "cost.kwh"},
    PrintedName{"days", "cost.days"},
    PrintedName{"time of the run", "cost.days"},
};

/// "Price of 1M tokens, $" is "price of 1m tokens".
std::string withoutUnit(std::string_view asked) {
    return inSmallLetters(asked.substr(0, asked.rfind(", ")));
}

/// A part of a step by its words, by the first of them ("sharding") or by its key alone.
std::string partKey(std::string_view name) {
    for (const auto& [part, key] : namesOf(TimePart{})) {
        const std::string_view words = partWords(part);
        const bool isKey = key == name && key != "context";  // of memory
        if (isKey || words == name || words.substr(0, words.find(':')) == name ||
            shortPartWords(part) == name) {
            return "time." + std::string(key);
        }
    }
    return {};
}

}  // namespace

std::vector<std::string> whyKeys(std::string_view asked) {
    const std::string name = withoutUnit(asked);
    if (const auto* const found = std::ranges::find(kPrinted, name, &PrintedName::name);
        found != kPrinted.end()) {
        std::vector<std::string> keys = {std::string(found->key)};
        if (!found->other.empty()) {
            keys.emplace_back(found->other);
        }
        return keys;
    }
    if (const std::string part = partKey(name); !part.empty()) {
        return {part};
    }
    const bool isKey = asked.find_first_of(".[") != std::string_view::npos;
    return {isKey ? std::string(asked) : name};
}

}  // namespace fabricast
