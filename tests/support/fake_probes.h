#pragma once
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast {

/// A folder with scripts in place of the host and CUDA probes, on a machine of eight H100, and
/// room for what they write. tests/cases/probes/fake_probe.sh lists the modes.
class FakeProbes {
public:
    explicit FakeProbes(const std::string& name)
        : folder_(std::filesystem::path(tempFolder()) / ("fabricast_calibrate_" + name)) {
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
        add("fabricast-probe-host");
        add("fabricast-probe-cuda");
        std::filesystem::copy_file(kProbeCases + "h100_node.json", folder_ / "inventory.json");
    }

    void add(const std::string& program) const {
        std::filesystem::copy_file(kProbeCases + "fake_probe.sh", folder_ / program);
    }
    void play(const std::string& mode) const { std::ofstream(folder_ / "mode") << mode; }
    [[nodiscard]] std::string folder() const { return folder_.string(); }
    [[nodiscard]] std::string at(const std::string& name) const {
        return (folder_ / name).string();
    }

private:
    inline static const std::string kProbeCases = FABRICAST_SOURCE_DIR "/tests/cases/probes/";
    std::filesystem::path folder_;
};

}  // namespace fabricast
