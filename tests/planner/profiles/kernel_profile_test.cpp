#include "planner/profiles/profile_store.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace fabricast {
namespace {

TEST(KernelProfiles, EveryShippedGpuHasSome) {
    const ProfileStore store = ProfileStore::builtIn();
    for (const ProfileFile& file : store.files(ProfileKind::Gpu)) {
        const Result<GpuSpec> gpu = store.gpu(file.name);
        ASSERT_TRUE(gpu) << gpu.error().text();
        ASSERT_TRUE(gpu->kernels) << file.name;
        const KernelProfile& kernels = *gpu->kernels;
        EXPECT_EQ(kernels.name, file.name);
        EXPECT_TRUE(kernels.supports(GemmType::Fp16)) << file.name;
        EXPECT_EQ(kernels.supports(GemmType::Bf16), gpu->densePeak.at("bf16").value.has_value());
        EXPECT_FALSE(kernels.attention.empty()) << file.name;
        // A fit is of the GPU that the data sheet describes.
        if (gpu->multiprocessors.value) {
            EXPECT_EQ(kernels.multiprocessors, *gpu->multiprocessors.value) << file.name;
        }
        EXPECT_EQ(kernels.memoryBandwidth, *gpu->memoryBandwidth.value) << file.name;
    }
}

TEST(KernelProfiles, ABorrowedFitReachesTheRateItIsTold) {
    const Result<GpuSpec> h20 = ProfileStore::builtIn().gpu("h20-96gb");
    ASSERT_TRUE(h20) << h20.error().text();
    const GemmFit& fit = *h20->kernels->fit(GemmType::Bf16);
    EXPECT_NEAR(fit.peak.count() * fit.efficiency / (1 + fit.throttle), 141.9e12, 1e6);
    EXPECT_EQ(fit.source, Source::Assumed);
    const Result<GpuSpec> h100 = ProfileStore::builtIn().gpu("h100-sxm5-80gb");
    const GemmFit& donor = *h100->kernels->fit(GemmType::Bf16);
    EXPECT_EQ(donor.source, Source::Fitted);
    EXPECT_NEAR(fit.error.mean, donor.error.mean + 0.06, 1e-12);
    // fp8 is as much better or worse than the donor's as bf16 is.
    EXPECT_NEAR(h20->kernels->fit(GemmType::Fp8Gemm)->efficiency /
                    h100->kernels->fit(GemmType::Fp8Gemm)->efficiency,
                fit.efficiency / donor.efficiency,
                1e-12);
}

/// A donor whose 16-bit products were measured anew, and slow, lends no GPU more than its peak.
TEST(KernelProfiles, ABorrowedFitStaysBelowThePeak) {
    const TemporaryProfiles mine;
    mine.write(
        "kernels/h100-sxm5-80gb.json",
        shippedProfile(
            "kernels/h100-sxm5-80gb.json", R"("efficiency": 0.8453)", R"("efficiency": 0.4)"));
    const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
    ASSERT_TRUE(store) << store.error().text();
    for (const char* const name : {"h20-96gb", "gaudi3"}) {
        const Result<GpuSpec> gpu = store->gpu(name);
        ASSERT_TRUE(gpu) << gpu.error().text();
        const GemmFit& narrow = *gpu->kernels->fit(GemmType::Fp8Gemm);
        EXPECT_LE(narrow.efficiency, 1 + narrow.throttle) << name;
        const GemmFit& wide = *gpu->kernels->fit(GemmType::Bf16);
        const GemmFit usual = *ProfileStore::builtIn().gpu(name)->kernels->fit(GemmType::Bf16);
        EXPECT_NEAR(wide.efficiency / usual.efficiency, 1.0, 1e-9) << "the rate it is told";
    }
}

TEST(KernelProfiles, AGpuOfYourOwnBorrowsFromItsArchitecture) {
    const TemporaryProfiles mine;
    std::string text = shippedProfile("gpus/h100-sxm5-80gb.json", "3.35 TB/s", "3 TB/s");
    text.replace(text.find("h100-sxm5-80gb"), 14, "my-hopper");
    mine.write("gpus/my-hopper.json", text);
    const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
    ASSERT_TRUE(store) << store.error().text();
    const Result<GpuSpec> gpu = store->gpu("my-hopper");
    ASSERT_TRUE(gpu) << gpu.error().text();
    EXPECT_EQ(gpu->kernels->donor, "h100-sxm5-80gb");
    EXPECT_EQ(gpu->kernels->memoryBandwidth.count(), 3e12);
    EXPECT_GT(gpu->kernels->fit(GemmType::Bf16)->error.mean, 0.1);
    text.replace(text.find("sm_90"), 5, "sm_33");
    mine.write("gpus/my-hopper.json", text);
    const Result<ProfileStore> other = ProfileStore::open(std::array{mine.path()});
    EXPECT_FALSE(other->gpu("my-hopper")->kernels.has_value());
}

TEST(KernelProfiles, AreReadStrictly) {
    const auto why = [](const char* file, const char* from, const char* to) {
        const TemporaryProfiles mine;
        mine.write(file, shippedProfile(file, from, to));
        const Result<ProfileStore> store = ProfileStore::open(std::array{mine.path()});
        const std::string path = file;
        const std::string name = path.substr(8, path.size() - 13);
        const Result<GpuSpec> gpu = store->gpu(name);
        return gpu ? std::string("accepted") : gpu.error().text();
    };
    const char* h100 = "kernels/h100-sxm5-80gb.json";
    const auto says = [](const std::string& text, const char* part) {
        return text.find(part) != std::string::npos ? std::string(part) : text;
    };
    EXPECT_EQ(why(h100, "\"efficiency\": 0.8453", "\"efficiency\": 0.8"), "accepted");
    for (const auto& [from, to, part] :
         {std::array{"\"efficiency\": 0.8453", "\"eficiency\": 0.8453", "\"efficiency\""},
          std::array{"\"efficiency\": 0.8453", "\"efficiency\": 0", "efficiency"},
          std::array{"\"efficiency\": 0.8453", "\"efficiency\": \"x\"", "efficiency"},
          std::array{"\"989 TFLOP/s\"", "989", "989"},
          std::array{"\"flash3\"", "\"flash4\"", "flash2"},
          std::array{"[[64, 0.6796], [128, 1]", "[[128, 1], [64, 0.6796]", "out of order"},
          std::array{"\"permute\"", "\"permite\"", "\"permute\""},
          std::array{"\"source\": \"fitted\"", "\"source\": \"guessed\"", "guessed"}}) {
        const std::string text = why(h100, from, to);
        EXPECT_EQ(says(text, part), part) << from;
        EXPECT_NE(text.find("h100-sxm5-80gb.json:"), std::string::npos) << text;
    }
    EXPECT_EQ(says(why(h100, "\"efficiency\": 0.8453", "\"efficiency\": 2"),
                   "h100-sxm5-80gb.json: products of h100-sxm5-80gb in bf16 would reach"),
              "h100-sxm5-80gb.json: products of h100-sxm5-80gb in bf16 would reach");
    EXPECT_EQ(says(why(h100, "\"bandwidth_efficiency\": 0", "\"bandwidth_efficiency\": 9"),
                   " % of what its memory does"),
              " % of what its memory does");
    const char* h20 = "kernels/h20-96gb.json";
    EXPECT_EQ(says(why(h20, "\"h100-sxm5-80gb\"", "\"h800-sxm5-80gb\""), "borrows its own kernels"),
              "borrows its own kernels");
    EXPECT_EQ(says(why(h20, "\"h100-sxm5-80gb\"", "\"h101-sxm5-80gb\""), "did you mean"),
              "did you mean");
    EXPECT_EQ(says(why(h20, "\"extra_error\"", "\"extra_eror\""), "extra_error"), "extra_error");
}

/// With the kernels of one type alone, or of one code, the others' times would have nothing to rest
/// on.
TEST(KernelProfiles, SayWhatEveryForecastAsksFor) {
    const auto why = [](const std::string& from, const std::string& to) {
        const char* const file = "kernels/l40s.json";
        std::string text = shippedProfile(file, from, to);
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from)) {
            text.replace(at, from.size(), to);
        }
        const TemporaryProfiles mine;
        mine.write(file, text);
        const auto gpu = ProfileStore::open(std::array{mine.path()})->gpu("l40s");
        return gpu ? std::string("accepted") : gpu.error().text();
    };
    const std::string attention = why(R"("flash2", "type": "bf16")", R"("flash2", "type": "fp8")");
    EXPECT_NE(attention.find("l40s.json:"), std::string::npos) << attention;
    EXPECT_NE(attention.find("lists no kernel in bf16"), std::string::npos) << attention;
    EXPECT_NE(why(R"({
      "head_dim")",
                  R"({
      "kernel": "flash2", "head_dim")")
                  .find("lists no ratio for kernels"),
              std::string::npos);
}

}  // namespace
}  // namespace fabricast
