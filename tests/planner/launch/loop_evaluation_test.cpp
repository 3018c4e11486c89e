#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

const std::string kEvaluatedBegins =
    "accelerator = Accelerator(mixed_precision=\"bf16\")\n"
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.float32)\n"
    "opt = torch.optim.AdamW(model.parameters())\ndl = DataLoader(ds, batch_size=2)\n";
const std::string kEvaluatedTrains =
    "model, opt, dl, eval_dl = accelerator.prepare(model, opt, dl, eval_dl)\n"
    "for epoch in range(3):\n  for b in dl:\n"
    "    accelerator.backward(model(input_ids=b[\"input_ids\"][:, :512]).loss)\n    opt.step()\n";

std::string ofEvaluatedLoop(const std::string& loader,
                            const std::string& evaluation,
                            const char* path) {
    return readFrom({{"a.py",
                      kEvaluatedBegins + "eval_dl = DataLoader(ev" + loader + ")\n" +
                          kEvaluatedTrains + evaluation}},
                    "a.py",
                    path);
}

TEST(LoopEvaluation, HasBatchesOfItsOwn) {
    const std::string evaluation =
        "  for b in eval_dl:\n    with torch.no_grad():\n      model(**b)\n";
    const char* const batch = "settings.phases.evaluation_batch";
    EXPECT_EQ(ofEvaluatedLoop(", batch_size=64", evaluation, batch), "64");
    EXPECT_EQ(ofEvaluatedLoop(", batch_size=2", evaluation, batch), "-");  // no more than a step
    EXPECT_EQ(ofEvaluatedLoop("", evaluation, batch), "-");
    EXPECT_EQ(
        ofEvaluatedLoop(
            ", batch_size=n()", evaluation, "imported.open.settings.phases.evaluation_batch.why")
            .substr(0, 12),
        "\"DataLoader:");
    EXPECT_EQ(ofEvaluatedLoop(", batch_size=64", evaluation, "layout.micro_batch"), "2");
}

// A loader that nothing goes through evaluates nothing.
TEST(LoopEvaluation, HasNoBatchesOfALoaderThatIsNotUsed) {
    const auto batch = [](const std::string& uses) {
        return readFrom({{"a.py",
                          kEvaluatedBegins + "val_dl = DataLoader(ev, batch_size=64)\n" +
                              "for b in dl:\n  accelerator.backward(model(**b).loss)\n"
                              "  opt.step()\n" +
                              uses}},
                        "a.py",
                        "settings.phases.evaluation_batch");
    };
    EXPECT_EQ(batch(""), "-");
    EXPECT_EQ(batch("with torch.no_grad():\n  for b in val_dl:\n    model(**b)\n"), "64");
}

TEST(LoopEvaluation, KeepsItsActivationsWithoutNoGrad) {
    const auto why = [](const std::string& evaluation) {
        return ofEvaluatedLoop(
            ", batch_size=2", evaluation, "imported.open.settings.phases.evaluation_batch.why");
    };
    EXPECT_NE(why("  model.eval()\n  for b in eval_dl:\n    out = model(**b)\n"), "-");
    EXPECT_NE(why("  def evaluate(dl):\n    for b in dl:\n      model(**b)\n  evaluate(eval_dl)\n"),
              "-");
    EXPECT_EQ(why("  for b in eval_dl:\n    with torch.no_grad():\n      model(**b)\n"), "-");
    EXPECT_EQ(why("  with torch.inference_mode():\n    for b in eval_dl:\n      model(**b)\n"),
              "-");
    EXPECT_EQ(why(""), "-");
}

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

TEST(LoopsOfDeepspeed, HaveTheItemsThatAreSetBehindTheirDictionary) {
    const auto shard = [](const std::string& changes) {
        return readFrom({{"a.py",
                          "cfg = {\"train_micro_batch_size_per_gpu\": 1,\n"
                          "  \"zero_optimization\": {\"stage\": 3}}\n" +
                              changes +
                              "model = AutoModelForCausalLM.from_pretrained(\"a/b\")\n"
                              "engine, _, _, _ = deepspeed.initialize(model=model, config=cfg)\n"
                              "x = torch.randint(0, 9, (1, 512))\nengine.backward(engine(x))\n"
                              "engine.step()\n"}},
                        "a.py",
                        "layout.shard");
    };
    EXPECT_EQ(shard(""), "\"zero3\"");
    EXPECT_EQ(shard("cfg[\"zero_optimization\"][\"stage\"] = 1\n"), "\"zero1\"");
    EXPECT_EQ(shard("stage = 2\ncfg[\"zero_optimization\"][\"stage\"] = stage\n"), "\"zero2\"");
    EXPECT_NE(shard("if few:\n  cfg[\"zero_optimization\"][\"stage\"] = 1\n").substr(0, 2), "\"z");
    EXPECT_NE(shard("cfg[\"zero_optimization\"] = {\"stage\": 1}\n"), "\"zero3\"");
}

}  // namespace
}  // namespace fabricast
