#include "planner/text/edit_json.h"
#include "planner/text/json_text.h"
#include "study/templates.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {
namespace {

/// A member of a scenario or of its workload: what is said of it, and an example where nothing is.
struct TemplatePart {
    std::string_view key;
    std::string_view comment;   ///< lines without their marks; may be empty
    std::string_view example;   ///< may be empty: then it stands there only if it is said
    std::string_view unsaid{};  ///< the comment where it is not said, if another
    bool endsGroup = true;      ///< an empty line follows
};

constexpr std::array kParts = {
    TemplatePart{
        .key = "model",
        .comment = "A built-in name (fabricast profiles list --kind model), or a config.json",
        .example = "\"llama-3.1-8b\""},
    TemplatePart{
        .key = "cluster",
        .comment = "A node or a cluster (fabricast profiles list --kind node), and how many nodes",
        .example = R"({ "name": "dgx-h100", "nodes": 1 })"},
    TemplatePart{.key = "stack",
                 .comment = "The training software: fabricast help stacks",
                 .example = "\"megatron\"",
                 .unsaid = "Without it, plan compares Megatron, TorchTitan, FSDP2 and DeepSpeed."},
    TemplatePart{
        .key = "layout",
        .comment = "Found or assumed where it is left out: fabricast help layout, help settings",
        .example = "\"recompute=full\"",
        .endsGroup = false},
    TemplatePart{
        .key = "settings", .comment = "", .example = R"({ "kernels": { "compile": true } })"},
    TemplatePart{
        .key = "price", .comment = "Dollars of a GPU hour, or a price profile", .example = "2.10"},
    TemplatePart{.key = "operation", .comment = "Failures, storage and checkpoints", .example = ""},
    TemplatePart{.key = "require",
                 .comment = "What fabricast check judges",
                 .example = R"(["fits surely", "mfu >= 35%"])"},
    TemplatePart{.key = "search", .comment = "What plan may look at", .example = ""}};

constexpr std::array kWorkloadParts = {
    TemplatePart{.key = "tokens",
                 .comment = "Of the whole run, for its days and dollars",
                 .example = "\"1T\"",
                 .endsGroup = false},
    TemplatePart{.key = "precision", .comment = "", .example = "\"bf16\"", .endsGroup = false},
    TemplatePart{.key = "optimizer", .comment = "", .example = "\"adamw\"", .endsGroup = false},
    TemplatePart{.key = "sequence", .comment = "", .example = "8192", .endsGroup = false},
    TemplatePart{.key = "global_batch",
                 .comment = "Samples of a step, or \"4M tokens\"",
                 .example = "64",
                 .endsGroup = false}};

std::string partText(const TemplatePart& part, const JsonValue* said, const std::string& indent) {
    if (said == nullptr && part.example.empty()) {
        return {};
    }
    const std::string_view comment =
        said == nullptr && !part.unsaid.empty() ? part.unsaid : part.comment;
    std::string text = comment.empty() ? "" : indent + "// " + std::string(comment) + "\n";
    text += indent + (said == nullptr ? "// " : "") + jsonQuoted(part.key) + ": " +
            (said == nullptr ? std::string(part.example) : inlineJson(*said)) + ",\n";
    return text + (part.endsGroup ? "\n" : "");
}

/// What the table does not have, as it is said.
template <std::size_t Count>
std::string otherParts(const JsonValue& object,
                       const std::array<TemplatePart, Count>& table,
                       const std::string& indent) {
    std::string text;
    for (const JsonValue& member : object.members()) {
        const bool isListed =
            std::ranges::find(table, member.name(), &TemplatePart::key) != table.end();
        if (!isListed && member.name() != "schema" && member.name() != "workload") {
            text += indent + jsonQuoted(member.name()) + ": " + inlineJson(member) + ",\n";
        }
    }
    return text;
}

/// What is said last, so that the comma behind the last member can go.
std::string workloadText(const JsonValue* workload) {
    std::string text;
    for (const bool isSaid : {false, true}) {
        for (const TemplatePart& part : kWorkloadParts) {
            const JsonValue* said = workload == nullptr ? nullptr : workload->find(part.key);
            text += (said != nullptr) == isSaid ? partText(part, said, "    ") : "";
        }
    }
    text += workload == nullptr ? "" : otherParts(*workload, kWorkloadParts, "    ");
    return text.erase(text.rfind(','), 1);
}

}  // namespace

std::string scenarioTemplate(const JsonValue& root) {
    std::string text = "{\n  \"schema\": \"fabricast.scenario/1\",\n\n";
    for (const TemplatePart& part : kParts) {
        text += partText(part, root.find(part.key), "  ");
    }
    return text + otherParts(root, kParts, "  ") + "  \"workload\": {\n" +
           workloadText(root.find("workload")) + "  }\n}\n";
}

}  // namespace fabricast
