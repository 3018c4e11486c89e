#include "planner/report/explanation_report.h"

#include "planner/report/cost_report.h"
#include "planner/report/memory_report.h"
#include "planner/report/sensitivity_report.h"
#include "planner/report/table.h"
#include "planner/report/time_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

namespace fabricast {
namespace {

/// What the first line begins with, where memory is not the first section.
std::string verdictStart(const Explanation& answer) {
    return answer.verdict ? std::string(verdictWord(*answer.verdict))
                          : "MEMORY NOT MODELLED (" + answer.whyNoVerdict + ")";
}

/// One level below the sum: sizes, operations and rate of each product of a layer.
Report productsReport(const std::vector<ProductTime>& products) {
    constexpr double kGiga = 1e9;
    constexpr double kTera = 1e12;
    if (products.empty()) {
        return {};
    }
    Table table{{{"  forward of a layer"},
                 {"m x n x k"},
                 {"GFLOP", Align::Right},
                 {"ms", Align::Right},
                 {"TFLOP/s", Align::Right}},
                {}};
    for (const ProductTime& one : products) {
        const double seconds = one.time.count();
        table.rows.push_back(
            {"  " + one.name,
             fmt::format("{} x {} x {}{}",
                         one.rows,
                         one.columns,
                         one.depth,
                         one.count > 1 ? fmt::format(", {} times", one.count) : ""),
             fmt::format("{:.1f}", one.flops() / kGiga),
             fmt::format("{:.3f}", 1e3 * seconds),
             fmt::format("{:.0f}", seconds > 0.0 ? one.flops() / seconds / kTera : 0.0)});
    }
    return std::move(Report().add(table));
}

std::string joinedSections(const std::vector<std::string>& sections) {
    std::string text;
    for (const std::string& section : sections) {
        text += (text.empty() ? "" : "\n") + section;
    }
    return text;
}

}  // namespace

Report explanationReport(const Explanation& answer, const ExplanationView& view) {
    std::vector<Report> sections;
    const auto subject = [&sections] { return sections.empty() ? Subject::Said : Subject::Left; };
    if (answer.memory) {
        const std::string formulas =
            view.formulas ? "\n" + memoryFormulas(*answer.memory) : std::string();
        sections.push_back(memoryReport(answer.scenario, *answer.memory).add(formulas));
    }
    if (answer.step && view.time) {
        sections.push_back(timeReport(answer.scenario, *answer.step, subject()));
    }
    if (answer.step && view.comm) {
        sections.push_back(commReport(answer.scenario, *answer.step, view.formulas, subject()));
    }
    if (answer.cost && view.cost) {
        sections.push_back(costReport(answer.scenario, *answer.cost, answer.basis, subject()));
    }
    if (answer.sensitivity) {
        sections.push_back(sensitivityReport(*answer.sensitivity));
    }
    Report report(answer.memory ? "" : verdictStart(answer) + "  ");
    for (const Report& section : sections) {
        report.add(&section == sections.data() ? "" : "\n").add(section);
    }
    return report;
}

std::string explanationMarkdown(const Explanation& answer, const ExplanationView& view) {
    std::vector<std::string> sections;
    if (answer.memory) {
        sections.push_back(memoryMarkdown(answer.scenario, *answer.memory));
    }
    if (answer.step && view.time) {
        sections.push_back(timeMarkdown(answer.scenario, *answer.step));
    }
    if (answer.step && view.comm) {
        sections.push_back(commMarkdown(answer.scenario, *answer.step));
    }
    if (answer.cost && view.cost) {
        sections.push_back(costMarkdown(answer.scenario, *answer.cost, answer.basis));
    }
    if (answer.sensitivity) {
        sections.push_back(sensitivityMarkdown(*answer.sensitivity));
    }
    return answer.memory ? joinedSections(sections)
                         : "**" + verdictStart(answer) + "** " + joinedSections(sections);
}

Result<std::string> explanationCsv(const Explanation& answer, const ExplanationView& view) {
    const std::array shown = {view.memory, view.time, view.comm, view.cost};
    const auto count = std::ranges::count(shown, true);
    if (answer.sensitivity && count == 0) {
        return sensitivityCsv(*answer.sensitivity);
    }
    if (count != 1) {
        return fail(Error::Code::BadInput,
                    "--section",
                    "csv holds one table",
                    "--section memory, time, comm or cost; or --format json for all");
    }
    if (view.time) {
        return timeCsv(*answer.step);
    }
    if (view.comm) {
        return commCsv(answer.scenario, *answer.step);
    }
    return view.cost ? costCsv(*answer.cost) : memoryCsv(*answer.memory);
}

namespace {

Error notAnswered(const std::string& key) {
    return {Error::Code::NotFound, "--why", key + " is not known here"};
}

Result<Report> whyOfKey(const Explanation& answer, const std::string& key) {
    if (isCostKey(key)) {
        if (!answer.cost) {
            return tl::unexpected(notAnswered(key));
        }
        FABRICAST_ASSIGN(
            std::string formula,
            costWhy(answer.scenario, answer.step->step, *answer.cost, answer.basis, key));
        return Report(std::move(formula));
    }
    if (!isTimeKey(key)) {
        if (!answer.memory) {
            return tl::unexpected(notAnswered(key));
        }
        Result<std::string> formula = memoryWhy(*answer.memory, key);
        if (!formula && !formula.error().hint.empty()) {
            formula.error().hint +=
                "; of the step: time.step, time.gemm, …; of the money: cost.usd_per_mtok, …; or "
                "the "
                "name of a row: \"matrix products\"";
        }
        return formula.map([](const std::string& text) { return Report(text); });
    }
    if (!answer.step) {
        return tl::unexpected(notAnswered(key));
    }
    FABRICAST_ASSIGN(std::string formula, timeWhy(answer.scenario, *answer.step, key));
    Report report(std::move(formula));
    return key == "time.gemm" ? std::move(report.add(productsReport(answer.products)))
                              : std::move(report);
}

}  // namespace

Result<Report> explanationWhy(const Explanation& answer, const std::string& asked) {
    Report report;
    std::optional<Error> first;
    bool isKnown = false;
    const std::vector<std::string> keys = whyKeys(asked);
    for (const std::string& key : keys) {
        Result<Report> one = whyOfKey(answer, key);
        if (one) {
            report.add(*one);
            isKnown = true;
        } else if (!first) {
            first = std::move(one).error();
        }
    }
    if (!isKnown && answer.step && keys.front().find('.') == std::string::npos) {
        Result<Report> calls = whyOfKey(answer, "comm." + keys.front());
        if (calls) {
            return calls;
        }
    }
    return isKnown ? Result<Report>(std::move(report)) : tl::unexpected(*std::move(first));
}

}  // namespace fabricast
