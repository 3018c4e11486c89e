#include "study/typed_hint.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

TEST(TypedHint, KeysThatStandAloneAreTyped) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"settings.tuning=lora", "--set settings.tuning=lora"},
        {"cp=1, or --stack fsdp2", "--set layout.cp=1, or --stack fsdp2"},
        {"stack=nemo, axolotl or accelerate", "--set stack=nemo, axolotl or accelerate"},
        {"settings.precision.parameters=bf16 and settings.precision.gradients=bf16",
         "--set settings.precision.parameters=bf16 --set settings.precision.gradients=bf16"},
        // What is typed already, what is no key, and what is said about one.
        {"--layout tp=4,pp=2", "--layout tp=4,pp=2"},
        {"--with layout.tp=4", "--with layout.tp=4"},
        {"fewer communicators, NCCL_NVLS_ENABLE=0 within NVLink",
         "fewer communicators, NCCL_NVLS_ENABLE=0 within NVLink"},
        {"junit=check.xml", "junit=check.xml"},
        {"a model  whose heads divide by tp=8", "a model  whose heads divide by tp=8"}};
    for (const auto& [hint, typed] : cases) {
        EXPECT_EQ(typedHint(hint), typed);
    }
}

}  // namespace
}  // namespace fabricast
