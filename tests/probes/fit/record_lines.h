#pragma once
#include "planner/measured/measurements.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

namespace fabricast {

// Records as the probes write them: a first line of the machine, then a line for each point.

inline const std::string kHead =
    R"({"schema":"fabricast.measurements/1","machine":{"gpu":"NVIDIA H200","capability":90,)"
    R"("multiprocessors":132,"memory_bytes":150754820096,"l2_bytes":62914560,)"
    R"("driver":"580.95.05","cuda_runtime":"13.0"},"program":"fabricast-probe-cuda",)"
    R"("begun":"2026-11-22T19:00:00Z"})"
    "\n";

inline std::string lineOf(const std::string& point, double seconds, const std::string& more = "") {
    std::string sample(64, '\0');
    sample.resize(
        static_cast<std::size_t>(std::snprintf(sample.data(), sample.size(), "%.9g", seconds)));
    return R"({"point":")" + point + R"(","unit":"s",)" + more + R"("samples":[)" + sample + "]}\n";
}

inline MergedMeasurements recordOf(const std::string& lines, const std::string& head = kHead) {
    auto record = parseMeasurements(head + lines, "run.jsonl");
    EXPECT_TRUE(record) << record.error().text();
    auto merged = mergeMeasurements({record ? *std::move(record) : MeasurementRecord{}});
    EXPECT_TRUE(merged);
    return merged ? *std::move(merged) : MergedMeasurements{};
}

class TemporaryFolder {
public:
    explicit TemporaryFolder(const std::string& name)
        : path_(std::filesystem::path(tempFolder()) / name) {
        std::filesystem::remove_all(path_);
    }
    [[nodiscard]] std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

}  // namespace fabricast
