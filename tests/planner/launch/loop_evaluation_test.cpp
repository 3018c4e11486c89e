#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

// The batches of a loop's own loader go through the engine, whatever its file says.
TEST(LoopsOfDeepspeed, HaveTheBatchesOfTheirLoader) {
    const auto read = [](const std::string& loader, const char* path) {
        return readFrom({{"a.py",
                          "cfg = {\"train_micro_batch_size_per_gpu\": 1,\n"
                          "  \"zero_optimization\": {\"stage\": 2}}\n"
                          "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
                          "engine, _, _, _ = deepspeed.initialize(model=model, config=cfg)\n" +
                              loader +
                              "for b in dl:\n  engine.backward(engine(b[\"input_ids\"][:, :512]))\n"
                              "  engine.step()\n"}},
                        "a.py",
                        path);
    };
    const char* const why = "imported.open.layout.micro_batch.why";
    EXPECT_NE(read("dl = DataLoader(ds, batch_size=8)\n", why), "-");
    EXPECT_EQ(read("dl = DataLoader(ds, batch_size=1)\n", why), "-");
    EXPECT_EQ(read("", why), "-");
}

}  // namespace
}  // namespace fabricast
