#include "planner/request/budget_request.h"

#include "planner/base/quantity_text.h"
#include "planner/spec/setting_names.h"
#include "planner/text/enum_json.h"

#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

using Kind = JsonValue::Kind;

constexpr std::array<std::string_view, 5> kPriceKeys = {
    "profile", "kind", "usd_per_gpu_hour", "years", "utilisation"};
constexpr std::array<std::string_view, 4> kOperationKeys = {
    "site", "mtbf", "checkpoint", "checkpoint_interval"};
constexpr std::int64_t kMostTokens = 1'000'000'000'000'000'000;
/// Some 30 million years: what is above was mistyped.
constexpr double kLongest = 1e15;
constexpr Seconds kShortestMtbf(1.0);
constexpr double kAnyNumber = std::numeric_limits<double>::max();
constexpr std::int64_t kMostSteps = 999'999'999;
constexpr double kLeastPrice = 1e-6;
constexpr double kMostPrice = 1e6;
constexpr double kMostYearsOwned = 100.0;
constexpr double kLeastUse = 1e-6;

Result<ProfileWish> readWish(const JsonValue& value, std::string_view example) {
    FABRICAST_ASSIGN(std::string name, value.text());
    if (name.empty()) {
        return tl::unexpected(value.problem("is empty", std::string(example)));
    }
    return ProfileWish{std::move(name), value.where(), value.line() == 0};
}

Result<Seconds> readTime(const JsonValue& value, std::string_view example) {
    if (!value.is(Kind::String)) {
        return tl::unexpected(value.problem("must be a time with its unit, not " + value.shown(),
                                            "for example \"" + std::string(example) + "\""));
    }
    FABRICAST_ASSIGN(const std::string text, value.text());
    Result<Seconds> time = parseQuantity<Seconds>(text, value.where());
    if (!time) {
        time.error().hint = "for example \"" + std::string(example) + "\"";
        return time;
    }
    if (time->count() <= 0.0 || time->count() > kLongest) {
        return tl::unexpected(value.problem("is out of range at " + value.shown(),
                                            "for example \"" + std::string(example) + "\""));
    }
    return time;
}

/// "50000 h", or "none" where nothing ever fails.
Result<Seconds> readMtbf(const JsonValue& value) {
    if (value.is(Kind::String) && value.text() == "none") {
        return Seconds(std::numeric_limits<double>::infinity());
    }
    FABRICAST_ASSIGN(const Seconds time, readTime(value, "50000 h"));
    if (time < kShortestMtbf) {
        return tl::unexpected(
            value.problem("is less than a second at " + value.shown(), "for example \"50000 h\""));
    }
    return time;
}

/// Of "500 steps": whatever stands before the unit. Nothing where it has another.
std::optional<std::string_view> countBefore(std::string_view typed,
                                            const std::array<std::string_view, 3>& units) {
    for (const std::string_view unit : units) {
        if (typed.ends_with(unit)) {
            return typed.substr(0, typed.size() - unit.size());
        }
    }
    return std::nullopt;
}

constexpr std::array<std::string_view, 3> kSteps = {" steps", " step", "steps"};
constexpr std::array<std::string_view, 3> kSamples = {" samples", " sample", "samples"};

/// "20 min", or "500 steps".
Result<void> readInterval(const JsonValue& value, BudgetRequest& request) {
    const std::string typed = value.is(Kind::String) ? value.text().value_or("") : "";
    const std::optional<std::string_view> count = countBefore(typed, kSteps);
    if (!count) {
        FABRICAST_ASSIGN(request.interval, readTime(value, "20 min"));
        return {};
    }
    std::int64_t steps = 0;
    const char* const end = count->data() + count->size();
    if (std::from_chars(count->data(), end, steps).ptr != end || steps < 1 || steps > kMostSteps) {
        return tl::unexpected(value.problem("must be a whole number of steps from 1 to " +
                                                std::to_string(kMostSteps) + ", not " +
                                                value.shown(),
                                            "for example \"500 steps\""));
    }
    request.intervalSteps = steps;
    return {};
}

/// "15T", "1000 steps" or "2M samples".
Result<RunLength> readLength(const JsonValue& value) {
    FABRICAST_ASSIGN(const std::string text, value.text());
    const std::optional<std::string_view> steps = countBefore(text, kSteps);
    const std::optional<std::string_view> samples = countBefore(text, kSamples);
    const std::string count(steps ? *steps : samples.value_or(text));
    FABRICAST_ASSIGN(const Tokens number, parseQuantity<Tokens>(count, value.where()));
    if (number.count() < 1 || number.count() > kMostTokens) {
        return tl::unexpected(value.problem("is not a number of training tokens",
                                            "for example \"15T\", or \"1000 steps\""));
    }
    return RunLength{number.count(),
                     steps     ? RunLength::Unit::Step
                     : samples ? RunLength::Unit::Sample
                               : RunLength::Unit::Token};
}

Result<std::optional<RunLength>> readLengthOfRun(const JsonValue& root) {
    const JsonValue* workload = root.find("workload");
    const JsonValue* tokens = workload == nullptr ? nullptr : workload->find("tokens");
    if (tokens == nullptr) {
        return std::optional<RunLength>();
    }
    if (tokens->isNumber()) {
        FABRICAST_ASSIGN(const std::int64_t count, tokens->integer({1, kMostTokens}));
        return std::optional(RunLength{count});
    }
    FABRICAST_ASSIGN(const RunLength length, readLength(*tokens));
    return std::optional(length);
}

Result<UsdPerHour> inRange(UsdPerHour price, const JsonValue& value) {
    if (price.count() >= kLeastPrice && price.count() <= kMostPrice) {
        return price;
    }
    return fail(Error::Code::BadInput,
                value.where(),
                "the price of a GPU-hour is out of range at " + value.shown(),
                "for example \"$2.10/h\"");
}

/// A name, a file, "$2.10/h", or 2.10.
Result<void> readPriceWord(const JsonValue& value, BudgetRequest& request) {
    if (value.isNumber()) {
        FABRICAST_ASSIGN(const double price, value.number(-kAnyNumber, kAnyNumber));
        FABRICAST_ASSIGN(request.perGpuHour, inRange(UsdPerHour(price), value));
        return {};
    }
    FABRICAST_ASSIGN(request.price, readWish(value, "market-2026-05"));
    FABRICAST_ASSIGN(request.pricedGpus, readGpuPrices(request.price.name, value.where()));
    for (const PricedGpu& one : request.pricedGpus) {
        FABRICAST_TRY(inRange(one.price, value));
    }
    if (!request.pricedGpus.empty()) {
        return {};
    }
    FABRICAST_ASSIGN(const std::optional<UsdPerHour> typed,
                     readTypedPrice(request.price.name, value.where()));
    if (typed) {
        FABRICAST_ASSIGN(request.perGpuHour, inRange(*typed, value));
    }
    return {};
}

/// What the price of owned GPUs is spread over.
Result<void> readOwnership(const JsonValue& price, BudgetRequest& request) {
    if (const JsonValue* years = price.find("years")) {
        FABRICAST_ASSIGN(request.years, years->number(kLeastUse, kMostYearsOwned));
    }
    if (const JsonValue* use = price.find("utilisation")) {
        FABRICAST_ASSIGN(request.utilisation, use->number(kLeastUse, 1.0));
    }
    return {};
}

Result<void> readPrice(const JsonValue& root, BudgetRequest& request) {
    const JsonValue* price = root.find("price");
    if (price == nullptr) {
        return {};
    }
    if (price->is(Kind::String) || price->isNumber()) {
        return readPriceWord(*price, request);
    }
    FABRICAST_TRY(price->expect(Kind::Object));
    FABRICAST_TRY(price->onlyKeys(kPriceKeys));
    if (const JsonValue* kind = price->find("kind")) {
        FABRICAST_ASSIGN(request.kind, readEnum<PriceKind>(*kind));
    }
    FABRICAST_TRY(readOwnership(*price, request));
    if (const JsonValue* said = price->find("usd_per_gpu_hour")) {
        FABRICAST_ASSIGN(const double value, said->number(kLeastPrice, kMostPrice));
        request.perGpuHour = UsdPerHour(value);
    }
    const JsonValue* profile = price->find("profile");
    if (profile == nullptr) {
        return {};
    }
    if (request.perGpuHour) {
        return tl::unexpected(profile->problem(
            "and \"usd_per_gpu_hour\" are two prices of one GPU-hour", "leave one of them out"));
    }
    return readPriceWord(*profile, request);
}

Result<void> readOperation(const JsonValue& root, BudgetRequest& request) {
    const JsonValue* operation = root.find("operation");
    if (operation == nullptr) {
        return {};
    }
    FABRICAST_TRY(operation->expect(Kind::Object));
    FABRICAST_TRY(operation->onlyKeys(kOperationKeys));
    if (const JsonValue* site = operation->find("site")) {
        FABRICAST_ASSIGN(request.site, readWish(*site, "typical"));
    }
    if (const JsonValue* mtbf = operation->find("mtbf")) {
        FABRICAST_ASSIGN(request.gpuMtbf, readMtbf(*mtbf));
    }
    if (const JsonValue* checkpoint = operation->find("checkpoint")) {
        FABRICAST_ASSIGN(request.checkpoint, readEnum<CheckpointMode>(*checkpoint));
    }
    if (const JsonValue* interval = operation->find("checkpoint_interval")) {
        FABRICAST_TRY(readInterval(*interval, request));
    }
    return {};
}

}  // namespace

Result<BudgetRequest> readBudgetRequest(const JsonValue& root) {
    BudgetRequest request;
    FABRICAST_TRY(readPrice(root, request));
    FABRICAST_TRY(readOperation(root, request));
    FABRICAST_ASSIGN(request.length, readLengthOfRun(root));
    return request;
}

}  // namespace fabricast
