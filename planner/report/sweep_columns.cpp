#include "planner/base/quantity_text.h"
#include "planner/report/check_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/plan_views.h"
#include "planner/report/sweep_report.h"
#include "planner/result/memory_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace fabricast {
namespace {

std::optional<double> sweptNumber(const JsonValue* member) {
    return member != nullptr && member->isNumber()
               ? std::optional(member->number(-1e300, 1e300).value_or(0.0))
               : std::nullopt;
}

template <class Text>
std::string numberCell(const JsonValue* member, Text text) {
    const std::optional<double> number = sweptNumber(member);
    return number ? text(*number) : std::string("-");
}

std::string wholeCell(const JsonValue* member, const JsonValue&) {
    return numberCell(member, [](double number) { return grouped(std::llround(number)); });
}
std::string secondsCell(const JsonValue* member, const JsonValue&) {
    return numberCell(member, [](double number) { return fmt::format("{:.3f}", number); });
}
std::string shareCell(const JsonValue* member, const JsonValue&) {
    return numberCell(member, [](double number) { return percentText(number); });
}
std::string dollarCell(const JsonValue* member, const JsonValue&) {
    return numberCell(member, [](double number) { return dollarText(number); });
}
std::string amountCell(const JsonValue* member, const JsonValue&) {
    return numberCell(member, [](double number) { return amountText(number); });
}
std::string kilowattCell(const JsonValue* member, const JsonValue&) {
    constexpr double kKilo = 1e3;
    return numberCell(member, [](double number) { return amountText(number / kKilo); });
}
std::string textCell(const JsonValue* member, const JsonValue&) {
    return member == nullptr ? "" : member->text().value_or(member->shown());
}

/// With the mark of a plan that may not fit.
std::string gibCell(const JsonValue* member, const JsonValue& line) {
    const std::string verdict = line.textOr("verdict", "fits").value_or("fits");
    return numberCell(member, [&](double number) {
        return gibText(Bytes(std::llround(number))) +
               std::string(doubtMark(fromName<Verdict>(verdict).value_or(Verdict::Fits)));
    });
}

std::string verdictCell(const JsonValue* member, const JsonValue&) {
    if (member == nullptr || member->text().value_or("") == "refused") {
        return "-";
    }
    const bool holds = member->text().value_or("") == nameOf(CheckVerdict::Holds);
    return std::string(verdictWord(holds ? CheckVerdict::Holds : CheckVerdict::CannotTell));
}

/// The user's own measurements that the numbers lean on.
constexpr SweepColumn kMeasuredColumn = {
    "measured", "measured", Align::Left, &textCell, false, true};

/// Stated settings without which no number of the point would be another.
constexpr SweepColumn kIdleColumn = {
    "no_effect", "no effect here", Align::Left, &textCell, false, true};

constexpr std::array kOfPlan = {
    SweepColumn{"verdict", ""},
    SweepColumn{"gpus", "GPUs", Align::Right, &wholeCell},
    SweepColumn{"global_batch", "batch", Align::Right, &wholeCell, true},
    SweepColumn{"step_s", "step s", Align::Right, &secondsCell},
    SweepColumn{"tokens_per_s", "tok/s", Align::Right, &wholeCell},
    SweepColumn{"mfu", "MFU", Align::Right, &shareCell},
    SweepColumn{"peak_bytes", "GiB", Align::Right, &gibCell},
    SweepColumn{"usd_per_mtok", "$/Mtok", Align::Right, &dollarCell},
    SweepColumn{"stack", "stack", Align::Left, &textCell},
    SweepColumn{"layout", "layout", Align::Left, &textCell},
    kMeasuredColumn,
    kIdleColumn,
    SweepColumn{"why", "", Align::Left, &textCell}};

constexpr std::array kOfSize = {SweepColumn{"box", "box", Align::Left, &textCell},
                                SweepColumn{"fabric", "fabric", Align::Left, &textCell},
                                SweepColumn{"nodes", "nodes", Align::Right, &wholeCell},
                                SweepColumn{"gpus", "GPUs", Align::Right, &wholeCell},
                                SweepColumn{"usd", "$", Align::Right, &dollarCell},
                                SweepColumn{"usd_lo", ""},
                                SweepColumn{"usd_hi", ""},
                                SweepColumn{"usd_per_hour", "$/h", Align::Right, &dollarCell},
                                SweepColumn{"days", "days", Align::Right, &amountCell},
                                SweepColumn{"days_lo", ""},
                                SweepColumn{"days_hi", ""},
                                SweepColumn{"tokens_per_s", "tok/s", Align::Right, &wholeCell},
                                SweepColumn{"tokens_per_s_lo", ""},
                                SweepColumn{"tokens_per_s_hi", ""},
                                SweepColumn{"watts", "kW", Align::Right, &kilowattCell},
                                SweepColumn{"verdict", "target", Align::Left, &verdictCell},
                                SweepColumn{"plan", "best plan", Align::Left, &textCell},
                                kMeasuredColumn,
                                kIdleColumn,
                                SweepColumn{"why", "", Align::Left, &textCell}};

constexpr std::string_view kPlanSchema = "fabricast.sweep/1";
constexpr std::string_view kSizeSchema = "fabricast.size_sweep/1";

/// Members that say which point it is, and of what.
constexpr std::array<std::string_view, 5> kOfPoint = {
    "schema", "question", "digest", "point", "sum"};
constexpr std::array<std::string_view, 9> kSweptWords = {
    "verdict", "box", "fabric", "stack", "layout", "plan", "measured", "no_effect", "why"};
/// Times, money and counts are no less than nothing, and tables write them as whole numbers of 64
/// bits.
constexpr double kMostSwept = 9e18;

Result<void> checkMember(const JsonValue& member) {
    if (std::ranges::find(kOfPoint, member.name()) != kOfPoint.end()) {
        return {};
    }
    if (std::ranges::find(kSweptWords, member.name()) != kSweptWords.end() ||
        member.name().ends_with("_why")) {
        return member.expect(JsonValue::Kind::String);
    }
    if (!member.is(JsonValue::Kind::Null)) {  // not known, with its reason
        FABRICAST_TRY(member.number(0.0, kMostSwept));
    }
    return {};
}

}  // namespace

std::span<const SweepColumn> sweepColumns(std::string_view schema) {
    return schema == kSizeSchema ? std::span<const SweepColumn>(kOfSize)
                                 : std::span<const SweepColumn>(kOfPlan);
}

Result<void> checkSweepLine(const JsonValue& line) {
    FABRICAST_ASSIGN(const JsonValue* schema, line.require("schema"));
    FABRICAST_ASSIGN(const std::string name, schema->text());
    if (name != kPlanSchema && name != kSizeSchema) {
        return tl::unexpected(schema->problem("is not of a sweep"));
    }
    for (const JsonValue& member : line.members()) {
        FABRICAST_TRY(checkMember(member));
    }
    if (line.find("why") == nullptr && line.find("gpus") == nullptr) {
        return tl::unexpected(line.problem("has neither an answer nor a reason why there is none"));
    }
    return {};
}

const SweepColumn& picturedColumn(std::string_view schema, const JsonValue& line) {
    const std::span<const SweepColumn> columns = sweepColumns(schema);
    const bool isOfSize = schema == kSizeSchema;
    for (const SweepColumn& column : columns) {
        const bool isMoney = column.key == "usd" || column.key == "usd_per_hour";
        if (isOfSize && isMoney && line.find(column.key) != nullptr) {
            return column;
        }
    }
    return *std::ranges::find(columns, isOfSize ? "gpus" : "tokens_per_s", &SweepColumn::key);
}

}  // namespace fabricast
