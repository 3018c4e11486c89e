#include "study/kept_text.h"

#include "planner/text/edit_json.h"
#include "study/templates.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

std::string keptFile(const std::string& name, const std::string& text) {
    const std::string path = tempFolder() + name;
    std::ofstream(path) << text;
    return path;
}

KeptText keptAfter(const std::string& text, const std::vector<Edit>& edits) {
    const std::string path = keptFile("kept_text.json", text);
    const Question changed = with(readQuestion(path, "").value(), edits).value();
    KeptText kept = keptText(changed);
    const Result<Question> again = parseQuestion(kept.text, path, changed.folders);
    EXPECT_TRUE(again && isSameJson(again->root, changed.root)) << kept.text;
    return kept;
}

TEST(KeptText, OfATemplateHasAllItsComments) {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"}, {"cluster.name", "dgx-h100", "-c"}};
    const Question asked = with(readQuestion("", "").value(), edits).value();
    const std::string text = scenarioTemplate(asked.root);
    ASSERT_GT(commentsOf(text).size(), 10U);
    EXPECT_EQ(keptAfter(text, {}).text, text);
    const KeptText kept = keptAfter(text, {{"cluster.nodes", "4", "-n"}, {"layout.tp", "8", ""}});
    EXPECT_EQ(commentsOf(kept.text), commentsOf(text));
    EXPECT_TRUE(kept.lost.empty());
}

TEST(KeptText, KeepsShortFormsThatDidNotChange) {
    const std::string text =
        "{\n  \"model\": \"gpt2\", // m\n  \"cluster\": \"dgx-h100\",\n"
        "  \"layout\": \"tp=2,recompute=full\" // l\n}\n";
    EXPECT_EQ(keptAfter(text, {}).text, text);
    EXPECT_EQ(keptAfter(text, {{"cluster.nodes", "2", "-n"}}).text,
              "{\n  \"model\": \"gpt2\", // m\n"
              "  \"cluster\": { \"name\": \"dgx-h100\", \"nodes\": 2 },\n"
              "  \"layout\": \"tp=2,recompute=full\" // l\n}\n");
    EXPECT_NE(keptAfter(text, {{"layout.tp", "4", "--layout"}}).text.find(" // l\n"),
              std::string::npos);
}

TEST(KeptText, OfAnAdapterOverFourBitsIsReadAgainAsWhatItIs) {
    const std::string text =
        "{\n  \"model\": \"gpt2\",\n  // small\n"
        "  \"settings\": {\"tuning\": \"qlora\" /* four bits */, \"kernels\": {}}\n}\n";
    EXPECT_EQ(keptAfter(text, {}).text, text);
    for (const std::vector<Edit>& edits :
         {std::vector<Edit>{{"settings.kernels.compile", "true", "--set"}},
          std::vector<Edit>{{"settings.lora.rank", "8", "--set"}},
          std::vector<Edit>{{"settings.lora.base", "bf16", "--set"}},
          std::vector<Edit>{{"settings.tuning", "full", "--tuning"}}}) {
        EXPECT_TRUE(keptAfter(text, edits).lost.empty()) << edits.front().path;
    }
}

TEST(KeptText, NamesTheCommentsThatGo) {
    const std::string text = "{\"model\": \"gpt2\", \"search\": {\"forbid\": [\"tp\" // slow\n]}}";
    const KeptText kept = keptAfter(text, {{"search.forbid", "null", "--forbid"}});
    EXPECT_EQ(kept.lost, std::vector<std::string>{"// slow"});
}

TEST(KeptText, OfAModelsConfigIsAScenario) {
    const std::string path =
        keptFile("config.json",
                 R"({"model_type": "llama", "hidden_size": 768, "intermediate_size": 2048,
            "num_hidden_layers": 4, "num_attention_heads": 12, "vocab_size": 32000})");
    const KeptText kept = keptText(readQuestion(path, "").value());
    EXPECT_EQ(kept.text, "{\n  \"model\": \"" + path + "\"\n}\n");
}

}  // namespace
}  // namespace fabricast
