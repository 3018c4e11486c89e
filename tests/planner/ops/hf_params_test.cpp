#include "planner/io/model_file.h"
#include "planner/io/text_file.h"
#include "planner/ops/parameters.h"

#include <gtest/gtest.h>

#include <cctype>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::string kCases = FABRICAST_SOURCE_DIR "/tests/cases/params/";

struct Case {
    std::string name;
    std::string modelType;
    std::int64_t total = 0;
    std::int64_t embedding = 0;
    std::int64_t head = 0;
    std::int64_t active = 0;
};

std::vector<std::string> cells(const std::string& line) {
    std::vector<std::string> list;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) {
        list.push_back(cell);
    }
    return list;
}

std::vector<Case> recordedCases() {
    std::vector<Case> cases;
    std::ifstream file(kCases + "expected.csv");
    std::string line;
    std::getline(file, line);
    EXPECT_EQ(line.rfind("name,architecture,model_type,total,embedding,lm_head,active", 0), 0U);
    while (std::getline(file, line)) {
        const std::vector<std::string> row = cells(line);
        cases.push_back({row.at(0),
                         row.at(2),
                         std::stoll(row.at(3)),
                         std::stoll(row.at(4)),
                         std::stoll(row.at(5)),
                         std::stoll(row.at(6))});
    }
    return cases;
}

class HfParams : public testing::TestWithParam<Case> {};

TEST_P(HfParams, AreWhatTransformersBuilds) {
    const Case& expected = GetParam();
    const std::string path = kCases + expected.name + ".json";
    const Result<std::string> text = readTextFile(path);
    ASSERT_TRUE(text) << text.error().text();
    const Result<ModelSpec> model = parseModel(*text, path);
    ASSERT_TRUE(model) << model.error().text();
    EXPECT_EQ(model->family, expected.modelType);
    EXPECT_EQ(model->name, expected.name);
    const ParameterCount count = countParameters(*model);
    EXPECT_EQ(count.total, expected.total);
    EXPECT_EQ(count.embedding, expected.embedding);
    EXPECT_EQ(count.head, expected.head);
    EXPECT_EQ(count.active, expected.active);
}

std::string testName(const testing::TestParamInfo<Case>& recorded) {
    std::string name;
    for (const char letter : recorded.param.name) {
        name += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, HfParams, testing::ValuesIn(recordedCases()), testName);

}  // namespace
}  // namespace fabricast
