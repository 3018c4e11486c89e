#include "machine/calibration.h"
#include "planner/text/text_files.h"
#include "tests/probes/fit/made_up_record.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace fabricast {
namespace fit_calibration_test {

MergedMeasurements ofCpus() {
    MergedMeasurements record = madeUpRecord();
    record.machine["kind"] = "cpu";
    return record;
}

class FitCalibration : public testing::Test {
protected:
    void SetUp() override { std::filesystem::remove_all(folder_); }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    [[nodiscard]] Result<CalibratedProfile> fitted(const MergedMeasurements& record,
                                                   bool replaces = false) const {
        return fitCalibration(
            store_, record, {.folder = folder_, .name = "lab", .replaces = replaces});
    }
    [[nodiscard]] std::string text(const std::string& file) const {
        return readTextFile(folder_ + "/" + file).value_or("");
    }

private:
    ProfileStore store_ = ProfileStore::builtIn();
    std::string folder_ = tempFolder() + "/fit_calibration";
};

// What was measured is not assumed again because the next record has less.
TEST_F(FitCalibration, LosesNothingThatWasMeasuredOfCpus) {
    ASSERT_TRUE(fitted(ofCpus()));
    EXPECT_TRUE(fitted(ofCpus())) << "again";
    const std::string software = "software/torch-eager-on-lab.json";
    const std::string kernels = "kernels/lab-rank.json";
    const std::string before = text(software) + text(kernels);
    MergedMeasurements alone = ofCpus();
    std::erase_if(alone.points, [](const RecordedPoint& point) { return point.what == "overlap"; });
    const auto contention = fitted(alone);
    ASSERT_FALSE(contention);
    EXPECT_NE(contention.error().why.find("loses what was measured"), std::string::npos)
        << contention.error().text();
    EXPECT_NE(contention.error().hint.find("--force"), std::string::npos);
    MergedMeasurements few = ofCpus();
    std::erase_if(few.points, [](const RecordedPoint& point) {
        return point.what == "gemm" && point.setting("layout", "") != "tn";
    });
    EXPECT_FALSE(fitted(few));
    EXPECT_EQ(text(software) + text(kernels), before);
    EXPECT_EQ(text(kernels).find("before this fit"), std::string::npos);
    EXPECT_TRUE(fitted(few, true));
}

TEST_F(FitCalibration, RefusesARecordThatNoMachineHas) {
    MergedMeasurements slow = ofCpus();
    std::erase_if(slow.points, [](const RecordedPoint& point) {
        return point.what != "gemm" && point.what != "memory";
    });
    for (RecordedPoint& point : slow.points) {
        point.median *= 1e6;
    }
    const auto refused = fitted(slow);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Error::Code::BadInput);
    EXPECT_EQ(refused.error().where, "made_up.jsonl");
    EXPECT_NE(refused.error().why.find("measurements that no machine has"), std::string::npos)
        << refused.error().text();
}

}  // namespace fit_calibration_test
}  // namespace fabricast
