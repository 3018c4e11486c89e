#include "planner/memory/stage_memory.h"
#include "planner/profiles/profile_store.h"
#include "tests/programs/oracle_rows/published_run.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fabricast {
namespace {

/// The GPUs of the published runs by our names.
Result<ClusterSpec> clusterOf(const CsvTable& table, std::size_t row) {
    static const std::map<std::string, std::string> kNames = {{"A100-80GB-SXM", "a100-sxm4-80gb"},
                                                              {"A100-40GB-SXM", "a100-sxm4-40gb"},
                                                              {"V100-32GB-SXM", "v100-sxm2-32gb"},
                                                              {"V100-16GB-SXM", "v100-sxm2-16gb"},
                                                              {"A10G-24GB", "a10g"},
                                                              {"H100-80GB-SXM", "h100-sxm5-80gb"}};
    const std::int64_t perNode = table.integer(row, "gpus_per_node");
    FABRICAST_ASSIGN(
        ClusterSpec cluster,
        ProfileStore::builtIn().clusterFrom(kNames.at(table.text(row, "gpu_model")), perNode));
    cluster.nodes = table.integer(row, "gpus") / perNode;
    return cluster;
}

Result<MemoryBreakdown> answer(const CsvTable& table, std::size_t row) {
    FABRICAST_ASSIGN(Scenario scenario, publishedRun(table, row));
    FABRICAST_ASSIGN(scenario.cluster, clusterOf(table, row));
    return memoryOfAllStages(scenario);
}

// Layouts that ran out of memory are never forecast to fit: they do not, or it is uncertain. What
// the source leaves out is refused by name.
TEST(DidNotFit, IsNeverSaidToFit) {
    const std::map<std::string, std::string> refused = {{"litgpt-0015", "seq"},
                                                        {"litgpt-0020", "seq"},
                                                        {"litgpt-0022", "layers"},
                                                        {"litgpt-0048", "global_batch"},
                                                        {"litgpt-0053", "layers"},
                                                        {"litgpt-0056", "global_batch"},
                                                        {"litgpt-0064", "global_batch"},
                                                        {"mpf-0016", "micro_batch"}};
    const CsvTable table =
        CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/published/did_not_fit.csv");
    ASSERT_EQ(table.rows(), 13U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        const std::string id = table.text(row, "id");
        const auto memory = answer(table, row);
        if (const auto reason = refused.find(id); reason != refused.end()) {
            ASSERT_FALSE(memory) << id;
            EXPECT_EQ(memory.error().where, reason->second) << id;
        } else {
            ASSERT_TRUE(memory) << id << ": " << memory.error().text();
            EXPECT_NE(memory->verdict, Verdict::Fits) << id;
        }
    }
}

}  // namespace
}  // namespace fabricast
