#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/load/input_text.h"
#include "planner/text/json_text.h"
#include "study/sweep_points.h"
#include "study/workbench.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// What is asked at every point of a sweep, and how a line of its file says so.
struct SweepWork {
    std::string schema;    ///< "fabricast.sweep/1"
    std::string question;  ///< as it is typed
    std::string said;   ///< all of it, with the files it names: of a changed one no point is kept
    Folders folders{};  ///< where the paths among the values of points start
    /// Adds the members of the answer at a point, or none: what the point cannot be is said in its
    /// line, and an error of the sweep only where it is so at every point. Points are answered in
    /// several threads, each by one: the bench has one.
    std::function<Result<void>(
        const std::vector<Edit>& point, const Workbench& bench, const Watch& watch, JsonText& json)>
        answer;
};

/// Where the points of a sweep are kept, and which of them are this process's.
struct SweepStore {
    std::string file;  ///< of JSON lines; empty: nowhere
    SweepShard shard{};
};

/// What is known of a sweep: a line for each point, in the order of the points.
struct SweepAnswer {
    std::vector<SweepAxis> axes;
    std::vector<std::string> lines;  ///< empty ones are not computed yet
    std::size_t computed = 0;        ///< now; the others were kept
    std::size_t refused = 0;         ///< of those: points that cannot be asked about
    std::optional<Error> refusal{};  ///< the first of them
    bool stopped = false;            ///< before this process's points were done
    std::string note;                ///< what was dropped of a file

    [[nodiscard]] bool isWhole() const { return done() == lines.size(); }
    [[nodiscard]] std::size_t done() const;
};

/// The answers at every combination of the axes' values. Points that the store has are not computed
/// again, unless what they lean on has changed since: profiles, measurements, and the files of the
/// model, the cluster, prices and the site. Each few points the file is replaced by one with them,
/// so that a sweep that is killed goes on where it was. A shard writes FILE.K-of-N; the one that
/// finds all points done writes FILE, the same as a sweep in one process writes.
///     FABRICAST_ASSIGN(const SweepAnswer answer,
///                      sweep(planPoints(question), axes, {.file = "points.jsonl"}, bench, watch));
Result<SweepAnswer> sweep(const SweepWork& work,
                          const std::vector<SweepAxis>& axes,
                          const SweepStore& store,
                          const Workbench& bench,
                          const Watch& watch);

}  // namespace fabricast
