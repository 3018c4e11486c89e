#include "planner/request/scenario_json.h"
#include "study/said_value.h"
#include "study/search_request.h"
#include "study/size.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fabricast {
namespace {

bool needsTokens(const SizeAsk& ask) {
    return std::ranges::any_of(ask.targets, [](const SizeTarget& target) {
        return target.metric != SizeMetric::TokensPerSecond;
    });
}

/// Where several things are missing, one error lists them.
Result<void> checkJobGiven(const Question& job, const SizeAsk& ask) {
    struct Needed {
        const char* path;
        const char* what;
        const char* example;
        bool isNeeded;
    };
    const std::array needed = {
        Needed{"model", "no model", "-m llama-3.1-8b", true},
        Needed{"workload.global_batch", "no global batch", "--global-batch 1024", true},
        Needed{"workload.tokens", "no number of tokens", "--tokens 1T", needsTokens(ask)}};
    std::vector<std::string> missing;
    std::string hint;
    for (const Needed& one : needed) {
        if (one.isNeeded && !says(job, one.path)) {
            missing.emplace_back(one.what);
            hint += (hint.empty() ? "" : " ") + std::string(one.example);
        }
    }
    if (missing.size() < 2) {
        return {};
    }
    std::string what = missing.front();
    for (std::size_t i = 1; i < missing.size(); ++i) {
        what += (i + 1 < missing.size() ? ", " : " and ") + missing[i];
    }
    return fail(
        Error::Code::BadInput, job.file.empty() ? "model" : job.file, what + " given", hint);
}

/// What cluster it is: size chooses that, and would drop what says it.
Result<void> checkNoCluster(const Question& job) {
    struct Chosen {
        const char* path;
        const char* flag;
    };
    constexpr std::array kChosen = {
        Chosen{"cluster", "-c dgx-h100 -n 1,2,4"},
        Chosen{"cluster.name", "-c dgx-h100"},
        Chosen{"cluster.gpu", "--gpu h100-sxm5-80gb"},
        Chosen{"cluster.nodes", "-n 1,2,4"},
        Chosen{"cluster.gpus", "--gpus 1,2,4"},
        Chosen{"cluster.gpus_per_node", "-c gb200-nvl72 --gpus-per-node 64"},
        Chosen{"cluster.fabric", "--fabric ib-ndr"}};
    for (const Edit& edit : job.edits) {
        const auto found = std::ranges::find_if(
            kChosen, [&edit](const Chosen& one) { return edit.path == one.path; });
        if (edit.origin == "--set" && edit.value != "null" && found != kChosen.end()) {
            return fail(Error::Code::BadInput,
                        "--set " + edit.path,
                        "size chooses the cluster from what its own flags name",
                        found->flag);
        }
    }
    return {};
}

/// Some GPUs of each node are of nodes that are named: every catalogue has others.
Result<void> checkPartOfNode(const Question& job, const SizeAsk& ask) {
    const bool isTyped =
        std::ranges::find(job.edits, "--gpus-per-node", &Edit::origin) != job.edits.end();
    if (isTyped && ask.clusters.empty()) {
        return fail(Error::Code::BadInput,
                    "--gpus-per-node",
                    "is of nodes that are named",
                    "-c gb200-nvl72 --gpus-per-node 64");
    }
    return {};
}

}  // namespace

Result<void> checkSizeJobs(std::span<const Question> jobs, const SizeAsk& ask) {
    for (const Question& job : jobs) {
        const std::string where = job.file.empty() ? "workload.global_batch" : job.file;
        const std::vector<std::string> allowed = searchWords(job, "allow");
        if (std::ranges::find(allowed, "idle_gpus") != allowed.end()) {
            return fail(Error::Code::BadInput,
                        "--allow",
                        "idle GPUs cannot be allowed: clusters of fewer nodes are compared",
                        "-n 1,2,4,8");
        }
        if (saidValue(job, "cluster.sites").value_or("1") != "1") {
            return fail(Error::Code::Unsupported,
                        "cluster.sites",
                        "clusters of one site are compared",
                        "fabricast plan -n 8 --sites 2, for each number of nodes");
        }
        FABRICAST_TRY(checkNoCluster(job));
        FABRICAST_TRY(checkPartOfNode(job, ask));
        FABRICAST_TRY(checkJobGiven(job, ask));
        const std::string batch = saidValue(job, "workload.global_batch").value_or("");
        if (batch.empty() || batch.ends_with(kSamplesPerRank)) {
            return fail(Error::Code::BadInput,
                        where,
                        "the global batch is " +
                            (batch.empty() ? "not given" : "\"" + batch + "\"") +
                            ", and would differ from cluster to cluster",
                        "--global-batch 1024, or \"4M tokens\"");
        }
        if (needsTokens(ask) && !says(job, "workload.tokens")) {
            return fail(Error::Code::BadInput,
                        job.file.empty() ? "--target" : job.file,
                        "the number of tokens of the run is not given",
                        "--tokens 1T");
        }
    }
    return {};
}

}  // namespace fabricast
