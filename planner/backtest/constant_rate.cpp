#include "planner/backtest/backtest_runs.h"
#include "planner/backtest/error_spread.h"

#include <map>
#include <string>
#include <utility>

namespace fabricast {

namespace {

struct Rate {
    const std::string* source = nullptr;
    double flopsPerSecond = 0.0;
};
using Rates = std::vector<Rate>;

std::vector<double> ofOthers(const Rates& rates, const std::string& source) {
    std::vector<double> others;
    for (const Rate& rate : rates) {
        if (*rate.source != source) {
            others.push_back(rate.flopsPerSecond);
        }
    }
    return others;
}

}  // namespace

void addConstantRate(std::vector<BacktestRow>& rows) {
    std::map<std::pair<std::string, std::string>, Rates> byStack;
    std::map<std::string, Rates> byGpu;
    for (const BacktestRow& row : rows) {
        if (row.counted && row.modelFlops && row.measuredStep && *row.measuredStep > 0) {
            const Rate rate{&row.source, *row.modelFlops / *row.measuredStep};
            byStack[{row.gpu, row.stack}].push_back(rate);
            byGpu[row.gpu].push_back(rate);
        }
    }
    for (BacktestRow& row : rows) {
        if (!row.modelFlops) {
            continue;
        }
        std::vector<double> rates = ofOthers(byStack[{row.gpu, row.stack}], row.source);
        if (rates.empty()) {
            rates = ofOthers(byGpu[row.gpu], row.source);
        }
        if (const double rate = quantileOf(std::move(rates), 0.5); rate > 0) {
            row.constantRateStep = *row.modelFlops / rate;
        }
    }
}

}  // namespace fabricast
