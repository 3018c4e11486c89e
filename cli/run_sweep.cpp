#include "cli/run_sweep.h"

#include "flags/question_arguments.h"
#include "planner/report/sweep_report.h"
#include "study/sweep_rows.h"

#include <cstdlib>
#include <optional>

namespace fabricast {
namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// What may fail, as lines of a file can be anything.
Result<Answer> printedSweep(const SweepAnswer& answer, Format format) {
    Answer printed;
    if (format == Format::Json) {
        for (const std::string& line : answer.lines) {
            printed.text += line.empty() ? "" : line + "\n";
        }
    } else if (format == Format::Text) {
        FABRICAST_ASSIGN(printed.report, sweepReport(answer.lines));
    } else {
        FABRICAST_ASSIGN(
            const Table table,
            format == Format::Csv ? sweepNumbers(answer.lines) : sweepTable(answer.lines));
        printed.text = tableText(table, format);
    }
    return printed;
}

Result<ExitCode> sweepCode(const SweepAnswer& answer) {
    if (answer.stopped) {
        return ExitCode::Interrupted;
    }
    FABRICAST_ASSIGN(const std::size_t answered, answeredPoints(answer.lines));
    return answered == 0 && answer.isWhole() ? ExitCode::DoesNotFit : ExitCode::Ok;
}

}  // namespace

void addSweepFlags(const FlagSet& command, TypedSweep& flags, const char* what, const char* group) {
    command.add("--sweep", flags.axes, what)
        .takes("KEY=VALUES", "cluster.nodes=1,2,4")
        .oneEach()
        .group(group);
    command.add("--out", flags.file, "keep the points of --sweep in this file, and go on from it")
        .takes("FILE", "sweep.json")
        .group(group);
}

Result<Answer> runSweep(const SweepWork& work,
                        const std::vector<SweepAxis>& axes,
                        const std::string& file,
                        const GlobalOptions& options) {
    FABRICAST_ASSIGN(const SweepShard shard, shardOf(&environment));
    if (shard.count > 1 && file.empty()) {
        return fail(Error::Code::BadInput,
                    "--sweep",
                    "is one of " + std::to_string(shard.count) + " ranks, which share no file",
                    "--out points.jsonl");
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const SweepStore store{.file = file.empty() ? "" : options.at(file), .shard = shard};
    FABRICAST_ASSIGN(const SweepAnswer answer, sweep(work, axes, store, bench, options.watch()));
    FABRICAST_ASSIGN(Answer printed, printedSweep(answer, options.format));
    FABRICAST_ASSIGN(printed.code, sweepCode(answer));
    if (!answer.note.empty()) {
        printed.remarks.push_back(answer.note);
    }
    const std::string missing = answer.stopped    ? stoppedText(answer, file)
                                : shard.count > 1 ? shardText(answer, {file, shard})
                                                  : "";
    if (printed.report && !missing.empty()) {
        printed.report->add("\n" + missing + "\n");
    } else if (!missing.empty()) {
        printed.remarks.push_back(missing);
    }
    return printed;
}

}  // namespace fabricast
