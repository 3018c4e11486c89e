#include "planner/backtest/backtest_runs.h"
#include "planner/ops/parameters.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

namespace fabricast {
namespace {

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

/// One of the last digit that is given: 0.1 of 8.3, 1 of 405. Sources round, and cut.
double lastDigitOf(double billions) {
    std::array<char, 32> text{};
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), billions, std::chars_format::fixed);
    const std::string_view digits(text.data(), end.ptr);
    const std::size_t point = digits.find('.');
    return point == std::string_view::npos
               ? 1.0
               : std::pow(10.0, -static_cast<double>(digits.size() - point - 1));
}

/// What a source may call the size of a model, in billions: without its tables of tokens and
/// positions, and with a head of its own.
struct SizeRange {
    double least = 0.0;
    double most = 0.0;
};

SizeRange sizesOf(const ModelSpec& model) {
    const ParameterCount count = countParameters(model);
    const std::int64_t tables = count.embedding + count.position + count.head;
    const std::int64_t head = count.head == 0 ? count.embedding : 0;
    return {.least = static_cast<double>(count.total - tables) / 1e9,
            .most = static_cast<double>(count.total + head) / 1e9};
}

/// "params_b of dgxc-0001: 1, and its model has 406 billion parameters"; empty where they agree.
std::string doubtOfSize(const PublishedRun& run, const RunCatalog& catalog) {
    const double said = run.billions.value_or(0.0);
    const Result<ModelSpec> model =
        said > 0 ? catalog.modelOf(run) : Result<ModelSpec>(fail(Error::Code::BadInput, "", ""));
    if (!model) {
        return {};
    }
    const SizeRange sizes = sizesOf(*model);
    const double rounded = lastDigitOf(said);
    if (said >= sizes.least - rounded && said <= sizes.most + rounded) {
        return {};
    }
    const double has = static_cast<double>(countParameters(*model).total) / 1e9;
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
