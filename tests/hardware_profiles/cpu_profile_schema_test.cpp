#include "probes/fit/cpu_fit.h"
#include "tests/hardware_profiles/json_schema.h"
#include "tests/probes/fit/made_up_record.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// "gpu" of "gpus/lab-rank.json"; software has no plural.
std::string kindOf(const std::string& path) {
    const std::string folder = path.substr(0, path.find('/'));
    return folder == "software" ? folder : folder.substr(0, folder.size() - 1);
}

TEST(CpuProfileSchema, AcceptsEveryFileOfAMeasuredCluster) {
    MergedMeasurements record = madeUpRecord();
    for (const char* ranksOfNode : {"4", "2"}) {
        record.machine["nodes"] = ranksOfNode;
        const auto profile = cpuProfile(record, "made-up");
        ASSERT_TRUE(profile) << profile.error().text();
        EXPECT_GE(profile->files.size(), 8U);
        for (const ProfileText& file : profile->files) {
            EXPECT_EQ(complaints(schemaOf(kindOf(file.path)), json::parse(file.text)), "")
                << file.path;
        }
    }
}

}  // namespace
}  // namespace fabricast
