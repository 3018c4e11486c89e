#include "planner/models/model_file.h"
#include "planner/ops/parameters.h"
#include "planner/text/text_files.h"
#include "tests/support/case_table.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace hf_params_test {

const std::string kCases = FABRICAST_SOURCE_DIR "/tests/cases/params/";

/// What transformers builds of each config.json, real and random, of both its vintages.
TEST(HfParams, AreWhatTransformersBuilds) {
    const CsvTable table = CsvTable::read(kCases + "expected.csv");
    ASSERT_GE(table.rows(), 150U);
    for (std::size_t row = 0; row < table.rows(); ++row) {
        SCOPED_TRACE(table.text(row, "name"));
        const std::string path = kCases + table.text(row, "name") + ".json";
        const Result<std::string> text = readTextFile(path);
        ASSERT_TRUE(text) << text.error().text();
        const Result<ModelSpec> model = parseModel(*text, path);
        ASSERT_TRUE(model) << model.error().text();
        EXPECT_EQ(model->family, table.text(row, "model_type"));
        EXPECT_EQ(model->name, table.text(row, "name"));
        const ParameterCount count = countParameters(*model);
        EXPECT_EQ(count.total, table.integer(row, "total"));
        EXPECT_EQ(count.embedding, table.integer(row, "embedding"));
        EXPECT_EQ(count.head, table.integer(row, "lm_head"));
        EXPECT_EQ(count.active, table.integer(row, "active"));
    }
}

}  // namespace hf_params_test
}  // namespace fabricast
