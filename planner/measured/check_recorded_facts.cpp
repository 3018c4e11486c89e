#include "planner/measured/measurements.h"
#include "planner/measured/nccl_tests_operation.h"
#include "planner/output/probe_points.h"
#include "planner/text/json_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace fabricast {
namespace {

/// Numbers are written with all their digits.
constexpr double kSameRate = 1e-9;
/// Each rank has whole elements, of 8 bytes at most, and whole lines of 16 bytes of them.
constexpr std::int64_t kRoundedPerRank = 24;
constexpr double kMostFact = 1e300;

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

/// What nccl-tests calls a rate is what the bytes and the time make of it.
struct BusRates {
    double algbw = 0.0;   ///< GB/s
    double factor = 0.0;  ///< busbw over algbw; 0: of how many ranks is not known
    double apart = 0.0;   ///< what sizes that are rounded for ranks leave open, relative
};

Result<void> checkRateOfLine(const JsonValue& fact, double value, double apart) {
    FABRICAST_ASSIGN(const double said, fact.number(-kMostFact, kMostFact));
    return std::abs(said - value) <= apart * value
               ? Result<void>()
               : tl::unexpected(fact.problem(fmt::format(
                     "is {:.6g} GB/s, and by the bytes and the median it is {:.6g}", said, value)));
}

/// With the bytes that were sent, where the line has them, and otherwise those of its name.
Result<BusRates> busRatesOf(const JsonValue& facts, const RecordedPoint& point, double median) {
    constexpr double kGiga = 1e9;
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
    return BusRates{.algbw = sent / median / kGiga,
                    .factor = ranks > 0 ? ncclBusFactor(point.what, ranks) : 0.0,
                    .apart = kSameRate + (point.facts.contains("bytes") ? 0.0 : rounded / named)};
}

/// Of what many samples that are not all listed say, the line's own median.
Result<void> checkBusRates(const JsonValue& line,
                           const JsonValue& facts,
                           const RecordedPoint& point) {
    const JsonValue* const algbw = facts.find("algbw");
    const JsonValue* const busbw = facts.find("busbw");
    if (!point.facts.contains("algbw") && !point.facts.contains("busbw")) {
        return {};
    }
    if (probePoint("nccl-tests", point.what, {}) == nullptr) {
        return tl::unexpected(
            (algbw == nullptr ? busbw : algbw)
                ->problem("is the rate of a collective, and " + point.what + " is none"));
    }
    double median = point.median;
    if (const JsonValue* const said = line.find("median")) {
        constexpr double kLargest = std::numeric_limits<double>::max();
        FABRICAST_ASSIGN(median, said->number(-kLargest, kLargest));
    }
    if (median <= 0.0) {
        return {};
    }
    FABRICAST_ASSIGN(const BusRates rates, busRatesOf(facts, point, median));
    if (point.facts.contains("algbw")) {
        FABRICAST_TRY(checkRateOfLine(*algbw, rates.algbw, rates.apart));
    }
    if (!point.facts.contains("busbw") || rates.factor <= 0.0) {
        return {};
    }
    return checkRateOfLine(*busbw, rates.algbw * rates.factor, rates.apart);
}

}  // namespace

Result<void> readRecordedFacts(const JsonValue& line, RecordedPoint& point) {
    const JsonValue* const facts = line.find("facts");
    if (facts == nullptr) {
        return {};
    }
    FABRICAST_TRY(readFacts(*facts, point));
    FABRICAST_TRY(checkCopied(*facts, point));
    return checkBusRates(line, *facts, point);
}

}  // namespace fabricast
