#include "study/metric_words.h"
#include "study/size.h"
#include "study/typed_amounts.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace fabricast {
namespace {

constexpr const char* kSizeTargets = "tokens-per-s=1.2M, days=30, hours=24 or budget=2M";

/// What may be typed instead stands behind what was wrong.
Result<double> orExample(Result<double> read, const std::string& example) {
    if (!read) {
        read.error().hint = example;
    }
    return read;
}

Result<SizeTarget> readSizeTarget(const std::string& typed) {
    const std::size_t equals = typed.find('=');
    const std::string metric = targetWord(typed.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
    const std::string where = "--target " + metric;
    if (metric == "tokens-per-s") {
        FABRICAST_ASSIGN(const double rate,
                         orExample(typedTokenRate(value, where), where + "=1.2M"));
        return SizeTarget{SizeMetric::TokensPerSecond, rate};
    }
    if (metric == "budget") {
        FABRICAST_ASSIGN(const double dollars,
                         orExample(typedDollars(value, where), where + "=2M"));
        return SizeTarget{SizeMetric::Budget, dollars};
    }
    if (metric == "days") {
        return SizeTarget{SizeMetric::Days, typedDays(value, where).value_or(0.0)};
    }
    if (metric == "hours") {
        return SizeTarget{SizeMetric::Days, typedHours(value, where).value_or(0.0)};
    }
    return fail(Error::Code::BadInput,
                "--target",
                "\"" + typed + "\" is not a target of hardware",
                kSizeTargets);
}

Result<std::int64_t> wholeAbove0(const std::string& typed,
                                 const std::string& where,
                                 const std::string& hint) {
    std::int64_t value = 0;
    const char* end = typed.data() + typed.size();
    const auto [stop, trouble] = std::from_chars(typed.data(), end, value);
    if (trouble != std::errc() || stop != end || value < 1) {
        return fail(
            Error::Code::BadInput, where, "\"" + typed + "\" is not a whole number above 0", hint);
    }
    return value;
}

}  // namespace

Result<std::vector<SizeTarget>> readSizeTargets(const std::vector<std::string>& typed) {
    std::vector<SizeTarget> targets;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(SizeTarget target, readSizeTarget(one));
        if (!(target.wanted > 0.0)) {
            return fail(Error::Code::BadInput,
                        "--target",
                        "\"" + one + "\" must be a number above 0",
                        kSizeTargets);
        }
        target.typed = one;
        targets.push_back(std::move(target));
    }
    return targets;
}

Result<std::int64_t> readRacks(const std::string& typed) {
    constexpr const char* kHint = "--must-fit-in racks=2";
    const std::size_t equals = typed.find('=');
    if (equals == std::string::npos || typed.substr(0, equals) != "racks") {
        return fail(Error::Code::BadInput,
                    "--must-fit-in",
                    "\"" + typed + "\" is not a number of racks",
                    kHint);
    }
    return wholeAbove0(typed.substr(equals + 1), "--must-fit-in racks", kHint);
}

Result<std::vector<std::int64_t>> readCounts(const std::vector<std::string>& typed,
                                             const std::string& flag) {
    std::vector<std::int64_t> counts;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(const std::int64_t count, wholeAbove0(one, flag, flag + " 1,2,4,8"));
        counts.push_back(count);
    }
    std::ranges::sort(counts);
    const auto twice = std::ranges::unique(counts);
    counts.erase(twice.begin(), twice.end());
    return counts;
}

}  // namespace fabricast
