#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/plain_number.h"
#include "planner/report/table.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

namespace fabricast {
namespace {

constexpr std::string_view kCostPrefix = "cost.";

/// Everything that a formula's numbers come from.
struct Asked {
    const Scenario& scenario;
    const Headline<Seconds>& step;
    const RunCost& cost;
    const CostBasis& basis;

    [[nodiscard]] double tokensPerStep() const {
        return static_cast<double>(scenario.workload.globalBatch) *
               static_cast<double>(scenario.workload.sequence);
    }
};

std::string num(double value) {
    constexpr int kDigits = 6;
    return plainNumber(value, kDigits);
}

std::string costSeconds(Seconds time) {
    return num(time.count()) + " s";
}

Result<std::string> unknown(std::string_view key, const std::string& why, const std::string& hint) {
    return fail(Error::Code::NotFound, "--why", std::string(key) + " is not known: " + why, hint);
}

Result<std::string> noPrice(std::string_view key, const Asked& asked) {
    return asked.cost.gpuHour.price
               ? unknown(key, "failures occur faster than the run recovers", "--mtbf 50000h")
               : unknown(key, asked.basis.why, asked.basis.hint);
}

Result<std::string> noTokens(std::string_view key) {
    return unknown(key, "the number of tokens of the run is not known", "--tokens 15T");
}

std::string sixDigitDollars(Usd amount) {
    return "$" + num(amount.count());
}

/// Where the terms of a formula are from that have formulas of their own.
std::string termSources(std::string_view keys) {
    return fmt::format("  terms: --why {}\n", keys);
}

std::string hourSource(const Asked& asked) {
    return fmt::format("  source: ${}/h of a GPU, {} price of {}\n",
                       num(asked.cost.gpuHour.price->count()),
                       nameOf(asked.basis.kind),
                       sourceText(asked.basis));
}

std::string powerSource(const Asked& asked) {
    return fmt::format("  source: {} W of a GPU, site {}\n",
                       num(asked.cost.power.perGpu->value.count()),
                       asked.basis.site);
}

Result<std::string> usdPerMtok(const Asked& asked) {
    if (!asked.cost.perMtok) {
        return noPrice("cost.usd_per_mtok", asked);
    }
    return fmt::format(
        "cost.usd_per_mtok = {}\n  {} GPUs x {} a step / {} tokens a step / {} goodput x ${}/h / "
        "3,600 s an hour x 1,000,000 tokens\n{}{}",
        sixDigitDollars(asked.cost.perMtok->value),
        asked.basis.gpus,
        costSeconds(asked.step.value),
        num(asked.tokensPerStep()),
        num(asked.cost.goodput.share.value),
        num(asked.cost.gpuHour.price->count()),
        hourSource(asked),
        termSources("time.step, cost.goodput, cost.usd_per_gpu_hour"));
}

Result<std::string> kwhPerMtok(const Asked& asked) {
    if (!asked.cost.energyPerMtok) {
        return unknown("cost.kwh_per_mtok", "the power of this GPU is not known", "");
    }
    return fmt::format(
        "cost.kwh_per_mtok = {} kWh\n  {} GPUs x {} a step / {} tokens a step / {} goodput x {} W "
        "/ "
        "3,600,000 J a kWh x 1,000,000 tokens\n{}{}",
        num(asked.cost.energyPerMtok->value.count() / kKwh),
        asked.basis.gpus,
        costSeconds(asked.step.value),
        num(asked.tokensPerStep()),
        num(asked.cost.goodput.share.value),
        num(asked.cost.power.perGpu->value.count()),
        powerSource(asked),
        termSources("time.step, cost.goodput, cost.watts_per_gpu"));
}

Result<std::string> goodput(const Asked& asked) {
    const Goodput& good = asked.cost.goodput;
    std::string text = fmt::format("cost.goodput = {}\n", num(good.share.value));
    for (std::size_t level = 0; level < good.count; ++level) {
        const CheckpointCycle& cycle = good.cycles[level];
        text += std::isinf(cycle.mtbf.count())
                    ? fmt::format("  t / (t + d), t = {}, d = {}\n",
                                  costSeconds(cycle.interval),
                                  costSeconds(cycle.blocking))
                    : fmt::format(
                          "  t / (M e^(R/M) (e^((t+d)/M) - 1)), t = {}, d = {}, R = {}, M = {}\n",
                          costSeconds(cycle.interval),
                          costSeconds(cycle.blocking),
                          costSeconds(cycle.recovery),
                          costSeconds(cycle.mtbf));
    }
    return text;
}

Result<std::string> mtbf(const Asked& asked) {
    const auto gpus = static_cast<double>(asked.basis.gpus);
    const double job = asked.cost.goodput.mtbf.count();
    return fmt::format(
        "cost.mtbf = {} s\n  {} h of a GPU x 3,600 s an hour / {} GPUs\n  source: site {}\n",
        num(job),
        num(job * gpus / kHour),
        asked.basis.gpus,
        asked.basis.site);
}

Result<std::string> checkpoint(const Asked& asked) {
    const Goodput& good = asked.cost.goodput;
    return fmt::format(
        "cost.checkpoint = {} B ({})\n  weights, master weights and moments of every trained "
        "parameter, once\n  a rank's share of {} takes {} to host memory and {} to storage\n",
        grouped(good.checkpoint.count()),
        shortText(good.checkpoint),
        shortText(Bytes(good.checkpoint.count() / asked.basis.gpus)),
        costSeconds(good.snapshot),
        costSeconds(good.write));
}

Result<std::string> gpuHour(const Asked& asked) {
    const GpuHour& hour = asked.cost.gpuHour;
    if (!hour.price) {
        return noPrice("cost.usd_per_gpu_hour", asked);
    }
    const std::string parts = asked.basis.kind == PriceKind::Owned
                                  ? fmt::format("${}/h written off{} + ${}/h electricity",
                                                num(hour.hardware.count()),
                                                ownershipText(asked.basis),
                                                num(hour.electricity.count()))
                                  : fmt::format("{} price", nameOf(asked.basis.kind));
    return fmt::format("cost.usd_per_gpu_hour = ${}\n  {}\n  source: {}{}{}\n",
                       num(hour.price->count()),
                       parts,
                       sourceText(asked.basis),
                       asked.basis.priceTitle.empty() ? "" : ", " + asked.basis.priceTitle,
                       asked.basis.priceNote.empty() ? "" : ": " + asked.basis.priceNote);
}

Result<std::string> power(const Asked& asked) {
    const RunPower& drawn = asked.cost.power;
    if (!drawn.perGpu) {
        return unknown("cost.watts_per_gpu", "the power of this GPU is not known", "");
    }
    return fmt::format(
        "cost.watts_per_gpu = {} W\n  pue x (training_share x {} W of the node{} - gpu_swing x its "
        "GPUs' power x {} waiting) / {} GPUs\n  source: site {}\n",
        num(drawn.perGpu->value.count()),
        num(drawn.nodeRated.count()),
        drawn.nodeEstimated      ? " (node_over_gpus x its GPUs)"
        : drawn.nodeLike.empty() ? std::string()
                                 : " (the share of " + drawn.nodeLike + ")",
        num(1.0 - drawn.busy),
        asked.scenario.cluster.node.gpus,
        asked.basis.site);
}

Result<std::string> timeOfRun(const Asked& asked) {
    const auto tokens = static_cast<double>(asked.basis.tokens->count());
    return fmt::format(
        "cost.days = {} d\n  {} tokens of the run / {} tokens a step x {} a step / "
        "{} goodput / 86,400 s a day\n{}",
        num(asked.cost.run->wall.value.count() / kDay),
        num(tokens),
        num(asked.tokensPerStep()),
        costSeconds(asked.step.value),
        num(asked.cost.goodput.share.value),
        termSources("time.step, cost.goodput"));
}

Result<std::string> gpuHours(const Asked& asked) {
    return fmt::format("cost.gpu_hours = {} h\n  {} GPUs x {} d x 24 h a day\n{}",
                       num(asked.cost.run->gpuTime.value.count() / kHour),
                       asked.basis.gpus,
                       num(asked.cost.run->wall.value.count() / kDay),
                       termSources("cost.days"));
}

Result<std::string> priceOfRun(const Asked& asked) {
    if (!asked.cost.run->price) {
        return noPrice("cost.usd_per_run", asked);
    }
    return fmt::format("cost.usd_per_run = {}\n  {} GPU-hours x ${}/h\n{}{}",
                       sixDigitDollars(asked.cost.run->price->value),
                       num(asked.cost.run->gpuTime.value.count() / kHour),
                       num(asked.cost.gpuHour.price->count()),
                       hourSource(asked),
                       termSources("cost.gpu_hours, cost.usd_per_gpu_hour"));
}

Result<std::string> energyOfRun(const Asked& asked) {
    if (!asked.cost.run->energy) {
        return unknown("cost.kwh", "the power of this GPU is not known", "");
    }
    return fmt::format("cost.kwh = {} kWh\n  {} GPU-hours x {} W / 1,000 W a kW\n{}{}",
                       num(asked.cost.run->energy->value.count() / kKwh),
                       num(asked.cost.run->gpuTime.value.count() / kHour),
                       num(asked.cost.power.perGpu->value.count()),
                       powerSource(asked),
                       termSources("cost.gpu_hours, cost.watts_per_gpu"));
}

struct CostKey {
    std::string_view name;
    Result<std::string> (*why)(const Asked&);
    bool ofRun = false;  ///< needs a number of tokens
};
constexpr std::array kKeys = {CostKey{"usd_per_mtok", &usdPerMtok},
                              CostKey{"kwh_per_mtok", &kwhPerMtok},
                              CostKey{"goodput", &goodput},
                              CostKey{"mtbf", &mtbf},
                              CostKey{"checkpoint", &checkpoint},
                              CostKey{"usd_per_gpu_hour", &gpuHour},
                              CostKey{"watts_per_gpu", &power},
                              CostKey{"days", &timeOfRun, true},
                              CostKey{"gpu_hours", &gpuHours, true},
                              CostKey{"usd_per_run", &priceOfRun, true},
                              CostKey{"kwh", &energyOfRun, true}};

std::string knownCostKeys() {
    std::string text;
    for (const CostKey& key : kKeys) {
        text +=
            (text.empty() ? "one of: " : ", ") + std::string(kCostPrefix) + std::string(key.name);
    }
    return text;
}

}  // namespace

bool isCostKey(std::string_view key) {
    return key == "cost" || key.starts_with(kCostPrefix);
}

Result<std::string> costWhy(const Scenario& scenario,
                            const Headline<Seconds>& step,
                            const RunCost& cost,
                            const CostBasis& basis,
                            std::string_view key) {
    const Asked asked{scenario, step, cost, basis};
    const std::string_view name = key.starts_with(kCostPrefix) ? key.substr(kCostPrefix.size())
                                                               : std::string_view("usd_per_mtok");
    for (const CostKey& entry : kKeys) {
        if (entry.name != name) {
            continue;
        }
        if (entry.ofRun && !cost.run) {
            return basis.tokens
                       ? unknown(
                             key, "failures occur faster than the run recovers", "--mtbf 50000h")
                       : noTokens(key);
        }
        return entry.why(asked);
    }
    return fail(Error::Code::NotFound,
                "--why",
                "unknown number \"" + std::string(key) + "\"",
                knownCostKeys());
}

}  // namespace fabricast
