#include "cli/answer_forms.h"
#include "flags/command_line.h"
#include "flags/question_arguments.h"
#include "planner/load/find_named.h"
#include "planner/ops/model_facts.h"
#include "planner/report/model_report.h"
#include "planner/text/shell_text.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace fabricast {
namespace {

constexpr std::int64_t kUsualSequence = 4096;
constexpr std::int64_t kLongestSequence = 16'777'216;

struct ModelFlags {
    std::string name;
    std::string flagged;        ///< the name behind -m
    std::int64_t sequence = 0;  ///< 0: 4096, or all the positions of a model with fewer
};

std::int64_t sequenceFor(const ModelSpec& model, std::int64_t typed) {
    if (typed > 0) {
        return typed;
    }
    return model.maxPositions > 0 ? std::min(model.maxPositions, kUsualSequence) : kUsualSequence;
}

using ModelForm = AnswerForm<ModelFacts>;
constexpr std::array kModelForms = {
    ModelForm{"text", &modelText},
    ModelForm{"json", [](const ModelFacts& facts) { return modelJson(facts, FABRICAST_VERSION); }},
    ModelForm{"csv", &modelCsv},
    ModelForm{"md", &modelMarkdown}};

Result<std::string> nameOfModel(const ModelFlags& flags) {
    if (flags.name.empty() == flags.flagged.empty()) {
        return fail(Error::Code::BadInput,
                    "model",
                    flags.name.empty() ? "no model is named" : "is given twice",
                    "fabricast model llama-3.1-8b");
    }
    return flags.name.empty() ? flags.flagged : flags.name;
}

Result<Answer> runModel(const ModelFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::string name, nameOfModel(flags));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(
        const ModelProfile profile,
        findModel(name, bench.profiles(), {.folder = options.directory, .where = "model"}));
    ModelFacts facts = modelFacts(profile.model, sequenceFor(profile.model, flags.sequence));
    facts.published = profile.publishedParameters;
    facts.publishedSource = profile.publishedSource;
    Answer answer = answerIn(options.format, facts, kModelForms);
    if (options.format == Format::Text) {
        answer.add("\nnext: fabricast explain -m " + shellWord(name) + " -c dgx-h100\n");
    }
    return answer;
}

}  // namespace

Command modelCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("model", "Show parameters by component and FLOPs per token");
    app.footer(
        "examples:\n"
        "  fabricast model mixtral-8x7b --seq 32768\n"
        "  fabricast model path/to/config.json --format json");
    const auto flags = std::make_shared<ModelFlags>();
    app.add("model", flags->name, "a built-in name, a config.json, or its folder").takes("MODEL");
    app.add("-m,--model", flags->flagged, "the same, as other commands take it")
        .takes("MODEL", "llama-3.1-8b");
    app.add("--seq", flags->sequence, {1, kLongestSequence})
        .describe("sequence length, for the FLOPs of attention");
    return {app, [flags, &options] { return runModel(*flags, options); }};
}

}  // namespace fabricast
