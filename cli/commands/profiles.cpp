#include "cli/command.h"
#include "flags/question_arguments.h"
#include "planner/base/nearest_name.h"
#include "planner/report/profiles_report.h"
#include "probes/record/utc_now.h"
#include "study/templates.h"

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
    std::string made;  ///< name of a new one; empty: my-gpu, my-node, my-price
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
                "unknown kind \"" + typed + "\"",
                suggestName(typed, known));
}

Result<Answer> list(const GlobalOptions& options, const ProfilesFlags& flags) {
    FABRICAST_ASSIGN(const auto kind, kindOf(flags.kind));
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const ProfileStore& store = bench.profiles();
    FABRICAST_ASSIGN(const std::vector<ProfileRow> rows, listProfiles(store, kind));
    return Answer{.text = listText(rows, options.format)};
}

Result<Answer> show(const GlobalOptions& options, const ProfilesFlags& flags) {
    FABRICAST_ASSIGN(const auto kind, kindOf(flags.kind));
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const ProfileStore& store = bench.profiles();
    FABRICAST_ASSIGN(const std::vector<ProfileSheet> sheets,
                     profileSheets(store, flags.name, kind));
    FABRICAST_ASSIGN(const auto sources, store.sources());
    return Answer{.text = sheetsText(sheets, sources, options.format)};
}

Result<Answer> make(const ProfilesFlags& flags) {
    const std::string name = profileName(flags.made.empty() ? "my-" + flags.kind : flags.made);
    if (flags.kind == profileKindName(ProfileKind::Node)) {
        return Answer{.text = nodeTemplate(name)};
    }
    if (flags.kind == profileKindName(ProfileKind::Price)) {
        return Answer{.text = priceTemplate(name)};
    }
    if (flags.kind == profileKindName(ProfileKind::Gpu)) {
        return Answer{.text = gpuTemplate(name)};
    }
    return fail(Error::Code::Unsupported,
                "profiles new",
                "there is no template of \"" + flags.kind + "\"",
                "fabricast profiles new gpu, node or price");
}

Result<Answer> verify(const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Workbench bench, unreadWorkbenchOf(options));
    const ProfileStore& store = bench.profiles();
    const ProfileVerification result = verifyProfiles(store, latestDay());
    return Answer{.text = verificationText(result, options.verbose, options.format),
                  .code = result.sound() ? ExitCode::Ok : ExitCode::BadInput};
}

}  // namespace

Command profilesCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app =
        program.command("profiles", "List, show and check hardware and model profiles");
    app.needsCommand();
    const auto flags = std::make_shared<ProfilesFlags>();
    const auto addKind = [&flags](const FlagSet& command) {
        command
            .add("--kind",
                 flags->kind,
                 "gpu, node, fabric, cluster, model, kernel, collective, software, "
                 "interval, price or site")
            .takes("KIND");
    };
    const FlagSet listing = app.command("list", "List all profiles, or those of one kind");
    addKind(listing);
    const FlagSet showing = app.command("show", "Show a profile with its references and sources");
    showing.add("name", flags->name, "name of a profile, or an alias").takes("NAME").required();
    addKind(showing);
    const FlagSet making = app.command("new", "Print a template of a profile, to be filled in");
    making.add("kind", flags->kind, "gpu, node or price").takes("KIND").required();
    making.add("name", flags->made, "of the new profile").takes("[NAME]");
    app.command("verify", "Report errors, contradictions and unknown values; -v lists all");
    return {app, [flags, &options, listing, showing, making]() -> Result<Answer> {
                if (making.chosen()) {
                    return make(*flags);
                }
                if (listing.chosen()) {
                    return list(options, *flags);
                }
                return showing.chosen() ? show(options, *flags) : verify(options);
            }};
}

}  // namespace fabricast
