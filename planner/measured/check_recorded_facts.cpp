#include "planner/measured/measurements.h"
#include "planner/measured/nccl_tests_operation.h"
#include "planner/output/probe_points.h"
#include "planner/text/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

/// Numbers are written with all their digits.
constexpr double kSameRate = 1e-9;
/// Each rank has whole elements, of 8 bytes at most, and whole lines of 16 bytes of them.
constexpr std::int64_t kRoundedPerRank = 24;
constexpr double kMostFact = 1e300;
constexpr std::string_view kLogs = "nccl-tests";

/// Numbers that were not finite are null, and are not facts.
Result<void> readFacts(const JsonValue& facts, RecordedPoint& point) {
    FABRICAST_TRY(facts.expect(JsonValue::Kind::Object));
    for (const JsonValue& fact : facts.members()) {
        if (!fact.is(JsonValue::Kind::Null)) {
            FABRICAST_ASSIGN(const double value, fact.number(-kMostFact, kMostFact));
            point.facts.emplace(fact.name(), value);
        }
    }
    return {};
}

Error otherBytes(const JsonValue& facts, double said, double named) {
    return facts.problem(fmt::format("has {:.6g} bytes, and the point's name {:.6g}", said, named));
}

/// A rate is of the bytes that were copied, which the point's name says too: in both directions
/// twice as many.
Result<void> checkCopied(const JsonValue& facts, const RecordedPoint& point) {
    if (point.what != "transfer" || !point.settings.contains("bytes") ||
        !point.facts.contains("bytes")) {
        return {};
    }
    FABRICAST_ASSIGN(const std::int64_t size, wholeSetting(point, "bytes", 0));
    const double copied =
        static_cast<double>(size) * (point.setting("kind", "") == "both" ? 2.0 : 1.0);
    const double said = point.fact("bytes", copied);
    return said == copied ? Result<void>() : tl::unexpected(otherBytes(facts, said, copied));
}

/// A rate is of the operations of the sizes in the point's name.
Result<void> checkFlop(const JsonValue& facts, const RecordedPoint& point) {
    if (!point.facts.contains("flop")) {
        return {};
    }
    FABRICAST_ASSIGN(const double named, namedFlop(point));
    const double said = point.fact("flop", named);
    return named == 0.0 || std::abs(said - named) <= kSameRate * named
               ? Result<void>()
               : tl::unexpected(facts.find("flop")->problem(fmt::format(
                     "is {:.6g}, and by the sizes of the point's name {:.6g}", said, named)));
}

/// What nccl-tests calls rates: what bytes and times make of each other.
struct BusRates {
    double least = 0.0;   ///< algbw by the longest time, GB/s
    double most = 0.0;    ///< and by the shortest
    double factor = 0.0;  ///< busbw over algbw; 0: of how many ranks is not known
};

Result<void> checkRateOfLine(const JsonValue& fact, double least, double most) {
    FABRICAST_ASSIGN(const double said, fact.number(-kMostFact, kMostFact));
    return said >= least && said <= most
               ? Result<void>()
               : tl::unexpected(fact.problem(
                     fmt::format("is {:.6g} GB/s, and by the bytes and the median it is {:.6g}",
                                 said,
                                 (least + most) / 2)));
}

/// A probe's rates are of the median of all its samples, of which a line may list some. A log's are
/// of one of its rows, in two decimals, with times of three digits.
BusRates ratesOf(const RecordedPoint& point, double bytes, double median, bool isOfLog) {
    constexpr double kGiga = 1e9;
    constexpr double kLogTime = 5e-3;
    constexpr double kLogRate = 5e-3;
    const auto rate = [&](double seconds) { return bytes / seconds / kGiga; };
    if (!isOfLog) {
        return {.least = rate(median) * (1 - kSameRate), .most = rate(median) * (1 + kSameRate)};
    }
    const auto [shortest, longest] = std::ranges::minmax(point.samples);
    return {.least = rate(longest) * (1 - kLogTime) - kLogRate,
            .most = shortest > 0.0 ? rate(shortest) * (1 + kLogTime) + kLogRate : kMostFact};
}

/// With the bytes that were sent, where the line has them, and otherwise those of its name.
Result<BusRates> busRatesOf(const JsonValue& facts,
                            const RecordedPoint& point,
                            double median,
                            bool isOfLog) {
    FABRICAST_ASSIGN(const std::int64_t size, wholeSetting(point, "bytes", 1));
    std::int64_t ranks = 0;
    if (point.settings.contains("ranks")) {
        FABRICAST_ASSIGN(ranks, wholeSetting(point, "ranks", 1));
    }
    const auto named = static_cast<double>(size);
    const double sent = point.fact("bytes", named);
    const double rounded = static_cast<double>(kRoundedPerRank) *
                           static_cast<double>(std::max<std::int64_t>(ranks, 1));
    if (ranks > 0 && std::abs(sent - named) > rounded) {
        return tl::unexpected(otherBytes(facts, sent, named));
    }
    BusRates rates = ratesOf(point, sent, median, isOfLog);
    if (!point.facts.contains("bytes")) {
        rates.least *= std::max(0.0, 1 - rounded / named);
        rates.most *= 1 + rounded / named;
    }
    rates.factor = ranks > 0 ? ncclBusFactor(point.what, ranks) : 0.0;
    return rates;
}

/// The line's own median, where it has one: it is of all samples.
Result<void> checkBusRates(const JsonValue& line,
                           const JsonValue& facts,
                           const RecordedPoint& point,
                           std::string_view program) {
    const bool hasRate = point.facts.contains("algbw");
    const bool hasBusRate = point.facts.contains("busbw");
    if (!hasRate && !hasBusRate) {
        return {};
    }
    if (probePoint(kLogs, point.what, {}) == nullptr) {
        return tl::unexpected(
            facts.find(hasRate ? "algbw" : "busbw")
                ->problem("is the rate of a collective, and " + point.what + " is none"));
    }
    double median = point.median;
    if (const JsonValue* const said = line.find("median")) {
        FABRICAST_ASSIGN(median, said->number(-kMostFact, kMostFact));
    }
    if (median <= 0.0) {
        return {};
    }
    FABRICAST_ASSIGN(const BusRates rates, busRatesOf(facts, point, median, program == kLogs));
    if (hasRate) {
        FABRICAST_TRY(checkRateOfLine(*facts.find("algbw"), rates.least, rates.most));
    }
    return hasBusRate && rates.factor > 0.0
               ? checkRateOfLine(
                     *facts.find("busbw"), rates.least * rates.factor, rates.most * rates.factor)
               : Result<void>();
}

}  // namespace

Result<void> readRecordedFacts(const JsonValue& line,
                               RecordedPoint& point,
                               std::string_view program) {
    const JsonValue* const facts = line.find("facts");
    if (facts == nullptr) {
        return {};
    }
    FABRICAST_TRY(readFacts(*facts, point));
    FABRICAST_TRY(checkCopied(*facts, point));
    FABRICAST_TRY(checkFlop(*facts, point));
    return checkBusRates(line, *facts, point, program);
}

}  // namespace fabricast
