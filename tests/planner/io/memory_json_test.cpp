#include "planner/io/memory_json.h"

#include "planner/io/json_document.h"
#include "tests/support/memory_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(MemoryJson, IsAnExplainDocument) {
    const std::string text = memoryJson(exampleScenario(), exampleMemory(), "0.0.0");
    const auto root = parseJson(text, "out");
    ASSERT_TRUE(root) << root.error().text();
    EXPECT_EQ(root->find("schema")->text(), "fabricast.explain/1");
    EXPECT_EQ(root->find("verdict")->text(), "does_not_fit");
    const JsonValue& memory = *root->find("memory");
    EXPECT_EQ(memory.find("capacity_bytes")->integer({}), std::int64_t{79} << 30);
    for (const char* key : {"value", "lo", "hi", "evidence"}) {
        EXPECT_TRUE(memory.find("peak_bytes")->find(key)) << key;
    }
    for (const char* key :
         {"weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes"}) {
        EXPECT_TRUE(memory.find("stages")->items()[0].find(key)) << key;
    }
}

}  // namespace
}  // namespace fabricast
