#include "planner/profiles/profile_store.h"

#include "planner/profiles/profile_list.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;
using namespace fabricast::literals;

const ProfileStore& builtIn() {
    static const ProfileStore kStore = ProfileStore::builtIn();
    return kStore;
}

template <class T>
std::string errorOf(const Result<T>& result) {
    return result ? "" : result.error().text();
}

TEST(EmbeddedProfiles, AreTheFilesOfTheRepository) {
    const fs::path folder = fs::path(FABRICAST_SOURCE_DIR) / "hardware_profiles";
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const auto ending = entry.path().extension();
        files += ending == ".json" || ending == ".csv" ? 1U : 0U;
    }
    EXPECT_EQ(embeddedProfiles().size(), files);
    for (const EmbeddedFile& file : embeddedProfiles()) {
        EXPECT_EQ(file.text, bytesOf(folder / file.path)) << file.path;
    }
}

TEST(ProfileStore, ReadsEveryShippedProfileAndWhatItNames) {
    const ProfileStore& store = builtIn();
    for (const ProfileFile& file : store.files(ProfileKind::Gpu)) {
        EXPECT_EQ(errorOf(store.gpu(file.name)), "");
    }
    for (const ProfileFile& file : store.files(ProfileKind::Fabric)) {
        EXPECT_EQ(errorOf(store.fabric(file.name)), "");
    }
    for (const ProfileKind kind : {ProfileKind::Node, ProfileKind::Cluster}) {
        for (const ProfileFile& file : store.files(kind)) {
            const Result<ClusterSpec> cluster = store.cluster(file.name);
            ASSERT_TRUE(cluster) << cluster.error().text();
            EXPECT_GT(cluster->gpus(), 0) << file.name;
            EXPECT_NE(cluster->fabric.name, "none") << file.name;
            EXPECT_TRUE(cluster->node.gpu.capacity().value) << file.name;
        }
    }
    for (const ProfileFile& file : store.files(ProfileKind::Price)) {
        EXPECT_EQ(errorOf(store.price(file.name)), "");
    }
    for (const ProfileFile& file : store.files(ProfileKind::Site)) {
        const Result<SiteProfile> site = store.site(file.name);
        ASSERT_TRUE(site) << site.error().text();
        EXPECT_TRUE(site->reliability.gpuMtbf.value && site->power.pue.value) << file.name;
    }
    EXPECT_EQ(errorOf(store.sources()), "");
}

TEST(ProfileStore, KeepsPricesUnderTheNamesOfTheirGpus) {
    const std::string start =
        R"({"schema": "fabricast.price/1", "name": "quote", "title": "a quote",
        "date": "2026-11-20", "gpus": {)";
    const std::string rent =
        R"({"on_demand": {"value": "$2/h", "source": "assumed", "note": "n"}})";
    const auto quote = [&](const std::string& gpus) {
        return builtIn().priceIn(start + gpus + "}}", "quote.json");
    };
    const Result<PriceProfile> good = quote("\"H100_SXM\": " + rent);
    ASSERT_TRUE(good) << good.error().text();
    EXPECT_EQ(good->gpus.at("h100-sxm5-80gb").onDemand.value, UsdPerHour(2.0));
    EXPECT_NE(errorOf(quote("\"h100\": " + rent + ", \"h100-sxm\": " + rent))
                  .find("which already has prices"),
              std::string::npos);
    EXPECT_NE(errorOf(quote("\"h1000\": " + rent)).find("quote.json:2:"), std::string::npos);
    EXPECT_NE(errorOf(quote("\"h100\": {\"on_demand\": 2}")).find("comes with its source"),
              std::string::npos);
}

TEST(ProfileStore, ASiteHasTheNumbersOfWhatItExtends) {
    const SiteProfile typical = builtIn().site("typical").value();
    const SiteProfile research = builtIn().site("meta-rsc-1").value();
    EXPECT_EQ(research.power.pue.value, typical.power.pue.value);
    EXPECT_LT(research.reliability.gpuMtbf.value->count(),
              typical.reliability.gpuMtbf.value->count());
    const auto site = [](const std::string& part) {
        return builtIn().siteIn(
            R"({"schema": "fabricast.site/1", "name": "ours", "title": "t", )" + part + "}",
            "ours.json");
    };
    EXPECT_NE(errorOf(site(R"("extends": "meta-rsc-1")")).find("extend that one"),
              std::string::npos);
    EXPECT_NE(errorOf(site(R"("power": {"pue": {"value": 0.9, "source": "assumed", "note": "n"}})"))
                  .find("between 1 and 100"),
              std::string::npos);
}

TEST(ProfileStore, HoldsTheClustersPeopleAskFor) {
    struct Row {
        const char* name;
        std::int64_t gpus;
        const char* gpu;
        const char* fabric;
    };
    for (const Row& row : {Row{"dgx-a100", 8, "a100-sxm4-80gb", "ib-hdr"},
                           Row{"hgx-a100", 8, "a100-sxm4-80gb", "ib-hdr"},
                           Row{"hgx-a100-40gb", 8, "a100-sxm4-40gb", "ib-hdr"},
                           Row{"dgx-h100", 8, "h100-sxm5-80gb", "ib-ndr"},
                           Row{"hgx-h100", 8, "h100-sxm5-80gb", "ib-ndr"},
                           Row{"dgx-h200", 8, "h200-sxm-141gb", "ib-ndr"},
                           Row{"dgx-b200", 8, "b200-sxm-180gb", "ib-ndr"},
                           Row{"gb200-nvl72", 72, "gb200-186gb", "ib-ndr"},
                           Row{"mi300x-8", 8, "mi300x", "roce-400"},
                           Row{"4x-rtx-4090", 4, "rtx-4090", "roce-100"},
                           Row{"8x-rtx-4090", 8, "rtx-4090", "roce-100"},
                           Row{"4x-rtx-5090", 4, "rtx-5090", "roce-100"},
                           Row{"8x-rtx-5090", 8, "rtx-5090", "roce-100"},
                           Row{"4x-rtx-pro-6000", 4, "rtx-pro-6000-workstation", "roce-200"},
                           Row{"8x-rtx-pro-6000", 8, "rtx-pro-6000-workstation", "roce-200"},
                           // A node's name works too, and the names of clouds and fact sheets.
                           Row{"aws-p5", 8, "h100-sxm5-80gb", "efa-100"},
                           Row{"p4de.24xlarge", 8, "a100-sxm4-80gb", "efa-p4d"},
                           Row{"gcp_a3_mega", 8, "h100-sxm5-80gb", "gcp-tcpxo"},
                           Row{"Standard_ND96isr_H100_v5", 8, "h100-sxm5-80gb", "ib-ndr"},
                           Row{"gb200-nvl72-tray", 4, "gb200-186gb", "ib-ndr"}}) {
        const Result<ClusterSpec> cluster = builtIn().cluster(row.name);
        ASSERT_TRUE(cluster) << cluster.error().text();
        EXPECT_EQ(cluster->gpus(), row.gpus) << row.name;
        EXPECT_EQ(cluster->node.gpu.name, row.gpu) << row.name;
        EXPECT_EQ(cluster->fabric.name, row.fabric) << row.name;
    }
}

TEST(ProfileStore, KnowsWhatAGpuIsMadeOf) {
    const Result<GpuSpec> gpu = builtIn().gpu("H100_SXM");
    ASSERT_TRUE(gpu) << gpu.error().text();
    EXPECT_EQ(gpu->name, "h100-sxm5-80gb");
    EXPECT_EQ(gpu->architecture, "sm_90");
    EXPECT_EQ(gpu->memory.value, 80_GB);
    EXPECT_EQ(gpu->reportedMemory.value, 81559_MiB);
    EXPECT_EQ(gpu->capacity().value, 81089_MiB);  // 79.19 GiB, as PyTorch prints it
    EXPECT_EQ(gpu->memoryBandwidth.value, 3350_GBps);
    EXPECT_EQ(gpu->densePeak.at("bf16").value, FlopsPerSecond(989e12));
    EXPECT_FALSE(gpu->densePeak.at("fp4").value);
    EXPECT_EQ(gpu->linkBandwidth.value, 450_GBps);
    EXPECT_EQ(gpu->multiprocessors.value, 132);
    EXPECT_EQ(gpu->measuredMatmul.size(), 5U);
    EXPECT_EQ(gpu->memory.source, Source::Datasheet);
}

TEST(ProfileStore, KnowsTheInsideOfAPcieBox) {
    const Result<NodeSpec> box = builtIn().node("8x-rtx-pro-6000-esc8000a");
    ASSERT_TRUE(box) << box.error().text();
    EXPECT_EQ(box->gpuFabric, "pcie");
    EXPECT_EQ(box->domainGpus, 1);
    EXPECT_EQ(box->pci.numaNodes.value, 2);
    EXPECT_EQ(box->pci.rootComplexes.value, 4);
    EXPECT_EQ(box->pci.gpusPerSwitch.value, 2);
    EXPECT_EQ(box->pci.crossSocketBandwidth.value, 38_GBps);
    EXPECT_EQ(builtIn().gpu("rtx-4090")->peerToPeer.value, false);
}

TEST(ProfileStore, LetsAFabricExtendAnother) {
    const Result<FabricSpec> tapered = builtIn().fabric("ib-ndr-fat-tree-2to1");
    ASSERT_TRUE(tapered) << tapered.error().text();
    EXPECT_EQ(tapered->kind, "infiniband");
    EXPECT_EQ(tapered->topology, "fat-tree");
    EXPECT_EQ(tapered->linkBandwidth.value, 400_Gbps);
    EXPECT_EQ(tapered->oversubscription.value, 2.0);
    EXPECT_EQ(builtIn().fabric("ib-ndr")->oversubscription.value, 1.0);
    EXPECT_EQ(builtIn().fabric("roce-400-llama3")->fullBisectionGpus.value, 3072);
}

TEST(ProfileStore, BuildsABoxFromAGpu) {
    const Result<ClusterSpec> box = builtIn().clusterFrom("h100", 8);
    ASSERT_TRUE(box) << box.error().text();
    EXPECT_EQ(box->name, "8x-h100-sxm5-80gb");
    EXPECT_EQ(box->node.gpuFabric, "nvswitch");
    EXPECT_EQ(box->node.domainGpus, 8);
    EXPECT_EQ(box->fabric.kind, "none");
    EXPECT_EQ(builtIn().clusterFrom("a100-pcie", 4)->node.domainGpus, 2);
    EXPECT_EQ(builtIn().clusterFrom("rtx-5090", 4)->node.gpuFabric, "pcie");
    // Eight stand on a board with switches, which reduce from the fourth NVLink on.
    EXPECT_TRUE(builtIn().clusterFrom("h100", 8)->node.inSwitchReduction);
    EXPECT_FALSE(builtIn().clusterFrom("h100", 4)->node.inSwitchReduction);
    EXPECT_FALSE(builtIn().clusterFrom("a100", 8)->node.inSwitchReduction);
    EXPECT_EQ(builtIn().clusterFrom("h100", 0).error().where, "--gpus-per-node");
    EXPECT_EQ(builtIn().clusterFrom("h10000", 8).error().where, "--gpu");
}

// Another letter or digit is another GPU: what it is not is not suggested.
TEST(ProfileStore, DoesNotTakeAnotherGpuForATypo) {
    for (const char* const other : {"gh200", "p100", "mi250x", "gb10", "a30", "rtx-2080"}) {
        const std::string said = errorOf(builtIn().gpu(other));
        EXPECT_NE(said.find("(fabricast profiles list --kind gpu; to describe it: fabricast "
                            "profiles new gpu)"),
                  std::string::npos)
            << said;
    }
    const auto isNear = [](const char* typed, const char* near) {
        const std::string said = errorOf(builtIn().gpu(typed));
        EXPECT_NE(said.find(std::string("(near it: ") + near + "; to describe it: "),
                  std::string::npos)
            << said;
    };
    isNear("rtx-5070", "\"rtx-5070-ti\"");
    isNear("rtx-3080-ti", "\"rtx-3080\"");
    isNear("rxt-3080", "\"rtx-3080\"");
    isNear("l40", "\"l40s\"");
    isNear("v100", "\"v100-sxm2-16gb\", \"v100-sxm2-32gb\"");
}

TEST(ProfileStore, SaysWhatWasProbablyMeant) {
    EXPECT_EQ(errorOf(builtIn().cluster("dgx-h10", "-c")),
              "-c: no cluster or node is called \"dgx-h10\" (did you mean \"dgx-h100\"?)");
    EXPECT_EQ(errorOf(builtIn().gpu("RTX 3090 Ti", "--gpu")),
              "--gpu: no GPU is called \"RTX 3090 Ti\" (near it: \"rtx-3090\"; to describe it: "
              "fabricast profiles new gpu)");
    EXPECT_EQ(errorOf(builtIn().gpu("mi300")), "");                         // an alias
    EXPECT_EQ(builtIn().gpu("NVIDIA GeForce RTX 5090")->name, "rtx-5090");  // as drivers print it
    EXPECT_EQ(builtIn().gpu("AMD Instinct MI300X")->name, "mi300x");
    EXPECT_EQ(builtIn().gpu("NVIDIA RTX PRO 6000 Blackwell Server Edition")->name,
              "rtx-pro-6000-server");
    EXPECT_EQ(errorOf(builtIn().fabric("quantum-entanglement")),
              "no fabric is called \"quantum-entanglement\" "
              "(fabricast profiles list --kind fabric)");
    EXPECT_EQ(builtIn().model("gpt-nine").error().code, Error::Code::NotFound);
}

TEST(ProfileStore, LaysFoldersOnTopOfEachOther) {
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "3.35 TB/s", "3.5 TB/s"));
    mine.write("first/gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "3.35 TB/s", "3.4 TB/s"));
    mine.write("first/clusters/ours.json",
               R"({"schema": "fabricast.cluster/1", "name": "ours", "title": "Ours",
                   "node": "dgx-h100", "nodes": 16, "fabric": "roce-400", "topology": "fat-tree",
                   "oversubscription": {"value": 3, "source": "measured"}})");
    const std::vector<std::string> folders = {mine.path("first"), mine.path()};
    const Result<ProfileStore> store = ProfileStore::open(folders);
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_EQ(store->gpu("h100")->memoryBandwidth.value, 3500_GBps);  // the last folder wins
    const Result<ClusterSpec> ours = store->cluster("ours");
    ASSERT_TRUE(ours) << ours.error().text();
    EXPECT_EQ(ours->gpus(), 128);
    EXPECT_EQ(ours->node.gpu.memoryBandwidth.value, 3500_GBps);
    EXPECT_EQ(ours->fabric.topology, "fat-tree");
    EXPECT_EQ(ours->fabric.oversubscription.value, 3.0);
    EXPECT_EQ(store->files(ProfileKind::Gpu).size(), builtIn().files(ProfileKind::Gpu).size());
}

// The kernels that are built in were measured on the GPU as it is built in.
TEST(ProfileStore, TheMemoryOfAnOwnGpuIsThatOfItsKernels) {
    const TemporaryProfiles mine;
    mine.write("gpus/h100-sxm5-80gb.json",
               shippedProfile("gpus/h100-sxm5-80gb.json", "3.35 TB/s", "3.5 TB/s"));
    const auto kernels = [&mine] {
        return ProfileStore::open(std::array{mine.path()})->gpu("h100")->kernels.value();
    };
    EXPECT_EQ(kernels().memoryBandwidth, 3500_GBps);
    mine.write("kernels/h100-sxm5-80gb.json", shippedProfile("kernels/h100-sxm5-80gb.json"));
    EXPECT_EQ(kernels().memoryBandwidth, 3350_GBps);
}

TEST(ProfileStore, PointsAtWhatIsWrongInAFile) {
    const TemporaryProfiles mine;
    const auto refusal = [&mine](const std::string& from, const std::string& to) {
        mine.write("gpus/h100-sxm5-80gb.json",
                   shippedProfile("gpus/h100-sxm5-80gb.json", from, to));
        const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
        const std::string text = store ? errorOf(store->cluster("dgx-h100")) : errorOf(store);
        const std::string file = mine.path("gpus/h100-sxm5-80gb.json:");
        EXPECT_EQ(text.substr(0, file.size()), file) << text;
        return text.substr(std::min(text.size(), file.size()));
    };
    EXPECT_EQ(refusal("\"memory_bandwidth\"", "\"memory_bandwith\""),
              "16:3: unknown key \"memory_bandwith\" (did you mean \"memory_bandwidth\"?)");
    EXPECT_EQ(refusal("\"3.35 TB/s\"", "3350"),
              "16:34: \"value\" is 3350, but a bandwidth needs a unit "
              "(write \"value\": \"3350 GB/s\")");
    EXPECT_NE(refusal("\"value\": 132", "\"value\": 0").find("must be 1 or more"),
              std::string::npos);
    EXPECT_NE(refusal("\"81089 MiB\", \"lo\": \"79.11 GiB\", \"hi\": \"79.33 GiB\"", "\"900 GiB\"")
                  .find("\"usable_memory\" (900 GiB) is more than \"memory\" (80 GB)"),
              std::string::npos);
    EXPECT_EQ(refusal("\"sxm\"", "\"smx\""),
              "9:18: \"form_factor\" cannot be \"smx\" (did you mean \"sxm\"?)");
    EXPECT_EQ(refusal("\"name\": \"h100-sxm5-80gb\"", "\"name\": \"h101\""),
              "3:11: \"name\" is \"h101\", but the file is called \"h100-sxm5-80gb.json\" "
              "(give both the same name)");
    EXPECT_EQ(refusal("fabricast.gpu/1", "fabricast.gpu/2").substr(0, 5), "2:13:");
    EXPECT_EQ(refusal("\"vendor\": \"NVIDIA\",", "").substr(0, 4), "1:1:");
    EXPECT_EQ(refusal("{", "[").substr(0, 2), "2:");
}

TEST(ProfileStore, PointsAtANameThatLeadsNowhere) {
    const TemporaryProfiles mine;
    mine.write(
        "nodes/box.json",
        shippedProfile("nodes/dgx-h100.json", "\"name\": \"dgx-h100\"", "\"name\": \"box\""));
    const auto refusal = [&mine](const std::string& from, const std::string& to) {
        std::string text = bytesOf(mine.path("nodes/box.json"));
        const std::size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos);
        const TemporaryProfiles other("other");
        other.write("nodes/box.json", text.replace(at, from.size(), to));
        return errorOf(ProfileStore::open(std::array{other.path()})->cluster("box"));
    };
    EXPECT_NE(refusal("h100-sxm5-80gb", "h100-sxm5-81gb")
                  .find("box.json:6:10: no GPU is called \"h100-sxm5-81gb\" (near it: \"h100-"),
              std::string::npos);
    EXPECT_NE(refusal("nvlink4", "nvlink44").find("no fabric is called \"nvlink44\""),
              std::string::npos);
    EXPECT_NE(refusal("\"count\": { \"value\": 8,", "\"count\": { \"value\": 4097,")
                  .find("\"count\" is more than 4096"),
              std::string::npos);
    EXPECT_NE(refusal("\"ib-ndr\"", "\"ib-nrd\"").find("did you mean \"ib-ndr\"?"),
              std::string::npos);
}

TEST(ProfileStore, RefusesAFabricThatExtendsInACircle) {
    const TemporaryProfiles mine;
    for (const char* name : {"a", "b"}) {
        mine.write(std::string("fabrics/") + name + ".json",
                   std::string(R"({"schema": "fabricast.fabric/1", "title": "", "name": ")") +
                       name + R"(", "extends": ")" + (*name == 'a' ? "b" : "a") + "\"}");
    }
    const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
    ASSERT_TRUE(store) << store.error().text();
    EXPECT_NE(errorOf(store->fabric("a")).find("\"b\" extends another fabric itself"),
              std::string::npos);
}

TEST(ProfileStore, RefusesAFolderThatHoldsNoProfiles) {
    const TemporaryProfiles mine;
    EXPECT_NE(errorOf(ProfileStore::open(std::array{mine.path()})).find("has no profiles"),
              std::string::npos);
    const std::string missing = mine.path("missing");
    EXPECT_EQ(ProfileStore::open(std::array{missing}).error().where, missing);
}

}  // namespace
}  // namespace fabricast
