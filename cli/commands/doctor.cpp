#include "machine/doctor.h"

#include "cli/command.h"
#include "flags/question_arguments.h"

namespace fabricast {
namespace {

Result<Answer> runDoctor(const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const Checkup checkup =
        checkUp(bench.profiles(), "fabricast " FABRICAST_VERSION, options.watch());
    const ExitCode code = checkup.sound() ? ExitCode::Ok : ExitCode::BadInput;
    return options.format == Format::Json
               ? Answer{.text = doctorJson(checkup, FABRICAST_VERSION), .code = code}
               : Answer{.code = code, .report = doctorReport(checkup)};
}

}  // namespace

Command doctorCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command(
        "doctor", "Show what is installed here that commands use, and what is missing");
    app.footer("Exit status 2 if a profile is broken; what is missing is no error.");
    return {app, [&options] { return runDoctor(options); }, false, kTextAndJson};
}

}  // namespace fabricast
