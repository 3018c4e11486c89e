#include "cli/calibrate_run.h"

#include "cli/child_process.h"
#include "cli/shell_word.h"
#include "planner/base/units.h"
#include "planner/report/duration_text.h"
#include "probes/record/probe_program.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <utility>

namespace fabricast {
namespace {

/// A probe needs a moment to end after its own time is up; then it hangs.
constexpr double kOverrunSeconds = 60.0;
constexpr double kGraceSeconds = 60.0;
constexpr double kListSeconds = 60.0;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::vector<std::string> withSuite(const ProbeRun& run, const CalibrateRequest& request) {
    std::vector<std::string> command = run.command;
    command.insert(command.end(), {"--suite", request.suite});
    return command;
}

bool isFile(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored);
}

class Conductor {
public:
    Conductor(const CalibratePlan& plan,
              const CalibrateRequest& request,
              const GlobalOptions& options)
        : plan_(plan), request_(request), options_(options), end_(now() + request.seconds) {}

    CalibrateOutcome run() && {
        for (std::size_t number = 0; number < plan_.runs.size(); ++number) {
            const ProbeRun& each = plan_.runs[number];
            outcome_.engines.push_back({.engine = each.engine, .record = each.record});
            if (outcome_.code != ExitCode::Interrupted) {
                measure(each, number);
            }
            if (isFile(each.record)) {
                outcome_.records.push_back(each.record);
            }
        }
        if (options_.status) {
            options_.status("");
        }
        return std::move(outcome_);
    }

private:
    using Status = EngineOutcome::Status;

    /// Of the time left, by the weights of those that have not run.
    [[nodiscard]] double shareOf(std::size_t number) const {
        double weights = 0.0;
        for (std::size_t at = number; at < plan_.runs.size(); ++at) {
            weights += plan_.runs[at].weight;
        }
        return std::max(1.0, (end_ - now()) * plan_.runs[number].weight / weights);
    }

    void measure(const ProbeRun& run, std::size_t number) {
        const double seconds = std::ceil(shareOf(number));
        ChildRequest child{.command = withSuite(run, request_),
                           .environments = run.environments,
                           .mostSeconds = seconds + kOverrunSeconds,
                           .silentSeconds = request_.silentSeconds,
                           .graceSeconds = kGraceSeconds,
                           .interrupted = options_.interrupted};
        child.command.insert(child.command.end(),
                             {"--time-budget",
                              std::to_string(static_cast<long>(seconds)) + "s",
                              "--out",
                              run.record});
        child.onError = [&](std::string_view line) { show(run, number, line); };
        show(run, number, "starts");
        const Result<ChildOutcome> ended = runChild(child);
        if (!ended) {
            remark(run, Status::Failed, ended.error().text(), ExitCode::Environment);
        } else {
            judge(run, *ended);
        }
    }

    void show(const ProbeRun& run, std::size_t number, std::string_view line) const {
        if (!options_.status) {
            return;
        }
        const double left = std::max(0.0, end_ - now());
        options_.status(std::to_string(number + 1) + "/" + std::to_string(plan_.runs.size()) + " " +
                        run.engine + " (" + durationText(Seconds(left)) +
                        " left of all): " + std::string(line));
    }

    void judge(const ProbeRun& run, const ChildOutcome& ended) {
        using End = ChildOutcome::End;
        if (ended.end == End::Interrupted ||
            (ended.end == End::Exited && ended.code == probe::kInterrupted)) {
            outcome_.engines.back().status = Status::Interrupted;
            outcome_.remarks.push_back(run.engine +
                                       ": interrupted; what was measured is kept, and the same "
                                       "command goes on");
            outcome_.code = ExitCode::Interrupted;
            return;
        }
        if (ended.end == End::Exited && ended.code == probe::kDone) {
            outcome_.engines.back().status = Status::Measured;
            if (!ended.lastLines.empty()) {
                outcome_.remarks.push_back(ended.lastLines.back());
            }
            return;
        }
        // A launcher that could not start anything also ends with 1.
        const bool wrong =
            ended.end == End::Exited && ended.code == probe::kWrongResults && isFile(run.record);
        const bool badInput = ended.end == End::Exited && ended.code == probe::kBadInput;
        remark(run,
               wrong                         ? Status::WrongResults
               : badInput                    ? Status::BadInput
               : ended.end == End::Stalled   ? Status::Stalled
               : ended.end == End::OutOfTime ? Status::OutOfTime
                                             : Status::Failed,
               (wrong ? "computed wrong results: it " : "") + endText(ended),
               wrong      ? ExitCode::DoesNotFit
               : badInput ? ExitCode::BadInput
                          : ExitCode::Environment);
    }

    void remark(const ProbeRun& run, Status status, const std::string& why, ExitCode code) {
        outcome_.engines.back().status = status;
        outcome_.engines.back().why = why;
        outcome_.remarks.push_back(run.engine + ": " + commandText(run.command) + " " + why);
        // The gravest of several.
        outcome_.code = std::max(outcome_.code, code);
    }

    const CalibratePlan& plan_;
    const CalibrateRequest& request_;
    const GlobalOptions& options_;
    double end_;
    CalibrateOutcome outcome_;
};

}  // namespace

std::string commandText(const std::vector<std::string>& command) {
    std::string text;
    for (const std::string& word : command) {
        text += (text.empty() ? "" : " ") + shellWord(word);
    }
    return text;
}

CalibrateOutcome runCalibration(const CalibratePlan& plan,
                                const CalibrateRequest& request,
                                const GlobalOptions& options) {
    return Conductor(plan, request, options).run();
}

Result<std::vector<PlannedRun>> listCalibration(const CalibratePlan& plan,
                                                const CalibrateRequest& request,
                                                const GlobalOptions& options) {
    std::vector<PlannedRun> runs;
    for (const ProbeRun& run : plan.runs) {
        ChildRequest child{.command = withSuite(run, request),
                           .mostSeconds = kListSeconds,
                           .interrupted = options.interrupted};
        child.command.emplace_back("--dry-run");
        if (!run.environments.empty()) {
            child.environments = {run.environments.front()};
        }
        FABRICAST_ASSIGN(const ChildOutcome ended, runChild(child));
        if (ended.end != ChildOutcome::End::Exited || ended.code != 0) {
            return fail(Error::Code::Environment,
                        run.engine,
                        commandText(child.command) + " " + endText(ended));
        }
        PlannedRun planned{
            .engine = run.engine, .command = std::move(child.command), .record = run.record};
        std::istringstream lines(ended.out);
        for (std::string line; std::getline(lines, line);) {
            planned.points.push_back(line);
        }
        runs.push_back(std::move(planned));
    }
    return runs;
}

}  // namespace fabricast
