#include "planner/launch/import_launch.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fabricast {
namespace {

using Folder = std::map<std::string, std::string>;

Result<JsonValue> importedOf(const Folder& folder, const std::string& name) {
    const auto read = [&folder](const std::string& one) -> Result<std::string> {
        const auto file = folder.find(one);
        return file == folder.end()
                   ? Result<std::string>(fail(Error::Code::NotFound, one, "is not there"))
                   : Result<std::string>(file->second);
    };
    const auto layers = [](const std::string&) { return std::optional(std::int64_t{8}); };
    return importLaunch(folder.at(name), name, {.read = read, .layers = layers});
}

/// What was read of a key, or why nothing was.
std::string readOf(const Folder& folder,
                   std::string_view part,
                   std::string_view key,
                   const std::string& name = "run.sh") {
    const auto run = importedOf(folder, name);
    if (!run) {
        return run.error().text();
    }
    const JsonValue* const section = run->find(part);
    const JsonValue* const value = section == nullptr ? nullptr : section->find(key);
    return value == nullptr ? "-" : value->shown();
}

// What stands behind "--" is of the launcher that axolotl starts.
TEST(ImportOfStarted, CountsTheRanksOfAxolotl) {
    const std::string yaml = "base_model: a/b\nmicro_batch_size: 1\n";
    const auto ranks = [&yaml](const std::string& start, const std::string& more = "") {
        return readOf({{"run.sh", start}, {"a.yaml", yaml + more}}, "layout", "dp");
    };
    const std::string behind = "axolotl train a.yaml --launcher torchrun -- ";
    EXPECT_EQ(ranks(behind + "--nnodes 2 --nproc_per_node 8\n"), "16");
    EXPECT_EQ(ranks(behind + "--nnodes 2 --nproc-per-node 8\n", "tensor_parallel_size: 4\n"), "4");
    EXPECT_EQ(ranks("srun " + behind + "--nnodes=2 --nproc-per-node=8\n"), "16");
    EXPECT_EQ(ranks("axolotl train a.yaml --launcher accelerate -- --num_processes 4\n"), "4");
    EXPECT_EQ(ranks("torchrun --nnodes 2 --nproc-per-node 4 -m axolotl.cli.train a.yaml\n"), "8");
    EXPECT_EQ(ranks("axolotl train a.yaml\n"), "-");
    EXPECT_EQ(ranks(behind + "--nproc_per_node 6\n", "context_parallel_size: 4\n"),
              "run.sh:1:45: torchrun --nproc_per_node starts 6 ranks, which is not a multiple of "
              "the 4 of tensor and context parallelism");
    EXPECT_EQ(readOf({{"job.sbatch", "#SBATCH --nodes=2\nsrun bash run.sh\n"},
                      {"run.sh", behind + "--nnodes 2 --nproc_per_node 8\n"},
                      {"a.yaml", yaml}},
                     "layout",
                     "dp",
                     "job.sbatch"),
              "16");
}

// DeepSpeed's own options are not those of srun before it.
TEST(ImportOfStarted, CountsTheRanksOfDeepspeedUnderSlurm) {
    const std::string batch = "#SBATCH --nodes=2 --gpus-per-node=8 --ntasks-per-node=1\n";
    const std::string line = "deepspeed --num_nodes 2 --num_gpus 8 t.py --output_dir o --bf16\n";
    EXPECT_EQ(readOf({{"run.sh", batch + line}}, "layout", "dp"), "16");
    EXPECT_EQ(readOf({{"run.sh", batch + "srun " + line}}, "layout", "dp"), "16");
}

}  // namespace
}  // namespace fabricast
