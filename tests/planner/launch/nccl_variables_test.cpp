#include "planner/launch/nccl_variables.h"

#include "planner/launch/import_launch.h"
#include "planner/text/json_strings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast::nccl_variables_test {
namespace {

Result<std::string> noFile(const std::string& name) {
    return fail(Error::Code::NotFound, name, "is not there");
}

struct Imported {
    std::string settings;  ///< "buffer=1048576 nvls=false"
    std::string notes;
};

/// A script that exports these before it starts a run.
Imported imported(const std::string& exports) {
    const std::string script = exports +
                               "\ntorchrun --nproc_per_node 8 run_clm.py --model_name_or_path a/b "
                               "--per_device_train_batch_size 2 --block_size 512\n";
    const auto run = importLaunch(script, "run.sh", {.read = noFile, .layers = {}});
    if (!run) {
        return {run.error().text(), ""};
    }
    Imported read;
    const JsonValue* const settings = run->find("settings");
    const JsonValue* const nccl = settings == nullptr ? nullptr : settings->find("nccl");
    for (const char* const key :
         {"buffer", "max_channels", "max_ctas", "p2p", "ring", "tree", "nvls", "p2p_nvl_chunk"}) {
        if (const JsonValue* const value = nccl == nullptr ? nullptr : nccl->find(key)) {
            read.settings += (read.settings.empty() ? "" : " ") + std::string(key) + "=";
            read.settings += value->shown();
        }
    }
    for (const char* const key : {"notes", "assumed"}) {
        for (const std::string& note : stringsIn(run->find("imported")->find(key))) {
            read.notes += note + "\n";
        }
    }
    return read;
}

TEST(NcclVariables, AreReadFromAScript) {
    EXPECT_EQ(imported("").settings, "");
    EXPECT_EQ(imported("export NCCL_DEBUG=WARN").notes.find("NCCL"), std::string::npos);
    EXPECT_EQ(imported("export NCCL_BUFFSIZE=1048576\nexport NCCL_NVLS_ENABLE=0\n"
                       "NCCL_MAX_NCHANNELS=8 \\")
                  .settings,
              "buffer=1048576 max_channels=8 nvls=false");
    EXPECT_EQ(imported("export NCCL_P2P_DISABLE=1").settings, "p2p=false");
    EXPECT_EQ(imported("export NCCL_P2P_DISABLE=0 NCCL_NVLS_ENABLE=2").settings, "");
    EXPECT_EQ(imported("export NCCL_ALGO=Ring").settings, "tree=false nvls=false");
    EXPECT_EQ(imported("export NCCL_ALGO=Ring,Tree").settings, "nvls=false");
    EXPECT_EQ(imported("export NCCL_ALGO=^Tree,NVLS").settings, "tree=false nvls=false");
    EXPECT_EQ(imported("export NCCL_MAX_CTAS=4 NCCL_P2P_NVL_CHUNKSIZE=131072").settings,
              "max_ctas=4 p2p_nvl_chunk=131072");
}

TEST(NcclVariables, AreNotedWhereNothingIsMadeOfThem) {
    for (const char* const one : {"NCCL_BUFFSIZE=16",
                                  "NCCL_BUFFSIZE=4M",
                                  "NCCL_MAX_NCHANNELS=0",
                                  "NCCL_ALGO=allreduce:tree",
                                  "NCCL_MAX_P2P_NCHANNELS=1",
                                  "NCCL_NCHANNELS_PER_PEER=1",
                                  "NCCL_P2P_LEVEL=LOC",
                                  "NCCL_MAX_NRINGS=2",
                                  "NCCL_CUMEM_ENABLE=0"}) {
        const Imported read = imported("export " + std::string(one));
        EXPECT_EQ(read.settings, "") << one;
        EXPECT_NE(read.notes.find(std::string(one) + ": not looked at in the memory of NCCL's"),
                  std::string::npos)
            << read.notes;
    }
}

TEST(NcclVariables, AreWrittenAsTheyAreRead) {
    EXPECT_EQ(ncclVariables({}), std::vector<std::string>());
    NcclSettings settings{.buffer = 1048576, .maxCtas = 4, .p2p = false};
    settings.nvls = false;
    EXPECT_EQ(ncclVariables(settings),
              (std::vector<std::string>{"NCCL_BUFFSIZE=1048576",
                                        "NCCL_MAX_CTAS=4",
                                        "NCCL_P2P_DISABLE=1",
                                        "NCCL_NVLS_ENABLE=0"}));
    settings = {.tree = false, .nvls = false};
    EXPECT_EQ(ncclVariables(settings), std::vector<std::string>{"NCCL_ALGO=ring"});
}

}  // namespace
}  // namespace fabricast::nccl_variables_test
