#include "cli/command.h"
#include "study/reference_words.h"

#include <memory>

namespace fabricast {

Command errorsCommand(const FlagSet& program, const GlobalOptions& /*options*/) {
    const FlagSet app =
        program.command("errors", "Explain an exit status, or the code of a finding");
    app.footer(
        "examples:\n"
        "  fabricast errors        # the exit statuses\n"
        "  fabricast errors 2\n"
        "  fabricast errors AC02   # a finding of lint");
    const auto code = std::make_shared<std::string>();
    app.add("code", *code, "an exit status, or a rule of lint").takes("[CODE]");
    return {app,
            [code]() -> Result<Answer> {
                if (code->empty()) {
                    return Answer{.text = errorCodesText()};
                }
                FABRICAST_ASSIGN(std::string text, explainedCode(*code));
                return Answer{.text = std::move(text)};
            },
            false,
            kTextAlone};
}

}  // namespace fabricast
