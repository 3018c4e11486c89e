#pragma once
#include "probes/record/json_line.h"
#include "probes/record/run_points.h"
#include "probes/record/statistics.h"

#include <functional>
#include <string>
#include <vector>

namespace fabricast::probe {

/// What a probe ends with.
enum ExitCode {
    kDone = 0,
    kWrongResults = 1,  ///< measured, but something computed was not what it should be
    kBadInput = 2,
    kEnvironment = 4,  ///< no GPU, a full disk, a rank that is gone
    kInterrupted = 130,
    kTerminated = 143,  ///< by SIGTERM, as interruptedCode() tells them apart
};

/// What one probe adds to what all have in common: the command line, the record, progress, Ctrl-C.
struct ProbeProgram {
    std::string name;      ///< "fabricast-probe-cuda"
    std::string purpose;   ///< one line for --help
    std::string moreHelp;  ///< lines about flags of its own; may be empty

    /// --version: the libraries it was built with and finds here, a line each.
    std::function<std::string()> versions;
    /// --doctor: what works here and what does not, a line each. Trouble where it cannot measure.
    std::function<Answer<std::string>()> doctor;
    /// The points of --suite quick or full (in the order in which they matter); trouble for another
    /// name. Before anything is opened, and again after `open`, when more may be known.
    std::function<Answer<std::vector<Point>>(const std::string& suite)> suite;
    /// Whether a point's settings are sound, before anything is opened; may be empty.
    std::function<Done(const Point&)> check;
    /// A flag of its own; false where it knows none such. Called before `open`.
    std::function<Answer<bool>(const std::string& flag, const std::string& value)> flag;
    /// Whether what it was started with is complete, before the device is taken, and in a dry run
    /// too; may be empty. Trouble ends the program with kEnvironment.
    std::function<Done()> ready{};
    /// Takes the device. Trouble (no GPU, a busy one) ends the program with kEnvironment.
    std::function<Done()> open;
    /// What must be alike for two sittings to go into one record: device, versions. After `open`.
    std::function<JsonLine()> identity;
    /// Whether `identity` can be told without `open`: a dry run then asks for it too.
    bool isKnownUnopened = false;
    std::function<Answer<Measurement>(const Point&)> measure;
    /// After trouble with a point: whether the device still works, so that the next is measured;
    /// may be empty: trouble ends the program.
    std::function<bool()> survives{};
    /// Whether Ctrl-C may end the process in the midst of a point: nobody waits for its part.
    bool endsInMidPoint = false;
    /// Whether the end of the time may as well. Else the point takes no further samples.
    bool endsInTime = true;
    /// Just before the process ends so, in another thread: tells whoever takes part in the point;
    /// may be empty.
    std::function<void()> leavesPoint{};
    /// After the last point, also when interrupted.
    std::function<void()> close;
    /// Prints a measurement in the probe's own table; by default its line of the record.
    std::function<std::string(const Measurement&)> row;
    /// False on a rank that neither writes nor prints. After `open`.
    std::function<bool()> speaks;
    /// What such a rank does instead of going through the points as well: measures as another says.
    std::function<Done()> follow;
    /// Measuring ends early for this reason, a full disk say. Before `close`; others may wait.
    std::function<void(const std::string& why)> failed;
};

/// Runs it: --suite quick|full, --points FILE|-, --point 'gemm m=…', --time-budget 5m, --out FILE,
/// --dry-run, --quiet, --version, --doctor, --help. Results go to standard output, progress and
/// trouble to standard error.
int runProbe(const ProbeProgram& program, std::span<const char* const> arguments);

}  // namespace fabricast::probe
