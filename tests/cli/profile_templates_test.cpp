// A template is a profile as it is printed.
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

namespace fabricast {
namespace {

std::string written(const std::string& kind, const std::string& folder) {
    const ProgramOutput output = ran("profiles new " + kind + " ours");
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    std::filesystem::create_directories(folder);
    const std::string file = folder + "/ours.json";
    EXPECT_TRUE(writeTextFile(file, output.out));
    return file;
}

TEST(ProfileTemplates, OfPricesPricesARunAsItIs) {
    const std::string file = written("price", tempFolder() + "price_template");
    for (const char* kind : {"on_demand", "reserved", "spot", "owned"}) {
        const ProgramOutput cost =
            ran("explain -m llama-3.1-8b -c dgx-h100 --section cost --price " + file +
                " --price-kind " + kind);
        EXPECT_EQ(cost.code, ExitCode::Ok) << cost.err;
        EXPECT_EQ(cost.out.find("not known"), std::string::npos) << cost.out;
    }
}

TEST(ProfileTemplates, OfANodeIsANode) {
    const std::string folder = tempFolder() + "node_template";
    written("node", folder + "/nodes");
    const ProgramOutput plan = ran("explain -m gpt2 -c ours", {"--profile-dir", folder});
    EXPECT_EQ(plan.code, ExitCode::Ok) << plan.err;
}

TEST(ProfileTemplates, OfAGpuIsAGpu) {
    const std::string folder = tempFolder() + "gpu_template";
    written("gpu", folder + "/gpus");
    const ProgramOutput plan =
        ran("plan -m llama-3.2-1b --tuning lora --gpu ours --gpus 1", {"--profile-dir", folder});
    EXPECT_EQ(plan.code, ExitCode::Ok) << plan.err;
    EXPECT_TRUE(plan.out.starts_with("FITS")) << plan.out;
}

TEST(ProfileTemplates, OfAnotherKindAreRefused) {
    const ProgramOutput other = ran("profiles new fabric");
    EXPECT_EQ(other.code, ExitCode::BadInput);
    EXPECT_NE(other.err.find("fabricast profiles new gpu, node or price"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
