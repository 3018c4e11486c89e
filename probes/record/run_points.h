#pragma once
#include "probes/record/record_file.h"

#include <functional>
#include <span>

namespace fabricast::probe {

/// How a list of points ended.
struct RunOutcome {
    std::size_t measured = 0;
    std::size_t known = 0;    ///< were in the record already
    std::size_t refused = 0;  ///< the machine cannot
    std::size_t wrong = 0;    ///< the results were not what they should be
    std::size_t failed = 0;   ///< something went wrong, and the device works still
    std::size_t left = 0;     ///< time or Ctrl-C came first
    bool interrupted = false;
};

/// What happens while points are measured; each may be empty.
struct RunWatch {
    /// Before each point: which, of how many, and the seconds that all are thought to take yet.
    std::function<void(const Point& point, std::size_t number, std::size_t of, double left)> begins;
    std::function<void(const Measurement&)> ends;
    /// After trouble with a point: whether the device can measure the next; empty: it cannot.
    std::function<bool()> survives;
};

/// Measures points one after another until all are in the record, the time is up (seconds; none
/// for infinity) or somebody asks to stop. Each is in the record before the next begins. Trouble
/// is what ends a probe: a device that is gone, a full disk. A point that only fails itself is
/// recorded as failed, and the next sitting measures it. What is measured stays in the record.
Answer<RunOutcome> runPoints(std::span<const Point> points,
                             const std::function<Answer<Measurement>(const Point&)>& measure,
                             double seconds,
                             RecordFile& record,
                             const RunWatch& watch);

}  // namespace fabricast::probe
