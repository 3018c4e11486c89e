#include "planner/profiles/read_measured_collectives.h"

#include "planner/profiles/profile_words.h"
#include "planner/text/json_numbers.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 12> kCollectivesKeys = {"schema",
                                                               "name",
                                                               "aliases",
                                                               "title",
                                                               "machine",
                                                               "gpus",
                                                               "software",
                                                               "date",
                                                               "begun",
                                                               "curves",
                                                               "sources",
                                                               "notes"};
constexpr std::array<std::string_view, 5> kCurveKeys = {
    "collective", "ranks", "nodes", "points", "note"};
constexpr std::array<std::string_view, 4> kCollectivesSourceKeys = {
    "keys", "source", "from", "note"};

Result<std::vector<MeasuredCurve::Point>> readPoints(const JsonValue& list) {
    FABRICAST_TRY(list.expect(JsonValue::Kind::Array));
    if (list.items().empty() || list.items().size() > kMostCurvePoints) {
        return tl::unexpected(list.problem("must have from 1 to 1024 points"));
    }
    std::vector<MeasuredCurve::Point> points;
    for (const JsonValue& item : list.items()) {
        FABRICAST_ASSIGN(const auto pair, (readNumbers<2>(item, {0.0, kMostCollectiveBytes})));
        const double before = points.empty() ? 0.0 : points.back().bytes;
        if (pair[0] <= before || pair[1] < kLeastCollectiveMicroseconds ||
            pair[1] > kMostCollectiveMicroseconds) {
            return tl::unexpected(item.problem("must be [bytes, microseconds], bytes rising",
                                               "write [1048576, 25.4]"));
        }
        points.push_back({pair[0], Seconds(pair[1] * 1e-6)});
    }
    return points;
}

Result<MeasuredCurve> readCurve(const JsonValue& row) {
    FABRICAST_TRY(row.onlyKeys(kCurveKeys));
    MeasuredCurve curve;
    FABRICAST_ASSIGN(const JsonValue* const kind, row.require("collective"));
    FABRICAST_ASSIGN(const std::string name, readWord(*kind, kCollectiveNames));
    const auto found = std::ranges::find(kCollectiveNames, name);
    curve.kind = static_cast<CollectiveKind>(found - kCollectiveNames.begin());
    FABRICAST_ASSIGN(const JsonValue* const ranks, row.require("ranks"));
    FABRICAST_ASSIGN(curve.ranks, ranks->integer({2, kMostCollectiveRanks}));
    FABRICAST_ASSIGN(const JsonValue* const nodes, row.require("nodes"));
    FABRICAST_ASSIGN(curve.nodes, nodes->integer({1, curve.ranks}));
    FABRICAST_ASSIGN(const JsonValue* const points, row.require("points"));
    FABRICAST_ASSIGN(curve.points, readPoints(*points));
    return curve;
}

/// A digit where the form has 0, else its letter.
bool isFormed(std::string_view text, std::string_view form) {
    return std::ranges::equal(text, form, [](char letter, char asked) {
        return asked == '0' ? letter >= '0' && letter <= '9' : letter == asked;
    });
}

}  // namespace

bool isDay(std::string_view text) {
    if (!isFormed(text, "0000-00-00")) {
        return false;
    }
    const auto number = [text](std::size_t from, std::size_t length) {
        unsigned value = 0;
        for (const char digit : text.substr(from, length)) {
            value = 10 * value + static_cast<unsigned>(digit - '0');
        }
        return value;
    };
    constexpr std::array kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const auto year = number(0, 4);
    const auto month = number(5, 2);
    const auto day = number(8, 2);
    if (month < 1 || month > kDays.size()) {
        return false;
    }
    const bool isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const int days = kDays[month - 1] + (isLeap && month == 2 ? 1 : 0);
    return day >= 1 && static_cast<int>(day) <= days;
}

bool isBeginning(std::string_view text) {
    constexpr std::size_t kDay = 10;
    // Digits compare as the numbers that they are; a minute may have a leap second.
    return isFormed(text, "0000-00-00T00:00:00Z") && isDay(text.substr(0, kDay)) &&
           text.substr(kDay + 1, 2) < "24" && text.substr(kDay + 4, 2) < "60" &&
           text.substr(kDay + 7, 2) <= "60";
}

bool isMeasured(const JsonValue& root) {
    return root.find("curves") != nullptr;
}

Result<MeasuredFile> readMeasuredCollectives(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kCollectivesKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "collective"));
    MeasuredFile file;
    file.measured.name = header.name;
    file.measured.title = header.title;
    FABRICAST_ASSIGN(const JsonValue* const machine, root.require("machine"));
    FABRICAST_ASSIGN(file.machine, readReference(*machine));
    if (const JsonValue* gpus = root.find("gpus")) {
        FABRICAST_TRY(gpus->expect(JsonValue::Kind::Array));
        for (const JsonValue& gpu : gpus->items()) {
            FABRICAST_ASSIGN(std::string name, gpu.text());
            file.measured.gpus.push_back(std::move(name));
        }
    }
    if (const JsonValue* date = root.find("date")) {
        FABRICAST_ASSIGN(file.measured.date, date->text());
        if (!isDay(file.measured.date)) {
            return tl::unexpected(date->problem("must be a day", "write \"2026-11-20\""));
        }
    }
    if (const JsonValue* begun = root.find("begun")) {
        FABRICAST_ASSIGN(const std::string time, begun->text());
        if (!isBeginning(time)) {
            return tl::unexpected(
                begun->problem("must be a time of UTC", "write \"2026-11-20T09:30:00Z\""));
        }
    }
    FABRICAST_ASSIGN(const JsonValue* const curves, root.require("curves"));
    FABRICAST_TRY(curves->expect(JsonValue::Kind::Array));
    for (const JsonValue& row : curves->items()) {
        FABRICAST_ASSIGN(MeasuredCurve curve, readCurve(row));
        file.measured.curves.push_back(std::move(curve));
    }
    FABRICAST_ASSIGN(const JsonValue* const sources, root.require("sources"));
    FABRICAST_TRY(sources->expect(JsonValue::Kind::Array));
    for (const JsonValue& row : sources->items()) {
        FABRICAST_TRY(row.onlyKeys(kCollectivesSourceKeys));
    }
    return file;
}

}  // namespace fabricast
