#include "probes/fit/older_profile.h"

#include "tests/support/temp_folder.h"

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

constexpr std::string_view kToday = "2026-11-28";

/// Why a file may not take the place of another; empty: it may.
std::string whyNot(const std::string& before, const std::string& after) {
    const std::filesystem::path folder = tempFolder() + "older_profile_test";
    std::filesystem::create_directories(folder / "collectives");
    std::ofstream(folder / "collectives/measured-ours.json") << before;
    const Result<void> checked = checkOlderProfile(
        {"collectives/measured-ours.json", after}, folder.string(), "ours", kToday);
    std::filesystem::remove_all(folder);
    return checked ? "" : checked.error().why + " / " + checked.error().hint;
}

TEST(OlderProfile, OfTheSameCurvesIsReplaced) {
    const std::string both = curve("all_reduce", 6) + ", " + curve("all_gather", 6);
    const std::string before = collectives("dgx-h100", both);
    EXPECT_EQ(whyNot(before, before), "");
    EXPECT_EQ(
        whyNot(before,
               collectives("dgx-h100", curve("all_gather", 8) + ", " + curve("all_reduce", 4))),
        "");
}

TEST(OlderProfile, IsKeptWhereMeasurementsWouldBeLost) {
    const std::string before =
        collectives("dgx-h100", curve("all_reduce", 6) + ", " + curve("all_gather", 6));
    const std::string fewer = whyNot(
        before, collectives("dgx-h100", curve("all_reduce", 2) + ", " + curve("all_gather", 6)));
    EXPECT_NE(fewer.find("measured: curves all_reduce 8 1 (6 measurements, and then 2)"),
              std::string::npos)
        << fewer;
    EXPECT_NE(fewer.find("--force"), std::string::npos);
    const std::string none = whyNot(before, collectives("dgx-h100", curve("all_reduce", 6)));
    EXPECT_NE(none.find("measured: curves all_gather 8 1 (6 measurements, and then 0)"),
              std::string::npos)
        << none;
    const std::string other = whyNot(before, collectives("dgx-a100", curve("all_reduce", 6)));
    EXPECT_NE(
        other.find("is of dgx-h100, and what replaces it of dgx-a100; nothing was written / --name "
                   "and another name, which keeps both"),
        std::string::npos)
        << other;
}

std::string section(const char* source, int rows) {
    return std::string(R"({"efficiency": 0.7, "source": ")") + source + R"(", "rows": )" +
           std::to_string(rows) + "}";
}

std::string kernels(const std::string& product, const std::string& attention) {
    return R"({"schema": "fabricast.kernel/1", "gemm": {"fp32": )" + product +
           R"(}, "attention": [{"kernel": "native", "type": "fp32", "rate": )" + attention + "}]}";
}

TEST(OlderProfile, IsKeptWhereASectionWouldBeAssumedAgain) {
    const std::string before = kernels(section("fitted", 16), section("measured", 3));
    EXPECT_EQ(whyNot(before, before), "");
    EXPECT_EQ(whyNot(before, kernels(section("fitted", 9), section("measured", 9))), "");
    const std::string fewer = whyNot(before, kernels(section("fitted", 7), section("measured", 3)));
    EXPECT_NE(fewer.find("loses what was measured: gemm fp32 (16 measurements, and then 7); "),
              std::string::npos)
        << fewer;
    const std::string assumed =
        whyNot(before, kernels(section("fitted", 16), section("assumed", 3)));
    EXPECT_NE(assumed.find("measured: attention native fp32 rate (3 measurements, and then 0); "),
              std::string::npos)
        << assumed;
    const std::string gone = whyNot(before, R"({"schema": "fabricast.kernel/1"})");
    EXPECT_NE(gone.find("measured: gemm fp32 (16 "), std::string::npos) << gone;
    EXPECT_NE(gone.find(", attention native fp32 rate (3 "), std::string::npos) << gone;
    // What was assumed may be measured, and what has no source says nothing.
    EXPECT_EQ(whyNot(kernels(section("assumed", 16), "1"), before), "");
}

TEST(OlderProfile, IsKeptWhereItWasMeasuredLater) {
    const auto dated = [](const char* day) {
        return R"({"schema": "fabricast.collective/1", "date": ")" + std::string(day) + "\"}";
    };
    EXPECT_EQ(whyNot(dated("2026-11-01"), dated("2026-11-01")), "");
    EXPECT_EQ(whyNot(dated("2026-11-01"), dated("2026-11-02")), "");
    EXPECT_EQ(whyNot("{\"schema\": \"fabricast.collective/1\"}", dated("2026-11-02")), "");
    const std::string why = whyNot(dated("2026-11-01"), dated("2019-01-01"));
    EXPECT_NE(why.find("was measured on 2026-11-01, and what replaces it on 2019-01-01; nothing"),
              std::string::npos)
        << why;
    const auto begun = [](const char* day, const char* time) {
        return R"({"schema": "fabricast.collective/1", "date": ")" + std::string(day) +
               R"(", "begun": ")" + day + time + "\"}";
    };
    const std::string noon = begun("2026-11-01", "T12:00:00Z");
    EXPECT_EQ(whyNot(noon, noon), "");
    EXPECT_EQ(whyNot(noon, begun("2026-11-01", "T12:00:01Z")), "");
    EXPECT_EQ(whyNot(noon, begun("2026-11-02", "T09:00:00Z")), "");
    EXPECT_EQ(whyNot(noon, dated("2026-11-01")), "");
    const std::string earlier = whyNot(noon, begun("2026-11-01", "T09:00:00Z"));
    EXPECT_NE(earlier.find("was begun at 2026-11-01T12:00:00Z, and what replaces it at "
                           "2026-11-01T09:00:00Z; nothing"),
              std::string::npos)
        << earlier;
    const auto from = [](const char* day) {
        return R"({"schema": "fabricast.kernel/1", "a": {"source": "measured", "from": "p, )" +
               std::string(day) + ", driver 5\"}}";
    };
    EXPECT_NE(whyNot(from("2026-11-01"), from("2026-10-31")), "");
    // A day that has not come is a wrong clock's, and must not keep every measurement out.
    EXPECT_EQ(whyNot(from("2099-01-01"), from("2026-11-28")), "");
    EXPECT_EQ(whyNot(dated("2099-01-01"), dated("2026-11-28")), "");
}

}  // namespace
}  // namespace fabricast
