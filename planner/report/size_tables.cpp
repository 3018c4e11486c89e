#include "planner/base/quantity_text.h"
#include "planner/report/check_words.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/plan_views.h"
#include "planner/report/size_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace fabricast {
namespace {

std::string wholeText(double number) {
    return grouped(std::llround(number));
}

std::string usdText(const std::optional<double>& usd) {
    return usd ? dollarText(*usd) : "-";
}

std::string kilowattText(const SizedCluster& cluster) {
    constexpr double kKilo = 1e3;
    return cluster.power ? amountText(cluster.power->count() / kKilo) : "-";
}

std::string plansText(const SizedCluster& cluster) {
    std::string text;
    for (const Plan& plan : cluster.plans) {
        text +=
            (text.empty() ? "" : "; ") + plan.scenario.stack + " " + planLayoutText(plan.scenario);
    }
    return text;
}

/// " [$170..$224]" behind a number; nothing where it is exact.
template <class Text>
std::string rangeText(const SizedRange& range, Text text) {
    return range.lo == range.hi ? "" : fmt::format(" [{}..{}]", text(range.lo), text(range.hi));
}

std::string numbersText(const SizedCluster& cluster, const SizeAnswer& answer, bool ranged) {
    const auto range = [ranged](const SizedRange& one, auto text) {
        return ranged ? rangeText(one, text) : std::string();
    };
    const RunUnit unit = runUnitOf(Seconds(cluster.seconds));
    const auto wall = [&unit](double seconds) { return amountText(seconds / unit.seconds); };
    std::string text = cluster.usd ? dollarText(*cluster.usd) + (answer.hasTokens ? "" : " an hour")
                                   : std::string("price not known");
    if (cluster.usd && cluster.usdRange) {
        text += range(*cluster.usdRange, &dollarText);
    }
    if (answer.hasTokens) {
        text += ", " + wall(cluster.seconds) + " " + unit.name + range(cluster.secondsRange, wall);
    }
    text += ", " + wholeText(cluster.tokensPerSecond) + " tokens/s" +
            range(cluster.tokensRange, &wholeText) +
            (answer.jobs.size() > 1 ? " of the slowest job" : "");
    return text + (cluster.power ? ", " + kilowattText(cluster) + " kW" : "");
}

/// One job's part of the sums: ", 7.5 days, $16,900, 308,476 tokens/s".
std::string shareText(const Plan& plan) {
    std::string text;
    if (plan.cost && plan.cost->run) {
        text += ", " + runText(plan.cost->run->wall.value);
        text +=
            plan.cost->run->price ? ", " + dollarText(plan.cost->run->price->value.count()) : "";
    }
    return text + ", " + wholeText(plan.step.tokensPerSecond) + " tokens/s";
}

}  // namespace

std::string sizedBoxText(const SizedCluster& cluster) {
    return cluster.box + (cluster.fabric.empty() ? "" : " on " + cluster.fabric);
}

std::string sizedClusterText(const SizedCluster& cluster) {
    return fmt::format("{} x {} ({} GPU{})",
                       cluster.isPart ? "part of 1" : grouped(cluster.nodes),
                       sizedBoxText(cluster),
                       grouped(cluster.gpus),
                       cluster.gpus == 1 ? "" : "s");
}

std::string sizedNumbersText(const SizedCluster& cluster, const SizeAnswer& answer) {
    return numbersText(cluster, answer, false);
}

std::string sizedIntervalsText(const SizedCluster& cluster, const SizeAnswer& answer) {
    return numbersText(cluster, answer, true);
}

std::string sizedPlansText(const SizedCluster& cluster, const char* before) {
    std::string text;
    for (const Plan& plan : cluster.plans) {
        text += fmt::format("{}{}: {} {}{}\n",
                            before,
                            plan.scenario.model.name,
                            plan.scenario.stack,
                            planLayoutText(plan.scenario),
                            cluster.plans.size() > 1 ? shareText(plan) : std::string());
    }
    return text;
}

namespace {

/// Quarters of an hour within a day are what somebody says in hours.
bool isInHours(const SizeTarget& target) {
    constexpr double kQuartersOfDay = 96.0;
    const double quarters = target.wanted * kQuartersOfDay;
    return target.metric == SizeMetric::Days && target.wanted < 1.0 && quarters > 0.5 &&
           std::abs(quarters - std::round(quarters)) < 1e-9;
}

}  // namespace

std::string sizeValueText(SizeMetric metric, double value) {
    switch (metric) {
        case SizeMetric::TokensPerSecond:
            return wholeText(value) + " tokens/s";
        case SizeMetric::Days:
            return runText(Seconds(value * kDay));
        case SizeMetric::Budget:
            return dollarText(value);
    }
    return "";
}

std::string sizeTargetText(const SizeTarget& target) {
    constexpr double kHours = 24.0;
    const bool hours = isInHours(target);
    const double wanted = hours ? std::round(target.wanted * kHours * 4.0) / 4.0 : target.wanted;
    const std::string number = fmt::format("{:.6g}", wanted);
    const bool isWhole = std::round(wanted) == wanted && wanted < 1e15;
    const std::string digits = isWhole ? wholeText(wanted) : number;
    switch (target.metric) {
        case SizeMetric::TokensPerSecond:
            return digits + " tokens/s";
        case SizeMetric::Days:
            return digits + (hours ? " hour" : " day") + (wanted == 1.0 ? "" : "s");
        case SizeMetric::Budget:
            return "$" + digits;
    }
    return "";
}

std::string_view sizeVerdictWord(const SizedCluster& cluster) {
    return verdictWord(cluster.isSure() ? CheckVerdict::Holds : CheckVerdict::CannotTell);
}

std::string sizeTargetsText(std::span<const SizeTarget> targets) {
    std::string text;
    for (const SizeTarget& target : targets) {
        text += (text.empty() ? "" : " and ") + sizeTargetText(target);
    }
    return text;
}

Table sizedTable(std::span<const SizedCluster> clusters, const SizeAnswer& answer) {
    Table table{{{"box"}, {"nodes", Align::Right}, {"GPUs", Align::Right}}, {}};
    table.columns.push_back({answer.hasTokens ? "$" : "$/h", Align::Right});
    const RunUnit unit = answer.pick ? runUnitOf(Seconds(answer.pick->seconds)) : RunUnit{};
    if (answer.hasTokens) {
        table.columns.push_back({unit.name, Align::Right});
    }
    for (const char* title : {"tok/s", "kW"}) {
        table.columns.push_back({title, Align::Right});
    }
    if (!answer.targets.empty()) {
        table.columns.push_back({"target"});
    }
    table.columns.push_back({"best plan"});
    for (const SizedCluster& one : clusters) {
        std::vector<std::string> row = {
            sizedBoxText(one), grouped(one.nodes), grouped(one.gpus), usdText(one.usd)};
        if (answer.hasTokens) {
            row.push_back(amountText(one.seconds / unit.seconds));
        }
        row.push_back(wholeText(one.tokensPerSecond));
        row.push_back(kilowattText(one));
        if (!answer.targets.empty()) {
            row.emplace_back(sizeVerdictWord(one));
        }
        row.push_back(plansText(one));
        table.rows.push_back(std::move(row));
    }
    return table;
}

Table scalingTable(std::span<const ScalingPoint> points) {
    Table table{{{"nodes", Align::Right},
                 {"GPUs", Align::Right},
                 {"tok/s", Align::Right},
                 {"tok/s/GPU", Align::Right},
                 {"of added GPUs", Align::Right}},
                {}};
    if (std::ranges::any_of(points, [](const ScalingPoint& one) { return !one.why.empty(); })) {
        table.columns.push_back({""});
    }
    for (const ScalingPoint& point : points) {
        if (!point.why.empty()) {
            table.rows.push_back(
                {grouped(point.nodes), grouped(point.gpus), "-", "-", "-", point.why});
            continue;
        }
        table.rows.push_back({grouped(point.nodes),
                              grouped(point.gpus),
                              wholeText(point.tokensPerSecond),
                              wholeText(point.tokensPerSecond / static_cast<double>(point.gpus)),
                              point.ofAdded ? percentText(*point.ofAdded) : ""});
    }
    return table;
}

Table rentOrBuyTable(const RentOrBuy& both) {
    Table table{{{"years", Align::Right}, {"rent $", Align::Right}, {"buy $", Align::Right}}, {}};
    for (const RentOrBuyYear& year : both.years) {
        table.rows.push_back(
            {amountText(year.years), dollarText(year.rent.count()), dollarText(year.buy.count())});
    }
    return table;
}

}  // namespace fabricast
