#include "planner/launch/key_lines.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const std::string kYaml =
    "# mine\nbase_model: a/b\ndatasets:\n  - path: x\n    type: alpaca\n\nfsdp:\n- full_shard\n"
    "learning_rate: 1e-4";
const std::string kToml =
    "top = 1\n[job]\nfolder = \"x\"\n\n[training]\nsteps = 10  # all\nlist = [\n  1,\n  2,\n]\n"
    "[[of.lists]]\na = 1\n";

TEST(KeyLines, AreThoseOfTheTopLevelOfYaml) {
    const std::vector<KeyLines> keys = keyLines(kYaml, "a.yaml");
    ASSERT_EQ(keys.size(), 4U);
    EXPECT_EQ(keys[0], (KeyLines{"", "base_model", "base_model: a/b\n"}));
    EXPECT_EQ(keys[1], (KeyLines{"", "datasets", "datasets:\n  - path: x\n    type: alpaca\n"}));
    EXPECT_EQ(keys[2], (KeyLines{"", "fsdp", "fsdp:\n- full_shard\n"}));
    EXPECT_EQ(keys[3].lines, "learning_rate: 1e-4");
}

TEST(KeyLines, AreThoseOfTomlsSections) {
    const std::vector<KeyLines> keys = keyLines(kToml, "a.toml");
    ASSERT_EQ(keys.size(), 4U);
    EXPECT_EQ(keys[0], (KeyLines{"", "top", "top = 1\n"}));
    EXPECT_EQ(keys[1], (KeyLines{"job", "folder", "folder = \"x\"\n"}));
    EXPECT_EQ(keys[2], (KeyLines{"training", "steps", "steps = 10  # all\n"}));
    EXPECT_EQ(keys[3], (KeyLines{"training", "list", "list = [\n  1,\n  2,\n]\n"}));
}

TEST(KeyLines, ReplaceThoseOfTheSameKey) {
    EXPECT_EQ(withKeyLines("a: 1\nb: 2\n", "x.yaml", {"", "a", "a: [1,\n  2]"}),
              "a: [1,\n  2]\nb: 2\n");
    EXPECT_EQ(withKeyLines("[s]\na = 1\n[t]\na = 2\n", "x.toml", {"t", "a", "a = 3\n"}),
              "[s]\na = 1\n[t]\na = 3\n");
}

TEST(KeyLines, AreAddedWhereThereAreNone) {
    EXPECT_EQ(withKeyLines("a: 1", "x.yaml", {"", "b", "b: 2\n"}), "a: 1\nb: 2\n");
    EXPECT_EQ(withKeyLines("[s]\na = 1\n\n[t]\nb = 2\n", "x.toml", {"s", "c", "c = 3\n"}),
              "[s]\na = 1\nc = 3\n\n[t]\nb = 2\n");
    EXPECT_EQ(withKeyLines("[s]\na = 1\n", "x.toml", {"u", "c", "c = 3\n"}),
              "[s]\na = 1\n\n[u]\nc = 3\n");
    EXPECT_EQ(withKeyLines("[s]\na = 1\n", "x.toml", {"", "c", "c = 3\n"}), "c = 3\n[s]\na = 1\n");
}

TEST(KeyLines, OfAnyBytesAreOfTheFile) {
    for (const char* const text :
         {"", "\n", ":", "[", "[[", "= 1", "a:\n\t\n", "a = [[[", "- a: 1"}) {
        for (const char* const name : {"x.yaml", "x.toml"}) {
            for (const KeyLines& key : keyLines(text, name)) {
                EXPECT_NE(std::string(text).find(key.lines), std::string::npos) << text;
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
