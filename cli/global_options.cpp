#include "cli/global_options.h"

#include "cli/flag_values.h"

#include <array>
#include <filesystem>
#include <system_error>

namespace fabricast {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr const char* kGroup = "Flags of every command";

constexpr std::array kFormats = {Choice<Format>{"text", Format::Text},
                                 Choice<Format>{"json", Format::Json},
                                 Choice<Format>{"csv", Format::Csv},
                                 Choice<Format>{"md", Format::Markdown}};
constexpr std::array kColorModes = {Choice<ColorMode>{"auto", ColorMode::Auto},
                                    Choice<ColorMode>{"always", ColorMode::Always},
                                    Choice<ColorMode>{"never", ColorMode::Never}};

void addOutputOptions(CLI::App& program, GlobalOptions& options) {
    addChoice<Format>(program, "-f,--format", options.format, kFormats)
        ->description("text, json, csv or md")
        ->option_text("FORMAT")
        ->group(kGroup);
    program.add_option("-o,--output", options.output, "write the answer to a file")
        ->option_text("FILE")
        ->group(kGroup);
    program.add_flag("--no-fail", options.noFail, "exit 0 also when it does not fit")
        ->group(kGroup);
    program.add_flag("-q,--quiet", options.quiet, "the answer only, no remarks")->group(kGroup);
    program.add_flag("-v,--verbose", options.verbose, "say more: every formula, every finding")
        ->group(kGroup);
}

void addColorOptions(CLI::App& program, GlobalOptions& options) {
    addChoice<ColorMode>(program, "--color", options.color, kColorModes)
        ->description("auto, always or never")
        ->option_text("WHEN")
        ->group(kGroup);
    program
        .add_flag_callback(
            "--no-color", [&options] { options.color = ColorMode::Never; }, "as --color never")
        ->group(kGroup);
}

}  // namespace

std::string GlobalOptions::at(const std::string& path) const {
    return path == "-" || directory.empty() ? path
                                            : (std::filesystem::path(directory) / path).string();
}

Result<void> GlobalOptions::check() const {
    std::error_code ignored;
    if (directory.empty() || std::filesystem::is_directory(directory, ignored)) {
        return {};
    }
    return fail(Error::Code::BadInput, "--directory", "there is no folder \"" + directory + "\"");
}

void addGlobalOptions(CLI::App& program, GlobalOptions& options) {
    program.add_option("-C,--directory", options.directory, "where relative paths start")
        ->option_text("DIR")
        ->group(kGroup);
    addOutputOptions(program, options);
    program.add_option("--set", options.sets, "say one key of the scenario anew")
        ->option_text("PATH=VALUE")
        ->allow_extra_args(false)
        ->group(kGroup);
    program.add_option("--profile-dir", options.profileFolders, "hardware and models of your own")
        ->option_text("DIR")
        ->allow_extra_args(false)
        ->group(kGroup);
    addColorOptions(program, options);
    addWhole(program, "-j,--threads", options.threads, {0, kMostThreads})
        ->description("at most so many threads")
        ->group(kGroup);
}

}  // namespace fabricast
