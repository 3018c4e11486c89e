#include "cli/run_sweep.h"

#include "flags/question_arguments.h"
#include "planner/report/sweep_report.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

std::optional<std::string> environment(const char* name) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no threads yet
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

/// Keys that say the same in another way.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSame = {
    {{"cluster.nodes", "cluster.gpus"}, {"cluster.name", "cluster.gpu"}}};

bool saysTheSame(std::string_view a, std::string_view b) {
    return a == b || std::ranges::any_of(kSame, [&](const auto& same) {
               return (a == same.first && b == same.second) ||
                      (a == same.second && b == same.first);
           });
}

/// How far it is, and how it goes on.
std::string stoppedText(const SweepAnswer& answer, const std::string& file) {
    return "stopped: " + std::to_string(answer.done()) + " of " +
           std::to_string(answer.lines.size()) + " points are done; " +
           (file.empty() ? "--out points.jsonl keeps them, and goes on from them"
                         : "the same command goes on from " + file);
}

Result<Answer> printedSweep(const SweepAnswer& answer, Format format) {
    Answer printed;
    switch (format) {
        case Format::Json:
            for (const std::string& line : answer.lines) {
                printed.text += line.empty() ? "" : line + "\n";
            }
            return printed;
        case Format::Csv:
        case Format::Markdown: {
            FABRICAST_ASSIGN(
                const Table table,
                format == Format::Csv ? sweepNumbers(answer.lines) : sweepTable(answer.lines));
            printed.text = tableText(table, format);
            return printed;
        }
        case Format::Text:
            break;
    }
    FABRICAST_ASSIGN(printed.report, sweepReport(answer.lines));
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
    command.add("--sweep", flags.axes, what).takes("KEY=VALUES").oneEach().group(group);
    command.add("--out", flags.file, "keep the points of --sweep in this file, and go on from it")
        .takes("FILE")
        .group(group);
}

Error sweptTwice(const std::string& flag, const std::string& key) {
    return {Error::Code::BadInput,
            flag,
            "says what --sweep " + key + " says at every point",
            "leave out one of the two"};
}

Result<void> checkTypedBeside(const Question& question, const std::vector<SweepAxis>& axes) {
    for (const Edit& edit : question.edits) {
        if (edit.path == "search.top") {
            return fail(Error::Code::BadInput,
                        edit.origin,
                        "a sweep keeps the best of each point",
                        "leave it out, or ask about one point without --sweep");
        }
        for (const SweepAxis& axis : axes) {
            if (saysTheSame(edit.path, axis.key)) {
                return tl::unexpected(sweptTwice(edit.origin, axis.key));
            }
        }
    }
    return {};
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
    if (answer.stopped) {
        const std::string stopped = stoppedText(answer, file);
        if (printed.report) {
            printed.report->add("\n" + stopped + "\n");
        } else {
            printed.remarks.push_back(stopped);
        }
    }
    return printed;
}

}  // namespace fabricast
