#include "cli/straggler_flag.h"

#include "planner/base/quantity_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

namespace fabricast {
namespace {

constexpr const char* kFlag = "--stragglers";
constexpr const char* kExample = "--stragglers 1.3@stage0";

std::vector<std::string_view> split(std::string_view text, char at) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t end = text.find(at);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return parts;
        }
        text.remove_prefix(end + 1);
    }
}

template <class Number>
bool reads(std::string_view text, Number& number) {
    const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && end.ec == std::errc() && end.ptr == text.data() + text.size();
}

tl::unexpected<Error> notStraggler(std::string_view item, const char* why) {
    const bool link = item.starts_with("link");
    return fail(link ? Error::Code::Unsupported : Error::Code::BadInput,
                kFlag,
                link ? "slow links are not simulated, only slow GPUs"
                     : "\"" + std::string(item) + "\" " + why,
                kExample);
}

/// "1.3", "1.3@stage0".
Result<Straggler> gpuOf(std::string_view text) {
    constexpr std::string_view kStage = "stage";
    Straggler gpu;
    const std::size_t at = text.find('@');
    if (!reads(text.substr(0, at), gpu.factor)) {
        return notStraggler(text, "does not begin with how many times as long a GPU takes");
    }
    if (!(gpu.factor > 1.0) || std::isinf(gpu.factor)) {
        return notStraggler(text, "is not slow: it has to take more than 1 times as long");
    }
    if (at != std::string_view::npos) {
        std::string_view place = text.substr(at + 1);
        std::size_t stage = 0;
        const bool named = place.starts_with(kStage);
        place.remove_prefix(named ? kStage.size() : 0);
        if (!named || !reads(place, stage)) {
            return notStraggler(text, "does not say which stage the GPU is in");
        }
        gpu.stage = stage;
    }
    return gpu;
}

Result<Straggler> stragglerOf(std::string_view item) {
    const std::vector<std::string_view> parts = split(item, '/');
    if (parts.size() != 1 && parts.size() != 3) {
        return notStraggler(item, "is not FACTOR@stageN/EVERY/FOR");
    }
    FABRICAST_ASSIGN(Straggler gpu, gpuOf(parts[0]));
    if (parts.size() == 3) {
        FABRICAST_ASSIGN(const Seconds every, parseQuantity<Seconds>(parts[1], kFlag));
        FABRICAST_ASSIGN(gpu.last, parseQuantity<Seconds>(parts[2], kFlag));
        if (!(gpu.last > Seconds()) || !(gpu.last < every)) {
            return notStraggler(item, "is slow for no time, or for all of it");
        }
        gpu.every = every;
    }
    return gpu;
}

}  // namespace

Result<std::vector<Straggler>> stragglersOf(const std::string& typed) {
    std::vector<Straggler> stragglers;
    for (const std::string_view item : split(typed, ',')) {
        FABRICAST_ASSIGN(const Straggler gpu, stragglerOf(item));
        stragglers.push_back(gpu);
    }
    if (std::ranges::count_if(stragglers,
                              [](const Straggler& gpu) { return gpu.every.has_value(); }) > 1) {
        return notStraggler(typed, "has more than one GPU that comes and goes");
    }
    return stragglers;
}

}  // namespace fabricast
