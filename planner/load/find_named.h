#pragma once
#include "planner/base/result.h"
#include "planner/load/input_text.h"
#include "planner/load/load_question.h"
#include "planner/load/scenario_defaults.h"
#include "planner/models/model_file.h"
#include "planner/profiles/profile_store.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/cluster_spec.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The requested cluster, and its available GPUs: open if no number was given.
struct FoundCluster {
    ClusterSpec cluster;
    Room room;
    std::vector<std::string> assumed{};  ///< what was typed as a cluster and is none
    bool isNamed = false;                ///< by the question: not the usual box of its GPU
};

/// Looks up the cluster, node or GPU by name and applies nodes, gpus and fabric. A name that is a
/// path is the file of a cluster or node.
Result<FoundCluster> findCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const Folders& folders);

/// The cluster with as many nodes as the ranks need, if that was open. A part of one node is
/// a node of that many GPUs.
Result<ClusterSpec> withRanks(FoundCluster found, std::int64_t ranks);

/// The same of a run that a launch file starts: fewer ranks on each node than it has GPUs leave the
/// others idle, unless somebody types another number.
Result<FoundCluster> findStartedCluster(const ClusterRequest& request,
                                        const JsonValue& root,
                                        const ProfileStore& profiles,
                                        const Folders& folders);

/// GPUs that a launch file starts, where a scenario has them beside keys of a layout that were
/// taken out of it.
Result<std::optional<std::int64_t>> startedGpus(const JsonValue& root);

/// A model as people name it: a built-in name, a config.json, or a folder that holds one. A plain
/// name is a built-in one before it is a folder; "org/name" is a folder first. Paths are seen from
/// `folder`; `where` is what an error about the name points at.
///     FABRICAST_ASSIGN(const ModelProfile model,
///                      findModel("llama-3.1-8b", profiles, {.folder = "", .where = "-m"}));
struct ModelPlace {
    std::string folder;
    std::string where;
    KnownTexts known{};
};
Result<ModelProfile> findModel(const std::string& nameOrPath,
                               const ProfileStore& profiles,
                               const ModelPlace& place);

}  // namespace fabricast
