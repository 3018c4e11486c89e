#include "cli/plan_sweep.h"

#include "cli/question_arguments.h"
#include "planner/report/sweep_report.h"
#include "study/sweep.h"

#include <cstdlib>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<std::string> printedSweep(const SweepAnswer& answer, Format format) {
    if (format == Format::Json) {
        std::string text;
        for (const std::string& line : answer.lines) {
            text += line.empty() ? "" : line + "\n";
        }
        return text;
    }
    FABRICAST_ASSIGN(const Table table, sweepTable(answer.lines));
    switch (format) {
        case Format::Csv:
            return csvText(table);
        case Format::Markdown:
            return markdownText(table);
        default:
            return alignedText(table);
    }
}

}  // namespace

Result<Answer> runSweep(const Question& question,
                        const std::vector<std::string>& typed,
                        const std::string& file,
                        const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<SweepAxis> axes, readSweep(typed));
    FABRICAST_ASSIGN(const SweepShard shard, shardOf(&environment));
    if (shard.count > 1 && file.empty()) {
        return fail(Error::Code::BadInput,
                    "--sweep",
                    "is one of " + std::to_string(shard.count) + " ranks, which share no file",
                    "--out points.jsonl");
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const SweepStore store{.file = file.empty() ? "" : options.at(file), .shard = shard};
    FABRICAST_ASSIGN(const SweepAnswer answer,
                     sweep(question, axes, store, bench, options.watch()));
    Answer printed;
    FABRICAST_ASSIGN(printed.text, printedSweep(answer, options.format));
    return printed;
}

}  // namespace fabricast
