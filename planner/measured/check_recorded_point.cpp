#include "planner/measured/measurements.h"
#include "planner/output/probe_points.h"
#include "planner/text/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// Under the names of the probes, of nccl-tests and of NCCL.
constexpr std::array<std::string_view, 17> kTypeNames = {"bf16",
                                                         "bfloat16",
                                                         "double",
                                                         "float",
                                                         "fp16",
                                                         "fp32",
                                                         "fp4",
                                                         "fp64",
                                                         "fp8",
                                                         "half",
                                                         "int32",
                                                         "int64",
                                                         "int8",
                                                         "tf32",
                                                         "uint32",
                                                         "uint64",
                                                         "uint8"};
constexpr std::array<std::string_view, 3> kUnitNames = {"s", "B", "W"};
/// Of more samples than these a probe lists every second, third, ….
constexpr std::size_t kMostSamplesListed = 100'000;
/// Numbers are written with all their digits.
constexpr double kSameNumber = 1e-9;

bool isNamed(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::any_of(names, [&](std::string_view one) { return one == name; });
}

std::string namesIn(std::span<const std::string_view> names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

/// Whether a program has written it; a record that does not say which may be of any.
bool isPointOf(const ProbePoint& kind, std::string_view program, std::string_view what) {
    return kind.what == what && (program.empty() || kind.program == program);
}

/// The point's program measures such a thing, with these settings.
Result<void> checkKind(const JsonValue& text,
                       const RecordedPoint& point,
                       std::string_view program) {
    const auto all = probePoints();
    if (std::ranges::none_of(
            all, [&](const ProbePoint& kind) { return isPointOf(kind, program, point.what); })) {
        return tl::unexpected(
            text.problem("names what " +
                         (program.empty() ? "no probe measures: "
                                          : std::string(program) + " does not measure: ") +
                         point.what));
    }
    for (const auto& [name, value] : point.settings) {
        if (std::ranges::none_of(all, [&](const ProbePoint& kind) {
                return isPointOf(kind, program, point.what) && kind.has(name);
            })) {
            return tl::unexpected(text.problem(
                "has a setting that " + point.what +
                (program.empty() ? " does not have: "
                                 : " of " + std::string(program) + " does not have: ") +
                name));
        }
    }
    return {};
}

Result<void> checkWords(const JsonValue& line,
                        const RecordedPoint& point,
                        std::string_view program) {
    FABRICAST_ASSIGN(const JsonValue* const text, line.require("point"));
    FABRICAST_TRY(checkKind(*text, point, program));
    const std::string type = point.setting("dtype", "");
    if (!type.empty() && !isNamed(kTypeNames, type)) {
        return tl::unexpected(
            text->problem("is of type " + type + ", which is none of " + namesIn(kTypeNames)));
    }
    const JsonValue* const unit = line.find("unit");
    return unit == nullptr || isNamed(kUnitNames, point.unit)
               ? Result<void>()
               : tl::unexpected(unit->problem("is none of " + namesIn(kUnitNames)));
}

/// What a line says of its samples beside them, where it does and all of them are there.
Result<void> checkStatistic(const JsonValue& line,
                            const char* name,
                            double ofSamples,
                            double size) {
    const JsonValue* const said = line.find(name);
    if (said == nullptr) {
        return {};
    }
    constexpr double kLargest = std::numeric_limits<double>::max();
    FABRICAST_ASSIGN(const double value, said->number(-kLargest, kLargest));
    return std::abs(value - ofSamples) <= kSameNumber * size
               ? Result<void>()
               : tl::unexpected(said->problem(fmt::format(
                     "is {:.6g}, and that of the samples is {:.6g}", value, ofSamples)));
}

}  // namespace

Result<void> checkRecordedPoint(const JsonValue& line,
                                const RecordedPoint& point,
                                std::string_view program) {
    FABRICAST_TRY(checkWords(line, point, program));
    const auto listed = static_cast<std::int64_t>(point.samples.size());
    FABRICAST_ASSIGN(const std::int64_t count, line.integerOr("n", listed, {0, 1LL << 40}));
    const bool isThinned = count > listed &&
                           count > static_cast<std::int64_t>(kMostSamplesListed) &&
                           listed > static_cast<std::int64_t>(kMostSamplesListed / 2);
    if (isThinned) {
        return {};
    }
    if (count != listed) {
        return tl::unexpected(
            line.find("n")->problem(fmt::format("is {}, and there are {} samples", count, listed)));
    }
    const double size = std::abs(point.median);
    FABRICAST_TRY(checkStatistic(line, "median", point.median, size));
    return checkStatistic(line, "deviation", point.deviation, size);
}

}  // namespace fabricast
