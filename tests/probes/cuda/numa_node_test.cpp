#include "probes/cuda/gpu_facts.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace fabricast::probe {
namespace {

TEST(NumaNode, IsReadOfTheGpusPlaceOnTheBus) {
    const std::string root = tempFolder() + "/numa_sys";
    const std::string folder = root + "/bus/pci/devices/0000:9b:00.0";
    std::filesystem::create_directories(folder);
    std::ofstream(folder + "/numa_node") << "1\n";
    EXPECT_EQ(numaNodeOf(root, "0000:9B:00.0"), 1);
    EXPECT_EQ(numaNodeOf(root, "0000:18:00.0"), -1);
}

int policyNow() {
    int policy = -1;
    syscall(SYS_get_mempolicy, &policy, nullptr, 0, nullptr, 0);
    return policy;
}

TEST(NumaNode, BindsNewMemoryAndGivesItFreeAgain) {
    const int before = policyNow();
    if (before != 0) {
        GTEST_SKIP() << "the kernel keeps NUMA policies to itself";
    }
    {
        const OnNumaNode bound(0);
        if (!bound.isBound()) {
            GTEST_SKIP() << "the kernel lets nobody choose a NUMA node";
        }
        EXPECT_EQ(policyNow(), 1);
    }
    EXPECT_EQ(policyNow(), before);
    EXPECT_FALSE(OnNumaNode(-1).isBound());
}

}  // namespace
}  // namespace fabricast::probe
