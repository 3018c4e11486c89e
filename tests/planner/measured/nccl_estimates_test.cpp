#include "planner/measured/nccl_estimates.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

namespace fabricast {
namespace nccl_estimates_test {

const std::string kHead = "{\"schema\":\"fabricast.nccl_costs/1\",\"nccl\":\"2.28.9\"}\n";
const std::string kRing =
    "{\"collective\":\"all_reduce\",\"bytes\":1048576,\"ranks\":8,\"nodes\":1,\"operations\":1,"
    "\"registered\":false,\"us\":{\"tree\":{\"ll\":40.5,\"simple\":31.25},\"ring\":{\"ll128\":31."
    "25}}}"
    "\n";
const std::string kGather =
    "{\"collective\":\"all_gather\",\"bytes\":64,\"ranks\":4,\"nodes\":2,\"us\":{\"pat\":{"
    "\"simple\":"
    "12}}}\n";

NcclEstimates read(const std::string& text) {
    const auto dump = parseNcclEstimates(text, "costs.jsonl");
    EXPECT_TRUE(dump) << dump.error().text();
    return dump ? *dump : NcclEstimates{};
}

std::string errorOf(const std::string& text) {
    const auto dump = parseNcclEstimates(text, "costs.jsonl");
    return dump ? "" : dump.error().text();
}

TEST(NcclEstimates, AreReadAsTheyWereWritten) {
    const NcclEstimates dump = read(kHead + kRing + "\r\n" + kHead + kGather);
    EXPECT_EQ(dump.version, "2.28.9");
    ASSERT_EQ(dump.calls.size(), 2U);
    const NcclEstimate& ring = dump.calls[0];
    EXPECT_EQ(ring.kind, CollectiveKind::AllReduce);
    EXPECT_EQ(ring.bytes, Bytes(1 << 20));
    EXPECT_EQ(ring.ranks, 8);
    ASSERT_EQ(ring.ways.size(), 3U);
    // Of two that are as fast NCCL takes the first.
    EXPECT_EQ(ring.choice().algorithm, "tree");
    EXPECT_EQ(ring.choice().protocol, "simple");
    EXPECT_DOUBLE_EQ(ring.choice().time.count(), 31.25e-6);
    EXPECT_EQ(dump.calls[1].nodes, 2);
    EXPECT_EQ(dump.calls[1].operations, 1);
}

TEST(NcclEstimates, WhatNobodyKnowsIsCountedAndLeftOut) {
    const NcclEstimates dump = read(
        kHead +
        "{\"collective\":\"collective8\",\"bytes\":1,\"ranks\":8,\"nodes\":1,\"us\":{}}\n"
        "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":8,\"nodes\":1,\"us\":{\"ring\":{}}}\n" +
        "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":8,\"nodes\":1,\"us\":{\"algorithm7\":{"
        "\"simple\":3}}}\n");
    ASSERT_EQ(dump.calls.size(), 1U);
    EXPECT_EQ(dump.calls[0].choice().algorithm, "algorithm7");
    ASSERT_EQ(dump.leftOut.size(), 1U);
    EXPECT_EQ(dump.leftOut[0].substr(0, 20), "costs.jsonl: 2 calls");
}

TEST(NcclEstimates, SeveralDumpsBecomeOne) {
    const auto merged = mergeNcclEstimates({read(kHead + kGather + kRing), read(kHead + kRing)});
    ASSERT_TRUE(merged);
    ASSERT_EQ(merged->calls.size(), 2U);
    EXPECT_EQ(merged->calls[0].kind, CollectiveKind::AllReduce);
    const std::string other = "{\"schema\":\"fabricast.nccl_costs/1\",\"nccl\":\"2.27.3\"}\n";
    const auto mixed = mergeNcclEstimates({read(kHead + kRing), read(other + kRing)});
    ASSERT_FALSE(mixed);
    EXPECT_NE(mixed.error().why.find("NCCL 2.27.3, the previous lines are from 2.28.9"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + other).find("costs.jsonl:2:1: is from NCCL 2.27.3"),
              std::string::npos);
}

TEST(NcclEstimates, MistakesNameTheirLine) {
    EXPECT_NE(errorOf("").find("costs.jsonl: is empty"), std::string::npos);
    EXPECT_NE(errorOf(kHead + kRing.substr(0, 60)).find("costs.jsonl:2:"), std::string::npos);
    EXPECT_NE(errorOf(kRing).find("costs.jsonl:1:1"), std::string::npos) << errorOf(kRing);
    EXPECT_NE(errorOf("{\"schema\":\"fabricast.measurements/1\"}\n").find("--from-record"),
              std::string::npos);
    EXPECT_NE(errorOf(kHead + "[1]\n").find("costs.jsonl:2:1"), std::string::npos);
    for (const char* const call :
         {"{\"collective\":\"reduce\",\"bytes\":-1,\"ranks\":8,\"nodes\":1,\"us\":{}}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":0,\"nodes\":1,\"us\":{}}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":2,\"nodes\":3,\"us\":{}}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":2,\"nodes\":1,\"us\":[1]}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":2,\"nodes\":1,\"us\":{\"ring\":{\"ll\":"
          "-1}"
          "}}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":2,\"nodes\":1}",
          "{\"collective\":\"reduce\",\"bytes\":1,\"ranks\":2,\"nodes\":1,\"us\":{},\"more\":1}"}) {
        EXPECT_EQ(errorOf(kHead + call).substr(0, 14), "costs.jsonl:2:") << errorOf(kHead + call);
    }
}

TEST(NcclEstimates, FilesWithoutTimesAreToldByName) {
    EXPECT_NE(errorOf("# collective_type,min_bytes\nallreduce,0,65536,tree,simple,2,1,-1,-1,1\n")
                  .find("NCCL's example tuner"),
              std::string::npos);
    EXPECT_NE(
        errorOf("node1:12:13 [0] NCCL INFO comm 0x1\nnode1:12:13 [0] NCCL INFO AllReduce: 4096 "
                "Bytes -> Algo RING proto LL channel{Lo..Hi}={0..1}\n")
            .find("neither times nor ranks"),
        std::string::npos);
}

RC_GTEST_PROP(NcclEstimates, AnyBytesGiveAnAnswerOrAnError, (const std::string& noise)) {
    RC_ASSERT(!errorOf(noise).empty());
    std::string text = kHead + kRing + kGather;
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    text.replace(at, 1, noise);
    const auto dump = parseNcclEstimates(text, "costs.jsonl");
    RC_ASSERT(dump.has_value() || !dump.error().where.empty());
}

}  // namespace nccl_estimates_test
}  // namespace fabricast
