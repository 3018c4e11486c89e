#include "planner/models/model_file.h"
#include "planner/ops/flops.h"
#include "planner/ops/parameters.h"
#include "planner/text/text_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

/// Numbers and words that break readers, put in place of the original value.
constexpr std::array<std::string_view, 24> kValues{"0",
                                                   "-1",
                                                   "1",
                                                   "2",
                                                   "3",
                                                   "7",
                                                   "64",
                                                   "1e9",
                                                   "1e18",
                                                   "1e308",
                                                   "1e999",
                                                   "0.5",
                                                   "-0",
                                                   "99999999999999999999999",
                                                   "null",
                                                   "true",
                                                   "false",
                                                   "\"\"",
                                                   "[]",
                                                   "{}",
                                                   "[[[[1]]]]",
                                                   "\"\\u0000\"",
                                                   "9223372036854775807",
                                                   "[\"full_attention\"]"};

class Mutation {
public:
    explicit Mutation(std::uint64_t seed) : random_(seed) {}

    std::string of(std::string text) {
        const std::size_t edits = 1 + below(3);
        for (std::size_t edit = 0; edit < edits && !text.empty(); ++edit) {
            text = once(std::move(text));
        }
        return text;
    }

    std::size_t below(std::size_t end) { return random_() % end; }

private:
    std::string once(std::string text) {
        switch (below(6)) {
            case 0:
                text[below(text.size())] = static_cast<char>(below(256));
                return text;
            case 1:
                return text.erase(below(text.size()), 1 + below(20));
            case 2:
                return text.insert(below(text.size()), kValues[below(kValues.size())]);
            case 3:
                return text.substr(0, below(text.size()));
            default:
                return withAnotherValue(std::move(text));
        }
    }

    std::string withAnotherValue(std::string text) {
        const std::size_t colon = text.find(':', below(text.size()));
        if (colon == std::string::npos) {
            return text;
        }
        const std::size_t end = std::min(text.find_first_of(",}\n", colon), text.size());
        return text.replace(colon + 1, end - colon - 1, kValues[below(kValues.size())]);
    }

    std::mt19937_64 random_;
};

std::vector<std::string> seedTexts() {
    std::vector<std::string> texts;
    for (const char* folder : {"/tests/cases/params", "/hardware_profiles/models"}) {
        std::vector<std::filesystem::path> files;
        for (const auto& entry :
             std::filesystem::directory_iterator(std::string(FABRICAST_SOURCE_DIR) + folder)) {
            if (entry.path().extension() == ".json") {
                files.push_back(entry.path());
            }
        }
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            texts.push_back(*readTextFile(file.string()));
        }
    }
    return texts;
}

void expectSound(const ModelSpec& model) {
    const ParameterCount count = countParameters(model);
    EXPECT_GT(count.total, 0);
    EXPECT_LE(count.active, count.total);
    EXPECT_GT(count.active, 0);
    EXPECT_EQ(count.total,
              count.embedding + count.position + count.projection + count.attention + count.norm +
                  count.mlp + count.router + count.routedExperts + count.sharedExperts +
                  count.head);
    for (const FlopsConventionText& text : flopsConventions()) {
        if (const Result<Flops> flops = flopsPerToken(model, 4096, text.convention)) {
            EXPECT_TRUE(std::isfinite(flops->count()) && flops->count() > 0) << text.name;
        }
    }
}

TEST(MutatedModels, GiveAModelOrAnErrorWithItsPlace) {
    const std::vector<std::string> texts = seedTexts();
    ASSERT_GE(texts.size(), 300U);
    Mutation mutation(20260701);
    int accepted = 0;
    int refused = 0;
    for (int round = 0; round < 12'000; ++round) {
        const std::string text = mutation.of(texts[mutation.below(texts.size())]);
        SCOPED_TRACE(text);
        const Result<ModelSpec> model = parseModel(text, "config.json");
        if (model) {
            expectSound(*model);
            ++accepted;
        } else {
            EXPECT_EQ(model.error().where.rfind("config.json:", 0), 0U) << model.error().text();
            EXPECT_FALSE(model.error().why.empty());
            ++refused;
        }
        if (testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(accepted, 1000);
    EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace fabricast
