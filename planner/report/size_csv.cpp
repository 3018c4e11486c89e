#include "planner/report/check_words.h"
#include "planner/report/durations.h"
#include "planner/report/plan_views.h"
#include "planner/report/size_report.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <optional>
#include <string>

namespace fabricast {

std::string sizeCsv(const SizeAnswer& answer) {
    const std::string usd = answer.hasTokens ? "usd" : "usd_per_hour";
    Table table{{{"box"},
                 {"fabric"},
                 {"nodes"},
                 {"gpus"},
                 {usd},
                 {usd + "_lo"},
                 {usd + "_hi"},
                 {"days"},
                 {"days_lo"},
                 {"days_hi"},
                 {"tokens_per_s"},
                 {"tokens_per_s_lo"},
                 {"tokens_per_s_hi"},
                 {"verdict"},
                 {"watts"},
                 {"stacks"},
                 {"layouts"}},
                {}};
    const auto number = [](std::optional<double> value) {
        return value ? fmt::format("{:.9g}", *value) : std::string();
    };
    for (const SizedCluster& one : answer.front) {
        std::string stacks;
        std::string layouts;
        for (const Plan& plan : one.plans) {
            stacks += (stacks.empty() ? "" : ";") + plan.scenario.stack;
            layouts += (layouts.empty() ? "" : ";") + planLayoutText(plan.scenario);
        }
        table.rows.push_back(
            {one.box,
             one.fabric,
             std::to_string(one.nodes),
             std::to_string(one.gpus),
             number(one.usd),
             one.usdRange ? number(one.usdRange->lo) : "",
             one.usdRange ? number(one.usdRange->hi) : "",
             answer.hasTokens ? number(one.seconds / kDay) : "",
             answer.hasTokens ? number(one.secondsRange.lo / kDay) : "",
             answer.hasTokens ? number(one.secondsRange.hi / kDay) : "",
             number(one.tokensPerSecond),
             number(one.tokensRange.lo),
             number(one.tokensRange.hi),
             std::string(nameOf(one.isSure() ? CheckVerdict::Holds : CheckVerdict::CannotTell)),
             one.power ? number(one.power->count()) : "",
             stacks,
             layouts});
    }
    return csvText(table);
}

}  // namespace fabricast
