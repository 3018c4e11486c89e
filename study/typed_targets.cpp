#include "planner/base/quantity_text.h"
#include "study/metric_words.h"
#include "study/percent.h"
#include "study/targets.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// 0 for what is no number, which no target is.
double numberOf(const std::string& typed) {
    double value = 0.0;
    const char* end = typed.data() + typed.size();
    const auto [stop, trouble] = std::from_chars(typed.data(), end, value);
    return trouble == std::errc() && stop == end && std::isfinite(value) ? value : 0.0;
}

/// Each target has a unit of its own, and an example.
template <class Quantity>
Result<double> amountOf(const std::string& typed,
                        const std::string& where,
                        std::string_view example) {
    Result<Quantity> amount = parseQuantity<Quantity>(typed, where);
    if (!amount) {
        amount.error().hint = where + "=" + std::string(example);
        return tl::unexpected(std::move(amount).error());
    }
    return static_cast<double>(amount->count());
}

Result<PlanTarget> readTarget(const std::string& typed) {
    const std::size_t equals = typed.find('=');
    const std::string metric = targetWord(typed.substr(0, equals));
    const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
    const std::string where = "--target " + metric;
    if (metric == "step") {
        FABRICAST_ASSIGN(const double step, amountOf<Seconds>(value, where, "2.5s"));
        return PlanTarget{TargetMetric::StepSeconds, step};
    }
    if (metric == "tokens-per-s") {
        FABRICAST_ASSIGN(const double tokens, amountOf<Tokens>(value, where, "1.2M"));
        return PlanTarget{TargetMetric::TokensPerSecond, tokens};
    }
    if (metric == "mfu") {
        Result<double> share = percentOf(value, where);
        if (!share) {
            share.error().hint = "--target mfu=45%";
            return tl::unexpected(std::move(share).error());
        }
        return PlanTarget{TargetMetric::Mfu, *share};
    }
    if (metric == "days") {
        return PlanTarget{TargetMetric::Days, numberOf(value)};
    }
    if (metric == "hours") {
        return PlanTarget{TargetMetric::Days, numberOf(value) * kDaysPerHour};
    }
    return fail(Error::Code::BadInput,
                "--target",
                "\"" + typed + "\" is not a target",
                "tokens-per-s=1.2M, step=2.5s, mfu=45%, days=30 or hours=24");
}

/// What no run could reach is mistyped: shorter than a cycle of a clock, or all the tokens there
/// are in one.
Result<void> checkReachable(const PlanTarget& target, const std::string& typed) {
    constexpr double kCycle = 1e-9;
    constexpr double kTokens = 1e18;
    const bool isReachable =
        target.metric == TargetMetric::Days              ? target.wanted * kSecondsPerDay >= kCycle
        : target.metric == TargetMetric::StepSeconds     ? target.wanted >= kCycle
        : target.metric == TargetMetric::TokensPerSecond ? target.wanted <= kTokens
                                                         : true;
    return isReachable ? Result<void>()
                       : fail(Error::Code::BadInput,
                              "--target",
                              "\"" + typed + "\" is beyond what any run can reach",
                              "tokens-per-s=1.2M, step=2.5s, mfu=45%, days=30 or hours=24");
}

}  // namespace

Result<std::vector<PlanTarget>> readTargets(const std::vector<std::string>& typed) {
    std::vector<PlanTarget> targets;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(const PlanTarget target, readTarget(one));
        if (!(target.wanted > 0.0)) {
            return fail(Error::Code::BadInput, "--target", "\"" + one + "\" must be above 0");
        }
        FABRICAST_TRY(checkReachable(target, one));
        targets.push_back(target);
    }
    return targets;
}

Result<void> checkTargets(const std::vector<PlanTarget>& targets, const BudgetFacts& budget) {
    const bool asksForDays = std::ranges::any_of(
        targets, [](const PlanTarget& target) { return target.metric == TargetMetric::Days; });
    if (asksForDays && !budget.length) {
        return fail(Error::Code::BadInput,
                    "--target days",
                    "the number of tokens of the run is not given",
                    "--tokens 1T");
    }
    return {};
}

}  // namespace fabricast
