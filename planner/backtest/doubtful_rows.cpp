#include "planner/backtest/doubtful_rows.h"

#include "planner/ops/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <map>

namespace fabricast {
namespace {

/// Sources round, count no embedding, or name a model by a larger one; no more than by this.
constexpr double kSameModel = 1.5;

void addIds(const std::vector<PublishedRun>& runs, std::vector<std::string>& doubts) {
    std::map<std::string, std::size_t> rows;
    for (const PublishedRun& run : runs) {
        ++rows[run.id];
    }
    for (const auto& [id, count] : rows) {
        if (count > 1) {
            doubts.push_back("id \"" + id + "\" stands in " + std::to_string(count) +
                             " rows, and names none of them");
        }
    }
}

std::string billionsText(double billions) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(
        text.data(), text.data() + text.size(), billions, std::chars_format::general, 3);
    return {text.data(), end.ptr};
}

/// "params_b of dgxc-0001: 1, and its model has 406 billion parameters"; empty where they agree.
std::string doubtOfSize(const PublishedRun& run, const RunCatalog& catalog) {
    const double said = run.billions.value_or(0.0);
    const Result<ModelSpec> model =
        said > 0 ? catalog.modelOf(run) : Result<ModelSpec>(fail(Error::Code::BadInput, "", ""));
    const double has = model ? static_cast<double>(countParameters(*model).total) / 1e9 : said;
    if (std::max(said, has) <= kSameModel * std::min(said, has)) {
        return {};
    }
    return "params_b of " + run.id + ": " + billionsText(said) + ", and its model has " +
           billionsText(has) + " billion parameters";
}

void addSizes(const std::vector<PublishedRun>& runs,
              const RunCatalog& catalog,
              std::vector<std::string>& doubts) {
    std::string first;
    std::size_t rows = 0;
    for (const PublishedRun& run : runs) {
        if (const std::string doubt = doubtOfSize(run, catalog); !doubt.empty()) {
            first = first.empty() ? doubt : first;
            ++rows;
        }
    }
    if (rows > 0) {
        const std::string others = std::to_string(rows - 1);
        doubts.push_back(first + (rows > 1 ? " (and " + others + " more rows like it)" : ""));
    }
}

}  // namespace

std::vector<std::string> doubtsOf(const std::vector<PublishedRun>& runs,
                                  const RunCatalog& catalog) {
    std::vector<std::string> doubts;
    addIds(runs, doubts);
    addSizes(runs, catalog, doubts);
    return doubts;
}

}  // namespace fabricast
