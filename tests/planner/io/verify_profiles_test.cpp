#include "planner/io/verify_profiles.h"

#include "planner/io/profile_list.h"
#include "planner/io/profile_sheet.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

namespace fabricast {
namespace {

std::size_t countOf(const ProfileVerification& result, ProfileKind kind) {
    return result.count[static_cast<std::size_t>(kind)];
}

/// All findings about the built-in profiles with one file on top, a line each.
std::string findingsWith(const std::string& file, const std::string& text) {
    const TemporaryProfiles mine;
    mine.write(file, text);
    const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
    if (!store) {
        return store.error().text();
    }
    std::string lines;
    for (const ProfileFinding& finding : verifyProfiles(*store).findings) {
        EXPECT_EQ(finding.where.substr(0, mine.path().size()), mine.path()) << finding.where;
        lines += (finding.severity == ProfileFinding::Severity::Error ? "error: " : "") +
                 finding.why + "\n";
    }
    return lines;
}

std::string findingsAfter(const std::string& file, const std::string& from, const std::string& to) {
    return findingsWith(file, shippedProfile(file, from, to));
}

TEST(VerifyProfiles, FindsNothingWrongWithWhatWeShip) {
    const ProfileVerification result = verifyProfiles(ProfileStore::builtIn());
    for (const ProfileFinding& finding : result.findings) {
        ADD_FAILURE() << finding.where << ": " << finding.why << " (" << finding.hint << ")";
    }
    EXPECT_TRUE(result.sound());
    EXPECT_FALSE(result.unknown.empty());
    // The fact sheet the files started from has 24, 23 and 28.
    EXPECT_GE(countOf(result, ProfileKind::Gpu), 24U + 8U);
    EXPECT_GE(countOf(result, ProfileKind::Node), 23U);
    EXPECT_GE(countOf(result, ProfileKind::Fabric), 28U);
    EXPECT_GE(countOf(result, ProfileKind::Cluster), 18U);
}

TEST(VerifyProfiles, FindsWhatContradictsItself) {
    EXPECT_EQ(findingsAfter("gpus/h100-sxm5-80gb.json", "81559 MiB", "96 GiB"),
              "\"reported_memory\" (96 GiB) is more than \"memory\" (80 GB)\n");
    EXPECT_EQ(findingsAfter("gpus/h100-sxm5-80gb.json", "1979 TFLOP/s", "197.9 TFLOP/s"),
              "\"dense_peak.fp8\" (197.9 TFLOP/s) is below that of a wider type (989 TFLOP/s)\n");
    EXPECT_EQ(findingsAfter("nodes/dgx-h100.json", "\"h100-sxm5-80gb\"", "\"l40s\""),
              "\"gpu_fabric\" is nvswitch, but l40s has no such link\n");
    EXPECT_EQ(findingsAfter("nodes/dgx-h100.json", "\"nvlink4\"", "\"nvlink3\""),
              "h100-sxm5-80gb has faster links (450 GB/s) than the fabric \"nvlink3\"\n");
    EXPECT_EQ(findingsAfter("clusters/dgx-h100.json", "\"ib-ndr\"", "\"ib-hdr\""),
              "the NICs of \"dgx-h100\" (50 GB/s) are faster than the fabric \"ib-hdr\" "
              "(25 GB/s)\n");
    EXPECT_EQ(findingsAfter("fabrics/efa-p5en.json", "24.2 GB/s", "26 GB/s"),
              "\"achieved_bandwidth\" (26 GB/s) is more than \"link_bandwidth\" (25 GB/s)\n");
}

TEST(VerifyProfiles, FindsNumbersOfUnknownOrigin) {
    const std::string gpu = "gpus/h100-sxm5-80gb.json";
    const std::string from = R"("700 W", "source": "datasheet", "from": "aiconfigurator")";
    EXPECT_EQ(findingsAfter(gpu, from, R"("700 W", "source": "datasheet")"),
              "\"power\" is datasheet, but not where\n");
    EXPECT_EQ(findingsAfter(gpu, from, R"("700 W", "source": "assumed")"),
              "\"power\" is assumed without a reason\n");
    EXPECT_EQ(findingsAfter(gpu, from, R"("700 W", "source": "measured", "from": "labnotes")"),
              "\"power\" is from \"labnotes\", which no sources.json lists\n");
    EXPECT_EQ(findingsAfter(gpu, from, R"("700 W", "source": "measured", "from": "our lab, 2026")"),
              "");
}

TEST(VerifyProfiles, FindsFilesThatCannotBeReadAndNamesThatClash) {
    EXPECT_EQ(findingsWith("nodes/mine.json", "{").substr(0, 7), "error: ");
    EXPECT_EQ(findingsWith("nodes/mine.json", "[]"),
              "error: the text must be an object, not a list\n");
    EXPECT_EQ(
        findingsAfter(
            "nodes/dgx-h100.json", "\"aliases\": [\"dgx_h100\"]", "\"aliases\": [\"dgx_h200\"]"),
        "the alias \"dgx_h200\" leads to \"dgx-h200\"\n");
}

TEST(ProfileList, HasARowForEveryProfile) {
    const ProfileStore store = ProfileStore::builtIn();
    const auto rows = listProfiles(store, ProfileKind::Gpu);
    ASSERT_TRUE(rows) << rows.error().text();
    EXPECT_EQ(rows->size(), store.files(ProfileKind::Gpu).size());
    EXPECT_TRUE(std::ranges::is_sorted(*rows, {}, &ProfileRow::name));
    const auto h100 = std::ranges::find(*rows, "h100-sxm5-80gb", &ProfileRow::name);
    ASSERT_NE(h100, rows->end());
    EXPECT_EQ(h100->summary, "80 GB, 3.35 TB/s, bf16 989 TFLOP/s");
    EXPECT_TRUE(h100->builtIn);
    const auto all = listProfiles(store);
    ASSERT_TRUE(all) << all.error().text();
    std::size_t files = 0;
    for (const ProfileKind kind : kProfileKinds) {
        files += store.files(kind).size();
    }
    EXPECT_EQ(all->size(), files);
}

TEST(ProfileSheets, FollowWhatAClusterNames) {
    const auto sheets = profileSheets(ProfileStore::builtIn(), "dgx-h100");
    ASSERT_TRUE(sheets) << sheets.error().text();
    std::string names;
    for (const ProfileSheet& sheet : *sheets) {
        names += std::string(profileKindName(sheet.kind)) + " " + sheet.name + "\n";
    }
    EXPECT_EQ(names,
              "cluster dgx-h100\nnode dgx-h100\ngpu h100-sxm5-80gb\nfabric nvlink4\n"
              "fabric ib-ndr\n");
    const ProfileSheet& gpu = (*sheets)[2];
    const auto fact = std::ranges::find(gpu.facts, "usable_memory", &ProfileFact::key);
    ASSERT_NE(fact, gpu.facts.end());
    EXPECT_EQ(fact->value, "81089 MiB");
    EXPECT_EQ(fact->range, "79.11 GiB to 79.33 GiB");
    EXPECT_EQ(fact->source, "measured");
    EXPECT_EQ(fact->from, "torch-reports");
}

}  // namespace
}  // namespace fabricast
