#pragma once
#include "probes/collective/sweep.h"
#include "probes/record/statistics.h"

#include <string>
#include <vector>

namespace fabricast::probe {

/// The GPU of a rank.
struct RankDevice {
    int rank = 0;
    std::int64_t pid = 0;
    std::string host;
    int device = 0;
    std::string bus;  ///< "0000:18:00.0"
    std::string name;
};

/// What the head of a table says of the run.
struct NcclTestsRun {
    std::string ncclVersion;  ///< 22809, as NCCL counts
    std::vector<RankDevice> devices;
    SweepFlags flags;
    std::int64_t least = 0;  ///< of the sizes
    std::int64_t most = 0;
};

/// Writes measurements of collectives as nccl-tests does, so that what reads one reads the other.
/// Its time is that of the wall clock (facts "wall" and "in_place_wall").
class NcclTestsTable {
public:
    /// The lines before the first row, and again where the collective or its group changes.
    std::string head(const NcclTestsRun& run, const CollectiveTask& task);
    /// A row; with a head before it where one is due.
    std::string row(const NcclTestsRun& run, const Measurement& measurement);
    /// "# Out of bounds values" and "# Avg bus bandwidth", once a row was written.
    [[nodiscard]] std::string foot() const;

private:
    std::string shown_;  ///< which collective and group the last head was for
    double busSum_ = 0.0;
    int busCount_ = 0;
    double wrong_ = 0.0;
};

/// All of it in the layout of nccl-tests' -J.
std::string ncclTestsJson(const NcclTestsRun& run,
                          const std::vector<Measurement>& measurements,
                          const std::vector<std::string>& arguments,
                          const std::string& begun);

}  // namespace fabricast::probe
