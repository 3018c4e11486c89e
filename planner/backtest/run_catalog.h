#pragma once
#include "planner/backtest/published_run.h"
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/spec/cluster_spec.h"
#include "planner/spec/model_spec.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The models and machines that published runs name, by their shape instead of a built-in name.
class RunCatalog {
public:
    static Result<RunCatalog> open(const ProfileStore& profiles);

    /// A built-in model of the row's hidden size, heads, width and experts, with the row's layers
    /// and vocabulary; else the columns themselves. Where these are empty, the model of the name.
    Result<ModelSpec> modelOf(const PublishedRun& run) const;
    /// Nodes of the row's GPU, as many as its GPUs fill, with its NIC rate.
    Result<ClusterSpec> clusterOf(const PublishedRun& run) const;

    /// The name of the row's GPU profile, or its own word for it where there is none.
    [[nodiscard]] std::string gpuName(const PublishedRun& run) const;

    /// The same, with the speed of every machine corrected by these factors, and by no other.
    [[nodiscard]] RunCatalog corrected(const MachineFactors& factors) const;
    /// With that of these GPUs' machines corrected, by the name of the profile.
    [[nodiscard]] RunCatalog corrected(std::map<std::string, OwnSpeed> own) const;

private:
    explicit RunCatalog(const ProfileStore& profiles) : profiles_(&profiles) {}
    [[nodiscard]] Result<ModelSpec> namedModel(const PublishedRun& run) const;

    const ProfileStore* profiles_;
    std::vector<ModelSpec> models_;
    std::vector<NodeSpec> nodes_;
    std::optional<MachineFactors> factors_;
    std::map<std::string, OwnSpeed> own_;
};

}  // namespace fabricast
