#include "planner/profiles/profile_store.h"
#include "planner/text/text_files.h"
#include "simulator/topology/read_topology.h"
#include "simulator/topology/topology_matrix.h"
#include "simulator/topology/topology_report.h"
#include "simulator/topology/xml_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

const std::string kCases = FABRICAST_SOURCE_DIR "/tests/cases/topology/";

std::string contents(const std::string& name) {
    return *readTextFile(kCases + name);
}

Result<DescribedTopology> nccl(const std::string& text) {
    return ncclTopology(text, "t.xml", *ProfileStore::builtIn().ncclModel("nccl"));
}

BytesPerSecond rateOf(const Topology& topology, const std::string& name) {
    const auto link = topology.link(name);
    return link ? topology.links()[*link].bandwidth : BytesPerSecond(0);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(NcclTopology, HasWhatNcclSaw) {
    const auto read = nccl(contents("four_h100.xml"));
    ASSERT_TRUE(read) << read.error().text();
    const Topology& topology = read->topology;
    EXPECT_EQ(topology.gpus().size(), 4U);
    EXPECT_EQ(topology.nodes(), 1U);
    // 16 lanes of 32 GT/s in 128b/130b are 63 GB/s; five NVLinks of 20.6 GB/s go to a switch.
    EXPECT_NEAR(rateOf(topology, "node0/gpu2-node0/pci1").count(), 63.0e9, 0.1e9);
    EXPECT_NEAR(rateOf(topology, "node0/gpu0-node0/nvswitch0").count(), 5 * 20.6e9, 1.0);
    EXPECT_TRUE(topology.link("node0/nic3-node0/pci1"));
    EXPECT_TRUE(topology.link("node0/cpu0-node0/cpu1"));
}

TEST(NcclTopology, KeepsHostsApart) {
    std::string text = contents("four_h100.xml");
    const std::size_t second = text.rfind("0x5a1f9a5b1c2d3e4f");
    text.replace(second, 18, "0x0000000000000002");
    const auto read = nccl(text);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->topology.nodes(), 2U);
    EXPECT_TRUE(read->topology.link("node1/nic0-leaf0"));
}

TEST(NcclTopology, SaysWhichLineIsWrong) {
    const std::string good = contents("four_h100.xml");
    const struct {
        const char* from;
        const char* to;
        const char* error;
    } cases[] = {
        {"link_width=\"16\"",
         "link_width=\"0\"",
         "t.xml:3: \"link_width\" of <pci> cannot be \"0\""},
        {"32.0 GT/s", "32e99 GT/s", "t.xml:3: \"link_speed\" of <pci> cannot be"},
        {"count=\"5\"", "count=\"-5\"", "t.xml:6: \"count\" of <nvlink> cannot be \"-5\""},
        {"count=\"5\"", "count=\"100000\"", "t.xml:6: \"count\" of <nvlink>"},
        {"speed=\"400000\"", "speed=\"0\"", "t.xml:14: \"speed\" of <net> cannot be \"0\""},
        {"sm=\"90\"", "sm=\"13\"", "t.xml:5: \"nccl-2-30\" has no NVLink of \"sm_13\""},
        {"tclass=\"0x068000\"", "tclass=\"0x030200\"", "t.xml:6: an <nvlink> goes to"},
        {"0000:1c:00.0", "0000:18:00.0", "appears twice"},
        {"<system version", "<sistem version", "has no opening tag"},
        {"busid=\"0000:15:00.0\" ", "", "t.xml:3: <pci> has no \"busid\""},
    };
    for (const auto& wrong : cases) {
        const auto read = nccl(replaced(good, wrong.from, wrong.to));
        ASSERT_FALSE(read) << wrong.to;
        EXPECT_NE(read.error().text().find(wrong.error), std::string::npos) << read.error().text();
    }
}

TEST(XmlText, IsRefusedWhereItIsCutOff) {
    const std::string good = contents("four_h100.xml");
    for (std::size_t length = 0; length + 2 < good.size(); length += 7) {
        const auto read = parseXml(std::string_view(good).substr(0, length), "t.xml");
        ASSERT_FALSE(read) << length;
        EXPECT_TRUE(read.error().where.starts_with("t.xml:")) << read.error().text();
    }
    EXPECT_TRUE(parseXml(good, "t.xml"));
}

TEST(XmlText, BoundsWhatItTakes) {
    const auto refusal = [](const std::string& text) {
        const auto read = parseXml(text, "t.xml");
        return read ? std::string() : read.error().text();
    };
    std::string deep;
    for (int level = 0; level < 100'000; ++level) {
        deep += "<a>";
    }
    EXPECT_NE(refusal(deep).find("more than 32 levels"), std::string::npos);
    std::string wide = "<a>";
    for (int element = 0; element < 200'000; ++element) {
        wide += "<b/>\n";
    }
    EXPECT_NE(refusal(wide + "</a>").find("t.xml:100000: more than 100,000 elements"),
              std::string::npos)
        << refusal(wide + "</a>");
    EXPECT_NE(refusal("<!DOCTYPE lolz [<!ENTITY lol \"lol\">]><a>&lol;</a>").find("DOCTYPE"),
              std::string::npos);
    EXPECT_NE(refusal("<a b=\"&lol;\"/>").find("entity"), std::string::npos);
    EXPECT_NE(refusal(std::string(std::size_t{9} << 20, ' ')).find("8 MiB"), std::string::npos);
    EXPECT_NE(refusal("<a x='1' x='2'/>").find("is given twice"), std::string::npos);
}

TEST(XmlText, KnowsTheFiveEntitiesAndNumbers) {
    const auto read = parseXml("<?xml version='1.0'?><!-- - --><a b='&lt;&amp;&#65;&#x42;'/>", "t");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(*read->find("b"), "<&AB");
}

Result<DescribedTopology> matrix(const std::string& text, const std::string& gpu) {
    return topoMatrix(text, "topo.txt", *ProfileStore::builtIn().gpu(gpu));
}

TEST(TopoMatrix, HasTheSwitchesThatTheTableImplies) {
    const auto read = matrix(contents("eight_h100.txt"), "h100-sxm5-80gb");
    ASSERT_TRUE(read) << read.error().text();
    const Topology& topology = read->topology;
    EXPECT_EQ(topology.gpus().size(), 8U);
    // NV18 to all: 18 links of 25 GB/s into one switch.
    EXPECT_EQ(rateOf(topology, "node0/gpu5-node0/nvswitch0").count(), 450e9);
    // PXB within two GPUs: one PCIe switch for two GPUs and two NICs.
    EXPECT_TRUE(topology.link("node0/gpu2-node0/pci1"));
    EXPECT_TRUE(topology.link("node0/nic3-node0/pci1"));
    EXPECT_TRUE(topology.link("node0/cpu0-node0/cpu1"));
}

TEST(TopoMatrix, OfACardBoxIsItsHostBridges) {
    const auto read = matrix(contents("four_4090.txt"), "rtx-4090");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_TRUE(read->topology.link("node0/gpu1-node0/root0"));
    EXPECT_TRUE(read->topology.link("node0/cpu0-node0/cpu1"));
    EXPECT_FALSE(read->topology.device("node0/nvswitch0"));
}

TEST(TopoMatrix, SaysWhichLineIsWrong) {
    const std::string good = contents("four_4090.txt");
    const struct {
        const char* from;
        const char* to;
        const char* error;
    } cases[] = {
        {"PHB", "SYS", "topo.txt:3: GPU1 and GPU0 disagree about the link between them"},
        {"PHB", "NV99", "topo.txt:2: \"NV99\" is not one of"},
        {"PHB", "PBH", "topo.txt:2: \"PBH\" is not one of"},
        {" X ", "SYS", "topo.txt:2: \"SYS\" in place of X"},
        {"GPU1\tSYS", "GPU9\tSYS", ""},
        {"GPU3", "GPU1", "topo.txt:1: GPU1 appears twice"},
    };
    for (const auto& wrong : cases) {
        if (std::string(wrong.error).empty()) {
            continue;
        }
        const auto read = matrix(replaced(good, wrong.from, wrong.to), "rtx-4090");
        ASSERT_FALSE(read) << wrong.to;
        EXPECT_NE(read.error().text().find(wrong.error), std::string::npos) << read.error().text();
    }
    const auto cut = matrix(good.substr(0, good.rfind("GPU3")), "rtx-4090");
    ASSERT_FALSE(cut);
    EXPECT_NE(cut.error().text().find("the table ends before GPU3"), std::string::npos);
}

TEST(TopologyJson, IsReadBackAsItWasWritten) {
    ClusterSpec spec = *ProfileStore::builtIn().cluster("dgx-h100");
    spec.nodes = 64;
    const auto built = clusterTopology(spec, {});
    const auto facts = topologyFacts(*built, {});
    const auto text = topologyJson(*built, *facts, "1");
    ASSERT_TRUE(text) << text.error().text();
    const auto read = readTopologyJson(*text, "t.json");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->topology.links().size(), built->topology.links().size());
    EXPECT_EQ(bisection(read->topology).bandwidth, facts->bisection.bandwidth);
    EXPECT_EQ(rateOf(read->topology, "leaf3-spine2"), rateOf(built->topology, "leaf3-spine2"));
    const auto again = topologyFacts(*read, {});
    EXPECT_EQ(*topologyJson(*read, *again, "1"), *topologyJson(*read, *again, "1"));
}

TEST(TopologyJson, SaysWhichLineIsWrong) {
    const std::string good = contents("two_boxes.json");
    ASSERT_TRUE(readTopologyJson(good, "t.json"));
    const struct {
        const char* from;
        const char* to;
        const char* error;
    } cases[] = {
        {"64 GB/s", "0 GB/s", "t.json:9:36: \"bandwidth\" must be from 1 B/s to 1 PB/s"},
        {"64 GB/s", "-4 GB/s", "t.json:9:36"},
        {"64 GB/s", "64e30 GB/s", "t.json:9:36"},
        {"\"a/gpu1\"", "\"a/gpu0\"", "there are two devices \"a/gpu0\""},
        {"b/gpu0 - b", "b/gpu7 - b", "joins \"b/gpu7\", which is not a device"},
        {"a/nic0 - b/nic0", "a/nic0 - a/nic0", "joins a device with itself"},
        {"a/nic0 - b/nic0", "a/nic0", "is not a link"},
        {"network", "ether", "t.json:12:15: \"kind\" cannot be \"ether\""},
        {"\"latency\"", "\"latencie\"", "did you mean \"latency\"?"},
        {"topology/1", "topologie/1", "is not a topology"},
    };
    for (const auto& wrong : cases) {
        const auto read = readTopologyJson(replaced(good, wrong.from, wrong.to), "t.json");
        ASSERT_FALSE(read) << wrong.to;
        EXPECT_NE(read.error().text().find(wrong.error), std::string::npos) << read.error().text();
    }
}

}  // namespace
}  // namespace fabricast
