#include "planner/report/model_report.h"

#include "planner/report/table.h"

#include <fmt/format.h>

namespace fabricast {
namespace {

std::string share(std::int64_t part, std::int64_t total) {
    return total > 0 ? fmt::format("{:.2f} %",
                                   100.0 * static_cast<double>(part) / static_cast<double>(total))
                     : "";
}

/// The components that a model has.
Table parameterTable(const ModelFacts& facts) {
    Table table{{{"component"}, {"parameters", Align::Right}, {"share", Align::Right}}, {}};
    for (const PartFact& part : facts.parts) {
        if (part.parameters != 0) {
            table.rows.push_back(
                {std::string(part.key),
                 grouped(part.parameters),
                 part.inTotal ? share(part.parameters, facts.count.total) : "not in the total"});
        }
    }
    table.rows.push_back({"total", grouped(facts.count.total), ""});
    if (facts.count.active != facts.count.total) {
        table.rows.push_back({"active per token",
                              grouped(facts.count.active),
                              share(facts.count.active, facts.count.total)});
    }
    return table;
}

Table flopsTable(const ModelFacts& facts) {
    Table table{{{"convention"}, {"FLOPs per token", Align::Right}, {"formula"}}, {}};
    for (const FlopsFact& fact : facts.flops) {
        const std::string number =
            fact.perToken ? fmt::format("{:.4e}", fact.perToken->count()) : "-";
        table.rows.push_back({std::string(fact.convention),
                              number,
                              fact.perToken ? std::string(fact.formula) : fact.why});
    }
    return table;
}

std::string titleText(const ModelFacts& facts) {
    std::string text =
        fmt::format("{}  {} parameters", facts.model.name, grouped(facts.count.total));
    if (facts.count.active != facts.count.total) {
        text += fmt::format(", {} active per token", grouped(facts.count.active));
    }
    return text;
}

std::string publishedText(const ModelFacts& facts) {
    if (!facts.published) {
        return {};
    }
    const std::int64_t difference = facts.count.total - *facts.published;
    return fmt::format(
        "published: {} ({}){}\n",
        grouped(*facts.published),
        facts.publishedSource,
        difference == 0 ? ", the same" : ", this count has " + grouped(difference) + " more");
}

std::string flopsTitle(const ModelFacts& facts) {
    return fmt::format("FLOPs per token, forward and backward, at sequence {}", facts.sequence);
}

std::string modelNotes(const ModelSpec& model) {
    std::string text;
    for (const std::string& note : model.notes) {
        text += (text.empty() ? "\n" : "") + note + "\n";
    }
    return text;
}

}  // namespace

std::string modelText(const ModelFacts& facts) {
    return titleText(facts) + "\n" + publishedText(facts) + "\n" +
           alignedText(parameterTable(facts)) + "\n" + flopsTitle(facts) + "\n" +
           alignedText(flopsTable(facts)) + modelNotes(facts.model);
}

std::string modelMarkdown(const ModelFacts& facts) {
    return "**" + titleText(facts) + "**\n\n" + publishedText(facts) + "\n" +
           markdownText(parameterTable(facts)) + "\n" + flopsTitle(facts) + ":\n\n" +
           markdownText(flopsTable(facts));
}

std::string modelCsv(const ModelFacts& facts) {
    Table table{{{"name"}, {"kind"}, {"value"}}, {}};
    for (const PartFact& part : facts.parts) {
        table.rows.push_back(
            {std::string(part.key), "parameters", std::to_string(part.parameters)});
    }
    table.rows.push_back({"total", "parameters", std::to_string(facts.count.total)});
    table.rows.push_back({"active", "parameters", std::to_string(facts.count.active)});
    for (const FlopsFact& fact : facts.flops) {
        table.rows.push_back({std::string(fact.convention),
                              "flops_per_token",
                              fact.perToken ? fmt::format("{}", fact.perToken->count()) : ""});
    }
    return csvText(table);
}

}  // namespace fabricast
