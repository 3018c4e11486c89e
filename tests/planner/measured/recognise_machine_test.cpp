#include "planner/measured/recognise_machine.h"

#include <gtest/gtest.h>

#include <vector>

namespace fabricast {
namespace {

TEST(RecogniseGpu, ByTheNamesThatDriversHave) {
    const ProfileStore store = ProfileStore::builtIn();
    struct Row {
        const char* driver;
        double gigabytes;
        const char* profile;
    };
    const std::vector<Row> rows = {{"NVIDIA H100 80GB HBM3", 85.5, "h100-sxm5-80gb"},
                                   {"NVIDIA H100 PCIe", 85.5, "h100-pcie-80gb"},
                                   {"NVIDIA H100 NVL", 100.5, "h100-nvl-94gb"},
                                   {"NVIDIA H200", 150.7, "h200-sxm-141gb"},
                                   {"NVIDIA H200 NVL", 150.7, "h200-nvl-141gb"},
                                   {"NVIDIA A100-SXM4-80GB", 85.9, "a100-sxm4-80gb"},
                                   {"NVIDIA A100-SXM4-40GB", 42.9, "a100-sxm4-40gb"},
                                   {"NVIDIA A100 80GB PCIe", 85.9, "a100-pcie-80gb"},
                                   {"NVIDIA A100-PCIE-40GB", 42.9, ""},
                                   {"NVIDIA B200", 192.2, "b200-sxm-180gb"},
                                   {"NVIDIA GB200", 198.6, "gb200-186gb"},
                                   {"NVIDIA H20", 102.6, "h20-96gb"},
                                   {"NVIDIA L40S", 48.3, "l40s"},
                                   {"NVIDIA GeForce RTX 4090", 25.7, "rtx-4090"},
                                   {"NVIDIA RTX A6000", 51.5, "rtx-a6000"},
                                   {"NVIDIA RTX 6000 Ada Generation", 51.5, "rtx-6000-ada"},
                                   {"Tesla V100-SXM2-16GB", 16.9, "v100-sxm2-16gb"},
                                   // A log has the name alone.
                                   {"NVIDIA A100-SXM4-80GB", 0, "a100-sxm4-80gb"},
                                   {"NVIDIA A100-SXM4-40GB", 0, "a100-sxm4-40gb"},
                                   {"Tesla V100-SXM2-32GB", 0, "v100-sxm2-32gb"},
                                   {"NVIDIA H100 80GB HBM3", 0, "h100-sxm5-80gb"},
                                   {"NVIDIA GeForce GTX 1080", 8.5, ""},
                                   {"NVIDIA", 0, ""},
                                   {"", 0, ""}};
    for (const Row& row : rows) {
        const auto gpu = recogniseGpu(
            store,
            {.name = row.driver, .memory = Bytes(static_cast<std::int64_t>(row.gigabytes * 1e9))});
        ASSERT_TRUE(gpu) << gpu.error().text();
        EXPECT_EQ(*gpu ? (*gpu)->name : "", row.profile) << row.driver;
    }
}

TEST(RecogniseGpu, SaysWhatIsUnlike) {
    const ProfileStore store = ProfileStore::builtIn();
    const auto why = [&](const SeenGpu& seen) {
        const auto gpu = recogniseGpu(store, seen);
        return gpu && *gpu ? "it is " + (*gpu)->name : unknownGpuBecause(store, seen).value();
    };
    const std::string name = "NVIDIA H100 80GB HBM3";
    const Bytes memory(85'017'493'504);
    EXPECT_EQ(why({name, memory, "sm_90", 132}), "it is h100-sxm5-80gb");
    EXPECT_EQ(why({"NVIDIA Z9000", memory, "sm_90", 132}), "none has this name");
    const std::string named = "by its name it is h100-sxm5-80gb, but it has ";
    EXPECT_EQ(why({name, memory, "sm_80", 132}), named + "sm_80, not sm_90");
    EXPECT_EQ(why({name, memory, "sm_90", 10}), named + "10 multiprocessors, not 132");
    EXPECT_EQ(why({name, Bytes(9'000'000'000), "sm_80", 0}),
              named + "8.38 GiB of memory, not 79.6 GiB and sm_80, not sm_90");
}

}  // namespace
}  // namespace fabricast
