#pragma once
#include "planner/backtest/published_run.h"
#include "planner/base/result.h"
#include "planner/io/profile_store.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/model_spec.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// The models and machines that published runs name, by their shape rather than by a name of ours.
class RunCatalog {
public:
    static Result<RunCatalog> open(const ProfileStore& profiles);

    /// A built-in model of the row's hidden size, heads, width and experts, with the row's layers
    /// and vocabulary; else what the columns say themselves.
    Result<ModelSpec> modelOf(const PublishedRun& run) const;
    /// Nodes of the row's GPU, as many as its GPUs fill, with the NIC rate that it says.
    Result<ClusterSpec> clusterOf(const PublishedRun& run) const;

    /// The same, but every machine as fast as these factors say.
    [[nodiscard]] RunCatalog corrected(double clock, double network) const;

private:
    explicit RunCatalog(const ProfileStore& profiles) : profiles_(&profiles) {}

    const ProfileStore* profiles_;
    std::vector<ModelSpec> models_;
    std::vector<NodeSpec> nodes_;
    double clock_ = 1.0;
    double network_ = 1.0;
};

}  // namespace fabricast
