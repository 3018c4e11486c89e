#pragma once
#include "probes/record/answer.h"
#include "probes/record/record_file.h"

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace fabricast::probe {

/// How a list of points ended.
struct RunOutcome {
    std::size_t measured = 0;
    std::size_t known = 0;     ///< were in the record already
    std::size_t refused = 0;   ///< the machine cannot
    std::size_t wrong = 0;     ///< the results were not what they should be
    std::size_t failed = 0;    ///< something went wrong, and the device works still
    std::size_t left = 0;      ///< time or Ctrl-C came first
    bool interrupted = false;  ///< by Ctrl-C
};

/// What happens while points are measured; each may be empty.
struct RunWatch {
    /// Before each point: which, of how many, and the seconds that all are thought to take yet.
    std::function<void(const Point& point, std::size_t number, std::size_t of, double left)> begins;
    std::function<void(const Measurement&)> ends;
    /// After trouble with a point: whether the device can measure the next; empty: it cannot.
    std::function<bool()> survives;
    /// Somebody asked to stop, and the point does not end: says what is in the record and answers
    /// the exit code that the process ends with. Empty: the point is waited for.
    std::function<int(const RunOutcome&)> endsInMidPoint;
    /// Whether the same holds where the time is up; else the point only takes no further samples.
    bool endsInTime = false;
};

/// Measures points one after another until all are in the record, the time is up (seconds; none
/// for infinity) or somebody asks to stop, of which the point under way is told. Each is in the
/// record before the next begins. Trouble is what ends a probe: a device that is gone, a full disk.
/// A point that only fails itself is recorded as failed, and the next sitting measures it. What is
/// measured stays in the record.
Answer<RunOutcome> runPoints(std::span<const Point> points,
                             const std::function<Answer<Measurement>(const Point&)>& measure,
                             double seconds,
                             RecordFile& record,
                             const RunWatch& watch);

/// When enough has been seen of one point: `least` samples always, then until the median is known
/// to `error` (a share of it), but no more than `most` samples and no longer than `seconds`.
struct SampleRule {
    std::size_t least = 5;
    std::size_t most = 200;
    double error = 0.003;
    double seconds = 1.0;
};

/// Repeats `once`, which answers how long it took, until the rule or an interrupt says enough. The
/// first `warmUps` times are not kept. An interrupted loop keeps what it has, if that is as much as
/// the rule always asks for, or else nothing.
Answer<std::vector<double>> sampled(const SampleRule& rule,
                                    int warmUps,
                                    const std::function<Answer<double>()>& once);

/// From now on a rule's `seconds` are so many at most.
void limitSampling(double seconds);

/// From now on the first Ctrl-C (or SIGTERM) only asks to stop: what was measured is kept. The
/// second ends the process at once.
void catchInterrupts();

/// Whether to stop: somebody asked to, or the time of a run is up.
bool interrupted();
/// Whether it was the time.
bool isTimeUp();
void setTimeUp(bool isUp);
/// What a program ends with that was asked to stop: 130 by Ctrl-C, 143 by SIGTERM.
int interruptedCode();

/// As if somebody had: for a rank that was told by another.
void interrupt();

}  // namespace fabricast::probe
