#include "planner/profiles/verify_profiles.h"

#include "planner/profiles/profile_list.h"
#include "planner/profiles/profile_sheet.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::size_t countOf(const ProfileVerification& result, ProfileKind kind) {
    return result.count[static_cast<std::size_t>(kind)];
}

/// A shipped file under another name, with something in it replaced.
struct Edit {
    std::string file;
    std::string name;
    std::string from;
    std::string to;
};

/// All findings about the built-in profiles with these on top, each on a line of its own. Checking
/// everything takes a moment, so that a test makes all its edits at once.
std::string findingsAfter(const std::vector<Edit>& edits) {
    const TemporaryProfiles mine;
    for (const Edit& edit : edits) {
        std::string text = shippedProfile(edit.file, edit.from, edit.to);
        const std::size_t slash = edit.file.find('/');
        const std::string old = edit.file.substr(slash + 1, edit.file.size() - slash - 6);
        const std::string key = "\"name\": \"";
        text.replace(text.find(key + old), key.size() + old.size(), key + edit.name);
        // Aliases stay with the original.
        const std::size_t aliases = text.find("\"aliases\": [");
        text.erase(aliases, text.find(']', aliases) + 3 - aliases);
        mine.write(edit.file.substr(0, slash + 1) + edit.name + ".json", text);
    }
    const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
    std::string lines = store ? "" : store.error().text();
    for (const ProfileFinding& finding : verifyProfiles(*store).findings) {
        const std::string file = finding.where.substr(finding.where.rfind('/') + 1);
        lines += file.substr(0, file.find('.')) + ": " + finding.why + "\n";
    }
    return lines;
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
    EXPECT_EQ(countOf(result, ProfileKind::Kernel), countOf(result, ProfileKind::Gpu));
}

TEST(VerifyProfiles, FindsWhatContradictsItself) {
    const std::string gpu = "gpus/h100-sxm5-80gb.json";
    EXPECT_EQ(findingsAfter({{gpu, "a-reported", "81559 MiB", "96 GiB"},
                             {gpu, "a-slow-fp8", "1979 TFLOP/s", "197.9 TFLOP/s"},
                             {"nodes/dgx-h100.json", "a-no-link", "\"h100-sxm5-80gb\"", "\"l40s\""},
                             {"nodes/dgx-h100.json", "a-slow-link", "\"nvlink4\"", "\"nvlink3\""},
                             {"fabrics/efa-p5en.json", "a-fabric", "24.2 GB/s", "26 GB/s"},
                             {"clusters/dgx-h100.json", "a-cluster", "\"ib-ndr\"", "\"ib-hdr\""}}),
              "a-reported: \"reported_memory\" (96 GiB) is more than \"memory\" (80 GB)\n"
              "a-slow-fp8: \"dense_peak.fp8\" (197.9 TFLOP/s) is below that of a wider type "
              "(989 TFLOP/s)\n"
              "a-no-link: \"gpu_fabric\" is nvswitch, but l40s has no link of this kind\n"
              "a-slow-link: h100-sxm5-80gb has faster links (450 GB/s) than the fabric "
              "\"nvlink3\"\n"
              "a-fabric: \"achieved_bandwidth\" (26 GB/s) is more than \"link_bandwidth\" "
              "(25 GB/s)\n"
              "a-cluster: the NICs of \"dgx-h100\" (50 GB/s) are faster than the fabric "
              "\"ib-hdr\" (25 GB/s)\n");
}

TEST(VerifyProfiles, FindsNumbersOfUnknownOrigin) {
    const std::string gpu = "gpus/h100-sxm5-80gb.json";
    const std::string from = R"("700 W", "source": "datasheet", "from": "aiconfigurator")";
    EXPECT_EQ(findingsAfter(
                  {{gpu, "a-no-place", from, R"("700 W", "source": "datasheet")"},
                   {gpu, "b-no-reason", from, R"("700 W", "source": "assumed")"},
                   {gpu, "c-no-id", from, R"("700 W", "source": "measured", "from": "labnotes")"},
                   {gpu, "d-title", from, R"("700 W", "source": "measured", "from": "our lab")"}}),
              "a-no-place: \"power\" is datasheet, without a reference\n"
              "b-no-reason: \"power\" is assumed without a reason\n"
              "c-no-id: \"power\" is from \"labnotes\", which is not in sources.json\n");
}

TEST(VerifyProfiles, FindsNamesThatClashAndFilesThatCannotBeRead) {
    const std::string title = "\"title\": \"NVIDIA DGX H200\"";
    EXPECT_EQ(
        findingsAfter(
            {{"nodes/dgx-h200.json", "a-node", title, title + ", \"aliases\": [\"dgx_h200\"]"},
             {"nodes/dgx-h100.json", "b-node", "{", "["}}),
        "b-node: not valid JSON: unexpected ':'; expected ']'\n"
        "a-node: the alias \"dgx_h200\" refers to \"dgx-h200\"\n");
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
