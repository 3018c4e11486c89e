#include "probes/fit/lost_measurements.h"

#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// What tells an item of a list from the others: a curve, a kernel, a ratio, a line of sources.
constexpr std::array<std::string_view, 9> kOfItem = {
    "collective", "ranks", "nodes", "kernel", "type", "cache", "head_dim", "value_dim", "keys"};

std::string wordAt(const JsonValue& object, std::string_view key) {
    const JsonValue* const value = object.find(key);
    return value == nullptr ? "" : value->text().value_or("");
}

bool isItself(const JsonValue& section) {
    const std::string source = wordAt(section, "source");
    return source == "measured" || source == "fitted";
}

/// "all_reduce 8 1": the name of an item among those of its list.
std::string itemName(const JsonValue& item) {
    std::string name;
    for (const std::string_view key : kOfItem) {
        if (const JsonValue* const value = item.find(key)) {
            name += (name.empty() ? "" : " ") + value->text().value_or(value->shown());
        }
    }
    return name;
}

const JsonValue* sameItem(const JsonValue* list, const std::string& name) {
    if (list == nullptr) {
        return nullptr;
    }
    const auto found = std::ranges::find(list->items(), name, &itemName);
    return found == list->items().end() ? nullptr : &*found;
}

/// How many measurements a section or a curve was made of; 0: it does not say.
std::size_t measurementsOf(const JsonValue& section) {
    constexpr double kMost = 1e9;
    const JsonValue* const points = section.find("points");
    return points != nullptr
               ? points->items().size()
               : static_cast<std::size_t>(section.numberOr("rows", 0, 0, kMost).value_or(0));
}

class Losses {
public:
    /// `newer` is null where there is no such section.
    void compare(const JsonValue& older, const JsonValue* newer, const std::string& name) {
        const std::size_t had = measurementsOf(older);
        const bool isCurve = older.find("points") != nullptr;
        if (isItself(older) || isCurve) {
            const bool isKept = newer != nullptr && (isCurve || isItself(*newer));
            const std::size_t has = isKept ? measurementsOf(*newer) : 0;
            if (!isKept || (has < had && 2 * has <= had)) {
                add(name, had, has);
                return;
            }
        }
        for (const JsonValue& member : older.members()) {
            const JsonValue* const next = newer == nullptr ? nullptr : newer->find(member.name());
            compare(member, next, joined(name, member.name()));
        }
        for (const JsonValue& item : older.items()) {
            if (item.is(JsonValue::Kind::Object)) {
                const std::string own = itemName(item);
                compare(item, sameItem(newer, own), joined(name, own));
            }
        }
    }

    [[nodiscard]] std::string text() const {
        constexpr std::size_t kShown = 4;
        std::string all;
        for (std::size_t i = 0; i < lost_.size() && i < kShown; ++i) {
            all += (i == 0 ? "" : ", ") + lost_[i];
        }
        if (lost_.size() > kShown) {
            all += " and " + std::to_string(lost_.size() - kShown) + " more";
        }
        return all;
    }

private:
    static std::string joined(const std::string& name, const std::string& more) {
        return name.empty() || more.empty() ? name + more : name + " " + more;
    }

    void add(const std::string& name, std::size_t had, std::size_t has) {
        lost_.push_back((name.empty() ? std::string("all of it") : name) +
                        (had == 0 ? ""
                                  : " (" + std::to_string(had) + " measurements, and then " +
                                        std::to_string(has) + ")"));
    }

    std::vector<std::string> lost_;
};

void findDays(const JsonValue& value, std::string_view today, std::string& last) {
    constexpr std::size_t kDay = 10;
    for (const std::string_view key : {"date", "from"}) {
        const std::string text = wordAt(value, key);
        for (std::size_t at = 0; at + kDay <= text.size(); ++at) {
            const std::string day = text.substr(at, kDay);
            last = isDay(day) && day <= today ? std::max(last, day) : last;
        }
    }
    for (const JsonValue& member : value.members()) {
        findDays(member, today, last);
    }
    for (const JsonValue& item : value.items()) {
        findDays(item, today, last);
    }
}

/// The last day up to today that a profile says something was measured on; empty: it says none.
std::string lastDayOf(const JsonValue& profile, std::string_view today) {
    std::string last;
    findDays(profile, today, last);
    return last;
}

}  // namespace

std::string lostMeasurements(const JsonValue& older,
                             const JsonValue& newer,
                             std::string_view today) {
    const std::string machine = wordAt(older, "machine");
    if (machine != wordAt(newer, "machine")) {
        return "is of " + machine + ", and what replaces it of " + wordAt(newer, "machine");
    }
    Losses losses;
    losses.compare(older, &newer, "");
    if (const std::string lost = losses.text(); !lost.empty()) {
        return "loses what was measured: " + lost;
    }
    const std::string before = lastDayOf(older, today);
    const std::string now = lastDayOf(newer, today);
    if (!now.empty() && now < before) {
        return "was measured on " + before + ", and what replaces it on " + now;
    }
    const std::string begun = wordAt(older, "begun");
    const std::string begins = wordAt(newer, "begun");
    return isBeginning(begun) && isBeginning(begins) && now == before && begins < begun
               ? "was begun at " + begun + ", and what replaces it at " + begins
               : "";
}

}  // namespace fabricast
