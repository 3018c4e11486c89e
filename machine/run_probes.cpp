#include "machine/run_probes.h"

#include "machine/child_process.h"
#include "machine/listening_socket.h"
#include "planner/base/units.h"
#include "planner/report/durations.h"
#include "planner/text/shell_text.h"
#include "probes/record/probe_program.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <sstream>
#include <utility>

namespace fabricast {
namespace {

/// How long a probe may take to end after its own time is up; then it hangs.
constexpr double kOverrunSeconds = 60.0;
constexpr double kGraceSeconds = 60.0;
constexpr double kListSeconds = 60.0;
/// What a probe gets where the others have left it nothing, and what one needs to measure at all.
constexpr double kLeastSeconds = 0.1;
constexpr double kUsefulSeconds = 1.0;

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::vector<std::string> withSuite(const ProbeRun& run, const MeasureAsk& ask) {
    std::vector<std::string> command = run.command;
    command.insert(command.end(), {"--suite", ask.suite});
    return command;
}

/// Not the empty file that another writer has made and locked.
bool isRecord(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error) &&
           std::filesystem::file_size(path, error) > 0 && !error;
}

/// A secret that the ranks share, so that nobody else can join them.
Result<std::string> randomToken() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
        return fail(Error::Code::Environment, "", "the system has no random numbers");
    }
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string token;
    for (const unsigned char byte : bytes) {
        token += {kDigits[byte >> 4U], kDigits[byte & 15U]};
    }
    return token;
}

/// Rank 0 gets a socket that listens already, so that nobody can take its port in between.
Result<void> addRendezvous(ChildRequest& child) {
    FABRICAST_ASSIGN(ListeningSocket listener, ListeningSocket::open());
    FABRICAST_ASSIGN(const std::string token, randomToken());
    for (std::vector<std::string>& variables : child.environments) {
        variables.push_back("FABRICAST_PROBE_TOKEN=" + token);
        variables.push_back("MASTER_PORT=" + std::to_string(listener.port()));
    }
    child.inherited = listener.release();
    child.environments.front().push_back("FABRICAST_PROBE_LISTENER=" +
                                         std::to_string(child.inherited));
    return {};
}

class ProbeRunner {
public:
    ProbeRunner(const CalibrationPlan& plan, const MeasureAsk& ask, const Watch& watch)
        : plan_(plan), ask_(ask), watch_(watch), end_(now() + ask.seconds) {}

    ProbesOutcome run() && {
        for (std::size_t number = 0; number < plan_.runs.size(); ++number) {
            const ProbeRun& each = plan_.runs[number];
            outcome_.engines.push_back({.engine = each.engine, .record = each.record});
            if (!interrupted_) {
                measure(each, number);
            }
            // What a probe refuses is nobody's record of this sitting.
            const bool isRefused = outcome_.engines.back().status == Status::BadInput;
            if (!isRefused && isRecord(each.record)) {
                outcome_.records.push_back(each.record);
            }
        }
        watch_.say("");
        return std::move(outcome_);
    }

private:
    using Status = EngineOutcome::Status;

    /// Of the remaining time, by the weights of those that have not run, but for each a second
    /// where there is one.
    [[nodiscard]] double shareOf(std::size_t number) const {
        double weights = 0.0;
        for (std::size_t at = number; at < plan_.runs.size(); ++at) {
            weights += plan_.runs[at].weight;
        }
        const double left = end_ - now();
        const double even = left / static_cast<double>(plan_.runs.size() - number);
        return std::max({kLeastSeconds,
                         std::min(kUsefulSeconds, even),
                         left * plan_.runs[number].weight / weights});
    }

    void measure(const ProbeRun& run, std::size_t number) {
        const double seconds = shareOf(number);
        ChildRequest child{.command = withSuite(run, ask_),
                           .environments = run.environments,
                           .mostSeconds = seconds + kOverrunSeconds,
                           .silentSeconds = ask_.silentSeconds,
                           .graceSeconds = kGraceSeconds,
                           .stop = watch_.stop};
        child.command.insert(
            child.command.end(),
            {"--time-budget", fmt::format("{:.2f}s", seconds), "--out", run.record});
        child.onError = [&](std::string_view line) { show(run, number, line); };
        show(run, number, "starts");
        const Result<ChildOutcome> ended = started(run, child);
        if (!ended) {
            report(run, Status::Failed, ended.error().text());
        } else {
            judge(run, *ended);
        }
    }

    static Result<ChildOutcome> started(const ProbeRun& run, ChildRequest& child) {
        if (run.meets) {
            FABRICAST_TRY(addRendezvous(child));
        }
        return runChild(child);
    }

    void show(const ProbeRun& run, std::size_t number, std::string_view line) const {
        if (!watch_.status) {
            return;
        }
        const double left = std::max(0.0, end_ - now());
        watch_.status(std::to_string(number + 1) + "/" + std::to_string(plan_.runs.size()) + " " +
                      run.engine + " (" + durationText(Seconds(left)) +
                      " left): " + std::string(line));
    }

    void judge(const ProbeRun& run, const ChildOutcome& ended) {
        using End = ChildOutcome::End;
        const bool exited = ended.end == End::Exited;
        if (ended.end == End::Interrupted ||
            (exited && (ended.code == probe::kInterrupted || ended.code == probe::kTerminated))) {
            interrupted_ = true;
            outcome_.engines.back().status = Status::Interrupted;
            outcome_.remarks.push_back(
                run.engine + ": interrupted" +
                (isRecord(run.record)
                     ? "; the measurements so far are kept, rerun the command to resume"
                     : " before anything was measured"));
        } else if (exited && ended.code == probe::kDone) {
            outcome_.engines.back().status = Status::Measured;
            if (!ended.lastLines.empty()) {
                outcome_.remarks.push_back(ended.lastLines.back());
            }
        } else if (exited && ended.code == probe::kWrongResults && isRecord(run.record)) {
            // A launcher that could not start anything also exits with 1.
            report(run, Status::WrongResults, "computed wrong results: it " + endText(ended));
        } else {
            report(run,
                   exited && ended.code == probe::kBadInput ? Status::BadInput
                   : ended.end == End::Stalled              ? Status::Stalled
                   : ended.end == End::OutOfTime            ? Status::OutOfTime
                                                            : Status::Failed,
                   endText(ended));
        }
    }

    void report(const ProbeRun& run, Status status, const std::string& why) {
        outcome_.engines.back().status = status;
        outcome_.engines.back().why = why;
        outcome_.remarks.push_back(run.engine + ": " + shellCommand(run.command) + " " + why);
    }

    const CalibrationPlan& plan_;
    const MeasureAsk& ask_;
    const Watch& watch_;
    double end_;
    bool interrupted_ = false;
    ProbesOutcome outcome_;
};

}  // namespace

ProbesOutcome runProbes(const CalibrationPlan& plan, const MeasureAsk& ask, const Watch& watch) {
    return ProbeRunner(plan, ask, watch).run();
}

Result<std::vector<PlannedRun>> listPoints(const CalibrationPlan& plan,
                                           const MeasureAsk& ask,
                                           const Watch& watch) {
    std::vector<PlannedRun> runs;
    for (const ProbeRun& run : plan.runs) {
        PlannedRun planned{
            .engine = run.engine, .command = withSuite(run, ask), .record = run.record};
        planned.command.emplace_back("--dry-run");
        ChildRequest child{
            .command = planned.command, .mostSeconds = kListSeconds, .stop = watch.stop};
        child.command.insert(child.command.end(), {"--out", run.record});
        if (!run.environments.empty()) {
            child.environments = {run.environments.front()};
        }
        if (run.meets) {  // nobody meets there
            child.environments.front().insert(
                child.environments.front().end(),
                {"MASTER_PORT=1", "FABRICAST_PROBE_TOKEN=nobody meets there"});
        }
        FABRICAST_ASSIGN(const ChildOutcome ended, runChild(child));
        const bool exited = ended.end == ChildOutcome::End::Exited;
        if (!exited || ended.code != probe::kDone) {
            return fail(exited && ended.code == probe::kBadInput ? Error::Code::BadInput
                                                                 : Error::Code::Environment,
                        run.engine,
                        shellCommand(child.command) + " " + endText(ended));
        }
        std::istringstream lines(ended.out);
        for (std::string line; std::getline(lines, line);) {
            planned.points.push_back(line);
        }
        runs.push_back(std::move(planned));
    }
    return runs;
}

}  // namespace fabricast
