#pragma once
#include "planner/comm/collective_curve.h"
#include "planner/profiles/profile_store.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// One measured call of nccl-tests or rccl-tests.
struct CollectiveRow {
    std::string machine;  ///< a node or cluster profile
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 1;
    double bytes = 0.0;
    Seconds measured;
    std::string source;
};
std::vector<CollectiveRow> readCollectiveRows(const std::string& path);

/// A machine as its library sees it.
struct CollectiveMachine {
    ClusterSpec cluster;
    NcclModel model;
    ClusterLinks links;
    MeasuredPlace place;
    CorrectionTable corrections;
};
/// Every machine of the rows, by name.
std::map<std::string, CollectiveMachine> machinesOf(const std::vector<CollectiveRow>& rows,
                                                    const ProfileStore& profiles);

/// What a row is forecast from.
enum class LeftOut {
    Corrections,  ///< all of them: the library's own model
    Machine,      ///< what was measured on the row's machine
    Curve,        ///< what was measured on it with the row's collective and ranks
    Nothing
};
std::vector<Seconds> forecastsOf(const std::vector<CollectiveRow>& rows,
                                 const std::map<std::string, CollectiveMachine>& machines,
                                 LeftOut leftOut);

/// Relative errors of one machine, collective, number of ranks and band of sizes.
struct CollectiveScore {
    std::string machine;
    CollectiveKind kind = CollectiveKind::AllReduce;
    std::int64_t ranks = 1;
    std::size_t band = 0;
    std::vector<double> errors;  ///< forecast / measured - 1

    [[nodiscard]] double medianError() const;  ///< of the absolute values
    [[nodiscard]] double bias() const;
};
/// "< 64 KiB", "64 KiB - 4 MiB", "4 - 64 MiB", "> 64 MiB".
const std::vector<std::string>& bandNames();
std::size_t bandOf(double bytes);
double medianOf(std::vector<double> values);

/// The errors of `forecasts`, one for each row.
std::vector<CollectiveScore> scoresOf(const std::vector<CollectiveRow>& rows,
                                      const std::vector<Seconds>& forecasts);
/// One line for each machine, collective and number of ranks, with the bands side by side.
std::string scoreTable(const std::vector<CollectiveScore>& scores);

}  // namespace fabricast
