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
