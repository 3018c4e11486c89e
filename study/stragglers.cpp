#include "study/stragglers.h"

#include "planner/base/quantity_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

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
    return fail(Error::Code::BadInput, kFlag, "\"" + std::string(item) + "\" " + why, kExample);
}

/// "stage0", or a link, which joins two devices: "node0/nic2-leaf4".
Result<void> readPlace(std::string_view item, std::string_view place, Straggler& slow) {
    constexpr std::string_view kStage = "stage";
    if (place.find('-') != std::string_view::npos) {
        slow.link = place;
        return {};
    }
    std::size_t stage = 0;
    const bool named = place.starts_with(kStage);
    place.remove_prefix(named ? kStage.size() : 0);
    if (!named || !reads(place, stage)) {
        return notStraggler(item, "has no stage of the GPU and no link");
    }
    slow.stage = stage;
    return {};
}

/// "1.3", "1.3@stage0", "2@node0/nic2-leaf4".
Result<Straggler> slowOf(std::string_view text) {
    Straggler slow;
    const std::size_t at = text.find('@');
    if (!reads(text.substr(0, at), slow.factor)) {
        return notStraggler(text, "does not begin with a slowdown");
    }
    if (!(slow.factor > 1.0) || std::isinf(slow.factor)) {
        return notStraggler(text, "is not slow: the factor must be above 1");
    }
    if (at != std::string_view::npos) {
        FABRICAST_TRY(readPlace(text, text.substr(at + 1), slow));
    }
    return slow;
}

/// "…/1h/5min": the last two parts are times. Names of links have a '/' of their own.
bool comesAndGoes(const std::vector<std::string_view>& parts) {
    const auto isTime = [](std::string_view part) {
        return !part.empty() &&
               std::string_view("0123456789.-").find(part.front()) != std::string_view::npos;
    };
    return parts.size() >= 3 && isTime(parts.back()) && isTime(parts[parts.size() - 2]);
}

Result<Straggler> stragglerOf(std::string_view item) {
    const std::vector<std::string_view> parts = split(item, '/');
    if (!comesAndGoes(parts)) {
        if (parts.size() > 1 && item.find('-') == std::string_view::npos) {
            return notStraggler(item, "is not FACTOR@stageN/EVERY/FOR");
        }
        return slowOf(item);
    }
    const std::string_view every = parts[parts.size() - 2];
    const std::string_view last = parts.back();
    FABRICAST_ASSIGN(Straggler slow,
                     slowOf(item.substr(0, item.size() - every.size() - last.size() - 2)));
    FABRICAST_ASSIGN(const Seconds gap, parseQuantity<Seconds>(every, kFlag));
    FABRICAST_ASSIGN(slow.last, parseQuantity<Seconds>(last, kFlag));
    if (!(slow.last > Seconds()) || !(slow.last < gap)) {
        return notStraggler(item, "must be slow for a part of the time");
    }
    slow.every = gap;
    return slow;
}

}  // namespace

Result<std::vector<Straggler>> stragglersOf(const std::string& typed) {
    std::vector<Straggler> stragglers;
    for (const std::string_view item : split(typed, ',')) {
        FABRICAST_ASSIGN(Straggler slow, stragglerOf(item));
        stragglers.push_back(std::move(slow));
    }
    if (std::ranges::count_if(stragglers,
                              [](const Straggler& slow) { return slow.every.has_value(); }) > 1) {
        return notStraggler(typed, "has more than one intermittent straggler");
    }
    return stragglers;
}

}  // namespace fabricast
