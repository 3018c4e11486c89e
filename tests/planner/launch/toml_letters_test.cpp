#include "planner/launch/toml_letters.h"

#include "planner/launch/launch_keys.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

std::string placeText(std::string_view text) {
    const auto stray = strayTomlLetter(text);
    return stray ? std::to_string(stray->line) + ":" + std::to_string(stray->column) : "none";
}

TEST(TomlLetters, AreBeyondAsciiOnlyInQuotesAndComments) {
    EXPECT_EQ(placeText("\xEF\xBB\xBF"
                        "a = \"gr\u00f6\u00dfe\"  # gr\u00f6\u00dfe\n"),
              "none");
    EXPECT_EQ(placeText("a = '\u00f6\\'\nb = \"\\\"\u00f6\"\n"), "none");
    EXPECT_EQ(placeText("a = \"\"\"\n\"\u00f6\" \"\"\"\"\nb = '''\u00f6''\n'''\n"), "none");
    EXPECT_EQ(placeText("a = 1\ngr\u00f6\u00dfe = 2\n"), "2:3");
    EXPECT_EQ(placeText("a = \"\" \u00a0\n"), "1:8");
    EXPECT_EQ(placeText("a = \"\u00f6\u00f6\" \u00f6\n"), "1:10");
    EXPECT_EQ(placeText("a = 'open\n\u00f6 = 1\n"), "2:1");
    EXPECT_EQ(placeText("a.\"\u00f6\" = ['\u00f6','\u00f6']\n"), "none");
}

TEST(TomlLetters, AreRefusedByTheirPlace) {
    const auto keys = readTomlKeys("[training]\nsteps\u0228 = 1\n", "train.toml");
    ASSERT_FALSE(keys);
    EXPECT_NE(keys.error().text().find("train.toml:2:6"), std::string::npos) << keys.error().text();
}

// Quotes right behind a word or a number open nothing, nor do those behind them.
TEST(TomlLetters, BehindQuotesThatOpenNothingAreRefused) {
    for (const char* text : {"a = 1'\u00f6'\n",
                             "a = 1.\"\u00f6\"\n",
                             "a = 1'b=\"1':\u0228\n",
                             "a = 1b=\"1:\u0228\n",
                             "a = [1, 1:\"\u0228\"]\n",
                             "1.'a \"\"\"b' = 1\n\u0228 = 1\n\"\"\"\n"}) {
        EXPECT_FALSE(readTomlKeys(text, "train.toml")) << text;
    }
    EXPECT_TRUE(readTomlKeys("1.'\u00f6' = '\u0228'\n'\u00f6' = 1\n\"\u00e4\" = 2\n", ""));
}

TEST(TomlLetters, AnErrorBehindThemHasItsColumnInLetters) {
    const auto keys = readTomlKeys(
        "\xEF\xBB\xBF"
        "a = '\u00f6'\nb = ['\u00f6\u00f6', x]\n",
        "train.toml");
    ASSERT_FALSE(keys);
    EXPECT_NE(keys.error().text().find("train.toml:2:12"), std::string::npos)
        << keys.error().text();
}

TEST(TomlKeys, AreCountedOutsideOfQuotesAndComments) {
    const std::string text = "# a = 1\n[a]\nb = \"c = 1\"  # d = 2\n  [[e]]\nf = [[1], [2]]\n";
    EXPECT_FALSE(tomlKeyBeyond(text, 4));
    const auto last = tomlKeyBeyond(text, 3);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->line, 5);
    EXPECT_EQ(last->column, 3);
}

TEST(TomlKeys, BeyondTheMostAreRefusedAtOnce) {
    std::string text;
    for (std::size_t table = 0; table < kMostLaunchKeys; ++table) {
        text += "[a" + std::to_string(table) + "]\nb = 1\n";
    }
    const auto keys = readTomlKeys(text, "train.toml");
    ASSERT_FALSE(keys);
    EXPECT_EQ(keys.error().text(),
              "train.toml:20001:1: is a key beyond the 20000 that a launch file may have "
              "(the file that starts the training)");
}

}  // namespace
}  // namespace fabricast
