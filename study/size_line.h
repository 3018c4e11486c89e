#pragma once
#include "planner/base/result.h"
#include "planner/result/size_answer.h"
#include "planner/search/lower_bounds.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/edit.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// So many nodes or, where these are fewer GPUs than they have, a part of one node.
struct SizeAmount {
    std::int64_t nodes = 1;
    std::int64_t gpus = 0;
};

/// One kind of node on one network, in any number: what is known of it before any search.
struct SizeLine {
    std::string box;
    std::string fabric;       ///< instead of the box's own
    std::vector<Edit> edits;  ///< that make a question one about it; how many nodes is apart
    std::string gpu;
    std::int64_t gpusOfNode = 0;
    BytesPerSecond networkOfGpu;  ///< what a GPU sustains to other nodes; zero: not known
    std::optional<std::int64_t> mostJoined;  ///< GPUs, where there is no network: one NVLink domain
    std::optional<Watts> nodePower;          ///< at most
    bool powerEstimated = false;
    std::optional<std::int64_t> nodesOfRack;
    std::optional<UsdPerHour> leastHour;  ///< of a GPU that draws no more than it must
    std::string whyNoPrice;
    std::vector<std::string> jobs;   ///< what is trained, in words
    std::vector<double> gpuSeconds;  ///< by job: what a token takes at least (token_floor.h)
    std::vector<double> tokens;      ///< by job: of its run, or a million
    std::vector<std::vector<StateFloor>> states;  ///< by job
    ClusterSpec cluster;                          ///< of one node
    bool hasTokens = false;                       ///< every job has
    std::string why;                              ///< it cannot be searched at all
};

/// A box by `name`: an edit of "cluster.name" or "cluster.gpu".
Result<SizeLine> sizeLine(std::span<const Question> jobs,
                          const Edit& name,
                          const std::string& fabric,
                          const Workbench& bench);

SizeAmount nodesOf(const SizeLine& line, std::int64_t nodes);

/// The job on so much of the line.
Result<Question> jobOn(const Question& job, const SizeLine& line, const SizeAmount& amount);
/// The flag of how much it is: {"cluster.nodes", "4", "-n"}.
Edit amountEdit(const SizeLine& line, const SizeAmount& amount);

/// What so much of it cannot beat: nothing that is searched is faster, cheaper or needs less.
///     tokens/s  <=  GPUs / gpuSeconds           of the slowest job
///     seconds   >=  tokens · gpuSeconds / GPUs  of all jobs
///     $         >=  GPUs · seconds · leastHour  of the runs; the power and the GPUs are exact
struct SizeBound {
    double tokensPerSecond = 0.0;
    double seconds = 0.0;
    std::optional<double> usd;
    std::optional<double> usdPerSecond;  ///< where money follows from the time
    std::optional<Watts> power;
    std::int64_t gpus = 0;
};
SizeBound sizeBound(const SizeLine& line, const SizeAmount& amount);

/// What a search of a cluster proved that ended before it found anything.
struct SizeKnown {
    double leastSeconds = 0.0;
    double mostTokensPerSecond = std::numeric_limits<double>::infinity();
};
void tighten(SizeBound& bound, const SizeKnown& known);

/// Whether so much of it has room for the states of every job. Else no layout of one fits.
bool hasRoom(const SizeLine& line, const SizeAmount& amount);

}  // namespace fabricast
