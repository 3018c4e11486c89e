#include "planner/base/letters.h"
#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/read_records.h"
#include "planner/profiles/sourced_json.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 8> kPriceFileKeys = {
    "schema", "name", "aliases", "title", "date", "gpus", "ownership", "notes"};
constexpr std::array<std::string_view, 4> kPriceKeys = {
    "on_demand", "reserved", "spot", "purchase"};
constexpr std::array<std::string_view, 3> kOwnershipKeys = {
    "years", "whole_over_gpu", "usd_per_kwh"};

/// "2026-05" or "2026-05-20".
bool isDate(std::string_view text) {
    constexpr std::string_view kPattern = "dddd-dd-dd";
    if (text.size() != 7 && text.size() != kPattern.size()) {
        return false;
    }
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (kPattern[at] == 'd' ? !isDigit(text[at]) : text[at] != '-') {
            return false;
        }
    }
    return true;
}

Result<GpuPrice> readGpuPrice(const JsonValue& value) {
    FABRICAST_TRY(value.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(value.onlyKeys(kPriceKeys));
    GpuPrice price;
    FABRICAST_ASSIGN(price.onDemand, readSourcedOr<UsdPerHour>(value, "on_demand"));
    FABRICAST_ASSIGN(price.reserved, readSourcedOr<UsdPerHour>(value, "reserved"));
    FABRICAST_ASSIGN(price.spot, readSourcedOr<UsdPerHour>(value, "spot"));
    FABRICAST_ASSIGN(price.purchase, readSourcedOr<Usd>(value, "purchase"));
    return price;
}

/// Numbers that something is divided by or multiplied with: none of them is zero.
Result<Sourced<double>> positiveOr(const JsonValue& object, std::string_view key) {
    FABRICAST_ASSIGN(const Sourced<double> number, readSourcedOr<double>(object, key));
    if (number.lo.value_or(number.value.value_or(1.0)) <= 0.0) {
        return tl::unexpected(object.find(key)->problem(
            "is not above 0", "write null where the number is not known"));
    }
    return number;
}

Result<void> readOwnership(const JsonValue& root, Ownership& ownership) {
    const JsonValue* value = root.find("ownership");
    if (value == nullptr) {
        return {};
    }
    FABRICAST_TRY(value->expect(JsonValue::Kind::Object));
    FABRICAST_TRY(value->onlyKeys(kOwnershipKeys));
    FABRICAST_ASSIGN(ownership.years, positiveOr(*value, "years"));
    FABRICAST_ASSIGN(ownership.wholeOverGpu, positiveOr(*value, "whole_over_gpu"));
    FABRICAST_ASSIGN(ownership.usdPerKwh, positiveOr(*value, "usd_per_kwh"));
    return {};
}

}  // namespace

Result<PriceProfile> readPrice(const JsonValue& root) {
    FABRICAST_TRY(root.expect(JsonValue::Kind::Object));
    FABRICAST_TRY(root.onlyKeys(kPriceFileKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "price"));
    PriceProfile profile{.name = header.name, .title = header.title};
    FABRICAST_ASSIGN(const JsonValue* const date, root.require("date"));
    FABRICAST_ASSIGN(profile.date, date->text());
    if (!isDate(profile.date)) {
        return tl::unexpected(date->problem("cannot be " + date->shown(),
                                            "write the month or day of the prices: \"2026-05\""));
    }
    FABRICAST_ASSIGN(const JsonValue* const gpus, root.require("gpus"));
    FABRICAST_TRY(gpus->expect(JsonValue::Kind::Object));
    for (const JsonValue& gpu : gpus->members()) {
        FABRICAST_ASSIGN(profile.gpus[gpu.name()], readGpuPrice(gpu));
    }
    FABRICAST_TRY(readOwnership(root, profile.ownership));
    FABRICAST_ASSIGN(profile.notes, root.textOr("notes", ""));
    return profile;
}

}  // namespace fabricast
