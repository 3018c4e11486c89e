#include "cli/command.h"
#include "cli/open_profiles.h"
#include "cli/profiles_answer.h"
#include "planner/base/nearest_name.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {
namespace {

struct ProfilesFlags {
    std::string kind;
    std::string name;
};

Result<std::optional<ProfileKind>> kindOf(const std::string& typed) {
    if (typed.empty()) {
        return std::optional<ProfileKind>();
    }
    std::vector<std::string_view> known;
    for (const ProfileKind kind : kProfileKinds) {
        if (profileKindName(kind) == typed) {
            return kind;
        }
        known.push_back(profileKindName(kind));
    }
    return fail(Error::Code::BadInput,
                "--kind",
                "there is no kind \"" + typed + "\"",
                suggestName(typed, known));
}

Result<Answer> list(const GlobalOptions& options, const ProfilesFlags& flags) {
    FABRICAST_ASSIGN(const auto kind, kindOf(flags.kind));
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    FABRICAST_ASSIGN(const std::vector<ProfileRow> rows, listProfiles(store, kind));
    return Answer{.text = listText(rows, options.format)};
}

Result<Answer> show(const GlobalOptions& options, const ProfilesFlags& flags) {
    FABRICAST_ASSIGN(const auto kind, kindOf(flags.kind));
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    FABRICAST_ASSIGN(const std::vector<ProfileSheet> sheets,
                     profileSheets(store, flags.name, kind));
    FABRICAST_ASSIGN(const auto sources, store.sources());
    return Answer{.text = sheetsText(sheets, sources, options.format)};
}

Result<Answer> verify(const GlobalOptions& options) {
    FABRICAST_ASSIGN(const ProfileStore store, openProfiles(options));
    const ProfileVerification result = verifyProfiles(store);
    return Answer{.text = verificationText(result, options.verbose, options.format),
                  .code = result.sound() ? ExitCode::Ok : ExitCode::BadInput};
}

}  // namespace

Command profilesCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand("profiles", "The hardware and models there are");
    app->require_subcommand(1);
    const auto flags = std::make_shared<ProfilesFlags>();
    const auto addKind = [&flags](CLI::App* command) {
        command
            ->add_option("--kind",
                         flags->kind,
                         "gpu, node, fabric, cluster, model, kernel, collective, software, "
                         "interval, price or site")
            ->option_text("KIND");
    };
    CLI::App* listing = app->add_subcommand("list", "All of them, or those of one kind");
    addKind(listing);
    CLI::App* showing = app->add_subcommand("show", "One, with all it names and every source");
    showing->add_option("name", flags->name, "of a profile, or one of its aliases")
        ->option_text("NAME")
        ->required();
    addKind(showing);
    app->add_subcommand("verify", "What is wrong, contradictory or not known; -v names all");
    return {app, [flags, &options, listing, showing]() -> Result<Answer> {
                if (listing->parsed()) {
                    return list(options, *flags);
                }
                return showing->parsed() ? show(options, *flags) : verify(options);
            }};
}

}  // namespace fabricast
