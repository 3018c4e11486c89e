#include "cli/command.h"
#include "study/reference_words.h"

#include <memory>

namespace fabricast {

Command schemaCommand(const FlagSet& program, const GlobalOptions& /*options*/) {
    const FlagSet app =
        program.command("schema", "Print the JSON Schema of a scenario, a profile or an answer");
    app.footer(
        "examples:\n"
        "  fabricast schema                    # the names of all\n"
        "  fabricast schema scenario > scenario.schema.json    # for an editor\n"
        "  fabricast schema plan               # what plan -f json prints\n"
        "  fabricast schema model-answer       # what model -f json prints: schema model is a "
        "file's");
    const auto name = std::make_shared<std::string>();
    app.add("name", *name, "scenario, a kind of profile, or a command").takes("[NAME]");
    return {app,
            [name]() -> Result<Answer> {
                std::string text;
                if (name->empty()) {
                    for (const std::string& one : schemaNames()) {
                        text += one + "\n";
                    }
                    return Answer{.text = std::move(text)};
                }
                FABRICAST_ASSIGN(text, schemaText(*name));
                return Answer{.text = std::move(text)};
            },
            false,
            kTextAndJson};
}

}  // namespace fabricast
