#include "planner/profiles/edit_profile.h"

#include <gtest/gtest.h>

#include <vector>

namespace fabricast {
namespace {

/// A file's text under the same name in a store of its own is read as that of the file.
TEST(EditProfile, EveryNodeIsReadAsBefore) {
    const ProfileStore store = ProfileStore::builtIn();
    for (const ProfileFile& file : store.files(ProfileKind::Node)) {
        const auto text = withNumbers(file, {});
        ASSERT_TRUE(text) << text.error().text();
        const auto before = store.clusterIn(file.text, file.source);
        const auto now = store.clusterIn(*text, file.source);
        ASSERT_TRUE(before && now) << file.source;
        EXPECT_EQ(now->node.title, before->node.title);
        EXPECT_EQ(now->node.gpus, before->node.gpus);
        EXPECT_EQ(now->node.inSwitchReduction, before->node.inSwitchReduction);
        EXPECT_EQ(now->node.pci.numaNodes.value, before->node.pci.numaNodes.value);
        EXPECT_EQ(now->node.pci.rootComplexes.note, before->node.pci.rootComplexes.note);
        EXPECT_EQ(now->node.power.value.has_value(), before->node.power.value.has_value());
        EXPECT_EQ(
            withNumbers({.kind = file.kind, .name = file.name, .source = "x", .text = *text}, {})
                .value(),
            *text);
    }
}

TEST(EditProfile, ANumberTakesItsPlaceOrIsAdded) {
    const std::string text = R"({ "name": "box", // of ours
      "pcie": { "host_bandwidth": { "value": "1 GB/s", "source": "assumed" }, "lanes": [1, 2.5, true, null, "x"] },
      "more": null })";
    const ProfileFile file{
        .kind = ProfileKind::Node, .name = "box", .source = "box.json", .text = text};
    const std::vector<ProfileNumber> numbers = {
        {"pcie.host_bandwidth",
         {.value = BytesPerSecond(48.5e9), .source = Source::Measured, .from = "probes"}},
        {"host_memory_bandwidth", {.value = BytesPerSecond(2e11), .source = Source::Measured}}};
    const auto edited = withNumbers(file, numbers);
    ASSERT_TRUE(edited) << edited.error().text();
    EXPECT_EQ(*edited,
              R"({
  "name": "box",
  "pcie": {
    "host_bandwidth": {
      "value": "48.5 GB/s",
      "source": "measured",
      "from": "probes"
    },
    "lanes": [
      1,
      2.5,
      true,
      null,
      "x"
    ]
  },
  "more": null,
  "host_memory_bandwidth": {
    "value": "200 GB/s",
    "source": "measured"
  }
}
)");
    const std::vector<ProfileNumber> inside = {{"name.first", {.value = BytesPerSecond(1)}}};
    EXPECT_FALSE(withNumbers(file, inside));
    EXPECT_FALSE(withNumbers({.source = "x", .text = "[1]"}, {}));
}

}  // namespace
}  // namespace fabricast
