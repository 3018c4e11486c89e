#include "planner/text/json_strings.h"
#include "tests/planner/launch/launch_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace own_loss_test {

const std::string kModel =
    "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
    "args = TrainingArguments(\"o\", bf16=True)\n";

std::string programOf(const std::string& body) {
    return "class Own(Trainer):\n"
           "    def compute_loss(self, model, inputs, return_outputs=False):\n" +
           body + kModel + "Own(model=model, args=args).train()\n";
}

/// "open", what is noted, or "-".
std::string lossOf(const std::string& program) {
    if (readFrom({{"a.py", program}}, "a.py", "imported.open.settings.kernels.loss") != "-") {
        return "open";
    }
    const auto run = importedFrom({{"a.py", program}}, "a.py");
    std::string all = run ? "" : run.error().text();
    for (const std::string& one :
         run ? stringsIn(run->find("imported")->find("notes")) : std::vector<std::string>()) {
        all += one.find("loss") == std::string::npos ? "" : one;
    }
    return all.empty() ? "-" : all;
}

TEST(OwnLoss, IsSaidToBeTransformersWhereItIsNoMore) {
    const std::string noted =
        "compute_loss of the program (line 2) is forecast as transformers' own loss";
    const std::string pops =
        "        labels = inputs.pop(\"labels\")\n        out = model(**inputs)\n";
    EXPECT_EQ(lossOf(programOf("        return super().compute_loss(model, inputs)\n")), noted);
    EXPECT_EQ(lossOf(programOf("        out = model(**inputs)\n        return out.loss * 2\n")),
              noted);
    EXPECT_EQ(lossOf(programOf(pops + "        logits = out.logits.float()\n"
                                      "        return F.cross_entropy(logits.view(-1, 9), "
                                      "labels.view(-1))\n")),
              noted);
    EXPECT_EQ(lossOf(programOf(pops + "        loss_fct = nn.CrossEntropyLoss(weight=None)\n"
                                      "        return loss_fct(out.logits.view(-1, 9), labels)\n")),
              noted);
    EXPECT_EQ(lossOf(kModel + "Trainer(model=model, args=args).train()\n"), "-");
}

TEST(OwnLoss, IsAskedForWhereItMakesMoreOfTheLogits) {
    const std::string pops =
        "        labels = inputs.pop(\"labels\")\n        out = model(**inputs)\n";
    for (const char* const more :
         {"        p = torch.softmax(out.logits, -1)\n        return F.cross_entropy(p, labels)\n",
          "        logits = out.logits.float()\n"
          "        logits = logits[:, :-1].contiguous()\n"
          "        return F.cross_entropy(logits, labels)\n",
          "        return F.cross_entropy(out.logits / 2.0, labels)\n",
          "        return F.kl_div(F.log_softmax(out.logits, -1), labels)\n"}) {
        EXPECT_EQ(lossOf(programOf(pops + more)), "open") << more;
    }
    EXPECT_EQ(lossOf(programOf("        out = model(**inputs)\n"
                               "        return F.cross_entropy(out.logits, inputs[\"labels\"])\n")),
              "open")
        << "beside the model's own";
    EXPECT_EQ(lossOf("def mine(outputs, labels, num_items_in_batch):\n"
                     "    return focal(outputs.logits, labels)\n" +
                     kModel + "Trainer(model=model, args=args, compute_loss_func=mine).train()\n"),
              "open");
    EXPECT_EQ(lossOf("class Own(Trainer):\n    def compute_loss(self, model, inputs):\n"
                     "        return focal(model(**inputs).logits)\n" +
                     kModel + "Trainer(model=model, args=args).train()\n"),
              "-")
        << "it is not made";
}

TEST(OwnLoss, KeepsTheGraphsOfAllCallsOfItsModel) {
    const auto batchOf = [](const std::string& body) {
        return readFrom({{"a.py", programOf(body)}}, "a.py", "layout.micro_batch");
    };
    EXPECT_EQ(batchOf("        return model(**inputs).loss\n"), "8");
    EXPECT_EQ(batchOf("        a = model(**inputs)\n        b = model(**inputs)\n"
                      "        return a.loss + b.loss\n"),
              "16");
    EXPECT_EQ(batchOf("        with torch.no_grad():\n            a = model(**inputs)\n"
                      "        return super().compute_loss(model, inputs)\n"),
              "8");
}

/// As lossOf, of a loop of the program's own with these lines.
std::string ofLoop(const std::string& lines, const std::string& before = "") {
    return lossOf(before +
                  "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
                  "for layer in model.model.layers:\n    fully_shard(layer)\nfully_shard(model)\n"
                  "opt = torch.optim.AdamW(model.parameters())\n"
                  "for step in range(9):\n    x = torch.randint(0, 9, (2, 64))\n" +
                  lines + "    loss.backward()\n    opt.step()\n");
}

TEST(LoopLoss, IsSaidToBeTransformersWhereItIsNoMore) {
    for (const std::string one :
         {"    logits = model(x).logits\n    loss = F.cross_entropy(logits.view(-1, 9), x)\n",
          "    logits = model(x).logits.float()\n"
          "    loss = F.cross_entropy(logits[:, :-1].reshape(-1, 9), x[:, 1:].reshape(-1))\n",
          "    out = model(x)\n    loss = nn.CrossEntropyLoss()(out.logits.float(), x) / 4\n"}) {
        EXPECT_NE(ofLoop(one).find("the loop's loss of the program (line "), std::string::npos)
            << one << ofLoop(one);
    }
    EXPECT_NE(ofLoop("    loss = lm_loss(model(x).logits, x)\n",
                     "def lm_loss(scores, labels):\n    flat = scores.float().view(-1, 9)\n"
                     "    return F.cross_entropy(flat, labels)\n")
                  .find("is forecast as transformers' own loss"),
              std::string::npos);
    for (const char* const own :
         {"    loss = model(x, labels=x).loss\n",
          "    out = model(x, labels=x)\n    loss = out.loss / 4\n"
          "    right = (out.logits.argmax(-1) == x).float().mean()\n",
          "    loss = model(x, labels=x).loss\n    with torch.no_grad():\n"
          "        p = model(x).logits.softmax(-1)\n",
          "    loss = model(x, labels=x).loss\n    for y in others:\n"
          "        with torch.no_grad():\n            p = model(y).logits.softmax(-1)\n"}) {
        EXPECT_EQ(ofLoop(own), "-") << own;
    }
}

TEST(LoopLoss, IsAskedForWhereItMakesMoreOfTheLogits) {
    for (const char* const more :
         {"    s = model(x).logits.float()\n"
          "    loss = F.kl_div(F.log_softmax(s / 2.0, -1), x, reduction=\"batchmean\")\n",
          "    s = model(x).logits\n    loss = s.log_softmax(-1).gather(-1, x).sum()\n",
          "    logits = model(x).logits\n    loss = F.cross_entropy(logits / 2.0, x)\n",
          "    logits = model(x).logits\n    loss = focal(logits, x)\n",
          "    out = model(x, labels=x)\n    loss = out.loss + F.cross_entropy(out.logits, x)\n",
          "    logits = model(x, labels=x).logits\n    loss = F.cross_entropy(logits, x)\n",
          "    logits = model(x).logits\n"
          "    loss = F.cross_entropy(logits, x) + F.cross_entropy(logits, y)\n",
          "    s = model(x).logits.float()[:, :-1].contiguous()\n"
          "    loss = F.cross_entropy(s.view(-1, 9), x)\n"}) {
        EXPECT_EQ(ofLoop(more), "open") << more;
    }
    EXPECT_EQ(ofLoop("    h = model.model(x).last_hidden_state\n    loss = 0.0\n"
                     "    for part, y in zip(h.chunk(16, 1), x.chunk(16, 1)):\n"
                     "        loss = loss + F.cross_entropy(model.lm_head(part).float(), y)\n"),
              "open")
        << "of slices";
    EXPECT_EQ(ofLoop("    loss = mine(model(x).logits, x)\n",
                     "def mine(scores, labels):\n    return F.kl_div(scores, labels)\n"),
              "open");
}

// The output of a model has a name until the loop gives it another one.
TEST(HeldLogits, AreSaidToBeLeftOut) {
    const auto isSaid = [](const std::string& lines) {
        const auto run = importedFrom(
            {{"a.py",
              "model = AutoModelForCausalLM.from_pretrained(\"a/b\", dtype=torch.bfloat16)\n"
              "model = DDP(model)\nopt = torch.optim.AdamW(model.parameters())\n"
              "for step in range(9):\n    x = torch.randint(0, 9, (2, 64))\n" +
                  lines + "    loss.backward()\n    opt.step()\n"}},
            "a.py");
        const std::vector<std::string> notes = stringsIn(run->find("imported")->find("notes"));
        return std::ranges::any_of(notes, [](const std::string& one) {
            return one.find("keeps the logits through the backward pass") != std::string::npos;
        });
    };
    EXPECT_TRUE(isSaid("    out = model(x, labels=x)\n    loss = out.loss\n"));
    EXPECT_TRUE(isSaid("    logits = model(x).logits\n    loss = F.cross_entropy(logits, x)\n"));
    EXPECT_FALSE(isSaid("    loss = model(x, labels=x).loss\n"));
    EXPECT_FALSE(isSaid("    out = model(x, labels=x)\n    loss = out.loss\n    del out\n"));
    EXPECT_FALSE(
        isSaid("    with torch.no_grad():\n        old = model(x)\n"
               "    loss = model(x, labels=x).loss\n"));
}

TEST(OwnStep, IsAskedForUnlessItIsTheTrainersOwn) {
    const auto why = [](const std::string& body) {
        return readFrom({{"a.py",
                          "class Own(Trainer):\n    def training_step(self, model, inputs):\n" +
                              body + kModel + "Own(model=model, args=args).train()\n"}},
                        "a.py",
                        "imported.open.settings.kernels.loss.why");
    };
    const std::string own = "        loss = super().training_step(model, inputs)\n";
    EXPECT_EQ(why(own + "        self.log({\"loss\": loss.item()})\n        return loss\n"), "-");
    EXPECT_EQ(why("        loss = self.compute_loss(model, inputs)\n"
                  "        self.accelerator.backward(loss)\n        return loss\n"),
              "-");
    EXPECT_NE(why(own + own), "-");
    EXPECT_NE(why(own + "        self.old = [p.data.clone() for p in model.parameters()]\n"), "-");
    EXPECT_NE(why(own + "        teacher = model(**inputs)\n"), "-");
}

}  // namespace own_loss_test
}  // namespace fabricast
