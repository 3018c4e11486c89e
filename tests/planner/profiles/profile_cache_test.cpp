#include "planner/profiles/profile_cache.h"

#include "planner/base/parallel_map.h"
#include "planner/profiles/profile_store.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace fabricast {
namespace {

TEST(ProfileCache, ReadsAFileOncePerType) {
    ProfileCache cache;
    int reads = 0;
    const auto length = [&]() -> Result<int> { return ++reads; };
    const auto text = [&]() -> Result<std::string> { return std::to_string(++reads); };
    EXPECT_EQ(cache.of<int>("gpus/a.json", length).value(), 1);
    EXPECT_EQ(cache.of<int>("gpus/a.json", length).value(), 1);
    EXPECT_EQ(cache.of<int>("gpus/b.json", length).value(), 2);
    EXPECT_EQ(cache.of<std::string>("gpus/a.json", text).value(), "3");
    EXPECT_EQ(cache.of<std::string>("gpus/a.json", text).value(), "3");
    EXPECT_EQ(reads, 3);
}

TEST(ProfileCache, ReadsAgainWhatCouldNotBeRead) {
    ProfileCache cache;
    int reads = 0;
    const auto broken = [&]() -> Result<int> {
        return fail(Error::Code::BadInput, "call " + std::to_string(++reads), "is broken");
    };
    EXPECT_EQ(cache.of<int>("gpus/a.json", broken).error().where, "call 1");
    EXPECT_EQ(cache.of<int>("gpus/a.json", broken).error().where, "call 2");
}

TEST(ProfileStore, IsSharedByThreads) {
    const ProfileStore store = ProfileStore::builtIn();
    const std::array<std::string, 4> names = {"dgx-h100", "DGX_A100", "dgx-h200", "gb200-nvl72"};
    std::vector<std::string> asked;
    for (std::size_t i = 0; i < 32; ++i) {
        asked.push_back(names[i % names.size()]);
    }
    const auto read = [&store](const std::string& name) {
        const ClusterSpec cluster = store.cluster(name).value();
        return cluster.name + " " + cluster.node.gpu.name + " " +
               std::to_string(cluster.node.gpu.kernels->memoryBandwidth.count());
    };
    const auto found = parallelMap(asked, read, {.threads = 8});
    for (std::size_t i = 0; i < asked.size(); ++i) {
        EXPECT_EQ((*found)[i], read(asked[i]));
        EXPECT_EQ((*found)[i], (*found)[i % names.size()]);
    }
}

/// What one store has read is not what another one says of the same name.
TEST(ProfileStore, KeepsItsOwnFiles) {
    const ProfileStore builtIn = ProfileStore::builtIn();
    const auto titleOf = [](const ProfileStore& store) {
        return store.gpu("h100-sxm5-80gb")->title;
    };
    const std::string shipped = titleOf(builtIn);
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", shipped, "Ours"));
    const ProfileStore ours = ProfileStore::open(std::array{mine.path()}).value();
    EXPECT_EQ(titleOf(ours), "Ours");
    const ProfileStore copy = ours;
    EXPECT_EQ(titleOf(copy), "Ours");
    EXPECT_EQ(titleOf(builtIn), shipped);
}

}  // namespace
}  // namespace fabricast
