#include "probes/launch/place.h"

#include "probes/launch/launchers.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <sstream>

namespace fabricast::probe {
namespace {

Environment environmentOf(const std::string& text) {
    Environment environment;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        environment[word.substr(0, equals)] = word.substr(equals + 1);
    }
    return environment;
}

/// The place of "--rank=1 --world-size=2", or what is wrong, in the program's words.
Answer<Place> placeOfWords(const std::string& flags, const std::string& environment) {
    PlaceFlags taken;
    for (const auto& [flag, value] : environmentOf(flags)) {
        const Answer<bool> known = takePlaceFlag(flag, value, taken);
        if (!known) {
            return Trouble{flag + ": " + known.trouble().why};
        }
        EXPECT_TRUE(*known) << flag;
    }
    return placeOf(taken, environmentOf(environment));
}

std::string numberText(const std::optional<int>& number) {
    return number ? std::to_string(*number) : "";
}

TEST(Place, IsWhatFlagsAndLauncherSay) {
    const CsvTable cases = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/launch/places.csv");
    ASSERT_GT(cases.rows(), 30U);
    for (std::size_t row = 0; row < cases.rows(); ++row) {
        SCOPED_TRACE(cases.text(row, "name"));
        const Answer<Place> place =
            placeOfWords(cases.text(row, "flags"), cases.text(row, "environment"));
        const std::string trouble = cases.text(row, "trouble");
        ASSERT_EQ(place ? "" : place.trouble().why, trouble);
        if (!place) {
            continue;
        }
        EXPECT_EQ(place->rank, cases.integer(row, "rank"));
        EXPECT_EQ(place->world, cases.integer(row, "world"));
        EXPECT_EQ(numberText(place->localRank), cases.text(row, "local_rank"));
        EXPECT_EQ(numberText(place->localSize), cases.text(row, "local_size"));
        EXPECT_EQ(place->host, cases.text(row, "host"));
        EXPECT_EQ(place->port, cases.integer(row, "port"));
        EXPECT_EQ(place->job, cases.text(row, "job"));
        EXPECT_EQ(place->launcher, cases.text(row, "launcher"));
    }
}

TEST(Place, OnlyRankZeroGetsTheListener) {
    const std::string world = "WORLD_SIZE=2 MASTER_ADDR=a MASTER_PORT=9 FABRICAST_PROBE_LISTENER=";
    EXPECT_EQ(placeOfWords("", "RANK=0 " + world + "5")->listener, 5);
    EXPECT_EQ(placeOfWords("", "RANK=1 " + world + "5")->listener, -1);
    EXPECT_EQ(placeOfWords("", "RANK=0 " + world + "x").trouble().why,
              "FABRICAST_PROBE_LISTENER: 'x' is no whole number from 3 to 1048576");
}

TEST(Place, TakesOnlyItsOwnFlags) {
    PlaceFlags flags;
    EXPECT_FALSE(*takePlaceFlag("--out", "x", flags));
    EXPECT_TRUE(*takePlaceFlag("--rank", "7", flags));
    EXPECT_EQ(flags.rank, 7);
    EXPECT_EQ(takePlaceFlag("--rank", "7x", flags).trouble().why,
              "'7x' is no whole number from 0 to 1048576");
}

TEST(SlurmWords, FindTheFirstHost) {
    for (const auto& [list, host] :
         std::map<std::string, std::string>{{"node01", "node01"},
                                            {"node01,node02", "node01"},
                                            {"node[01-04,7]", "node01"},
                                            {"node[7]", "node7"},
                                            {"node[07,09-12],login1", "node07"},
                                            {"rack[1-2]n[03-04]", "rack1n03"},
                                            {"gpu-[001-128]-ib", "gpu-001-ib"}}) {
        const Answer<std::string> first = firstHost(list);
        ASSERT_TRUE(first) << list;
        EXPECT_EQ(*first, host) << list;
    }
    for (const char* list : {"", ",a", "node[", "node[]", "node[-3]", "]", "node[1-2", "a b"}) {
        EXPECT_FALSE(firstHost(list)) << list;
    }
}

TEST(SlurmWords, CountTasks) {
    using Tasks = std::vector<int>;
    EXPECT_EQ(*tasksPerNode("8"), Tasks({8}));
    EXPECT_EQ(*tasksPerNode("8(x4)"), Tasks({8, 8, 8, 8}));
    EXPECT_EQ(*tasksPerNode("2(x2),1,4(x1)"), Tasks({2, 2, 1, 4}));
    for (const char* text :
         {"", "x", "8(", "8(x", "8(x)", "8(x2", "(x2)", "0", "-1", "8,", "8(x99999999)", "8()x2"}) {
        EXPECT_FALSE(tasksPerNode(text)) << text;
    }
}

}  // namespace
}  // namespace fabricast::probe
