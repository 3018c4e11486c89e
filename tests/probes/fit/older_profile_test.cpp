#include "probes/fit/older_profile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast {
namespace {

std::string collectives(const std::string& machine, const std::string& curves) {
    return R"({"schema": "fabricast.collective/1", "name": "measured-ours", "title": "ours", "machine": ")" +
           machine + R"(", "curves": [)" + curves + "]}";
}

std::string curve(const std::string& collective, int sizes) {
    std::string points;
    for (int size = 0; size < sizes; ++size) {
        points += (size == 0 ? "[" : ", [") + std::to_string(1024 << size) + ", 1]";
    }
    return R"({"collective": ")" + collective + R"(", "ranks": 8, "nodes": 1, "points": [)" +
           points + "]}";
}

/// Why a file may not take the place of another; empty: it may.
std::string whyNot(const std::string& before, const std::string& after) {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / "older_profile_test";
    std::filesystem::create_directories(folder / "collectives");
    std::ofstream(folder / "collectives/measured-ours.json") << before;
    const Result<void> checked =
        checkOlderProfile({"collectives/measured-ours.json", after}, folder.string(), "ours");
    std::filesystem::remove_all(folder);
    return checked ? "" : checked.error().why + " / " + checked.error().hint;
}

TEST(OlderProfile, OfTheSameCurvesIsReplaced) {
    const std::string both = curve("all_reduce", 6) + ", " + curve("all_gather", 6);
    const std::string before = collectives("dgx-h100", both);
    EXPECT_EQ(whyNot(before, before), "");
    EXPECT_EQ(
        whyNot(before,
               collectives("dgx-h100", curve("all_gather", 8) + ", " + curve("all_reduce", 3))),
        "");
}

TEST(OlderProfile, IsKeptWhereMeasurementsWouldBeLost) {
    const std::string before =
        collectives("dgx-h100", curve("all_reduce", 6) + ", " + curve("all_gather", 6));
    const std::string fewer = whyNot(
        before, collectives("dgx-h100", curve("all_reduce", 2) + ", " + curve("all_gather", 6)));
    EXPECT_NE(fewer.find("has 6 sizes of all_reduce, and what replaces it 2"), std::string::npos)
        << fewer;
    EXPECT_NE(fewer.find("--force"), std::string::npos);
    const std::string none = whyNot(before, collectives("dgx-h100", curve("all_reduce", 6)));
    EXPECT_NE(none.find("has 6 sizes of all_gather, and what replaces it 0"), std::string::npos)
        << none;
    const std::string other = whyNot(before, collectives("dgx-a100", curve("all_reduce", 6)));
    EXPECT_NE(other.find("is of dgx-h100, and what replaces it of dgx-a100"), std::string::npos)
        << other;
}

}  // namespace
}  // namespace fabricast
