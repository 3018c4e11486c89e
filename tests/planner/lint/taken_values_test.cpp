#include "planner/lint/taken_values.h"

#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>
#include <vector>

namespace fabricast {
namespace {

std::vector<std::string> partsOf(const std::string& takes) {
    std::vector<std::string> parts;
    std::istringstream words(takes);
    for (std::string part; std::getline(words, part, '|');) {
        parts.push_back(part);
    }
    return parts;
}

/// The frameworks' own code was asked for each.
TEST(TakenValues, AreThoseThatTheFrameworksTook) {
    const std::map<std::string, ValueLoader> loaders = {{"json", ValueLoader::Json},
                                                        {"yaml", ValueLoader::Yaml},
                                                        {"switches", ValueLoader::Switches},
                                                        {"words", ValueLoader::Words}};
    for (const CaseRow& row : readCases("lint/taken_values.csv")) {
        const std::string why = whyNotTaken(partsOf(row.at("takes")),
                                            row.at("value"),
                                            row.at("quoted") == "1",
                                            loaders.at(row.at("loader")));
        EXPECT_EQ(why.empty(), row.at("taken") == "1")
            << row.at("takes") << " of " << row.at("loader") << ": \"" << row.at("value") << "\"";
    }
}

TEST(TakenValues, AreNamedWhereNoneIsTaken) {
    EXPECT_EQ(whyNotTaken(partsOf("auto|switch"), "maybe", false, ValueLoader::Yaml),
              "\"auto\" or true or false");
    EXPECT_EQ(whyNotTaken(partsOf("a|b|c"), "d", false, ValueLoader::Words),
              "\"a\", \"b\" or \"c\"");
    EXPECT_EQ(whyNotTaken({}, "anything", false, ValueLoader::Words), "");
    EXPECT_EQ(nearestTaken(partsOf("none|cpu|nvme"), "cpuu"), "cpu");
    EXPECT_EQ(nearestTaken(partsOf("whole"), "whol"), "");
}

}  // namespace
}  // namespace fabricast
