#include "cli/global_options.h"

#include <filesystem>
#include <map>

namespace fabricast {
namespace {

constexpr int kMostThreads = 1024;
constexpr const char* kGroup = "Flags of every command";

void addOutputOptions(CLI::App& program, GlobalOptions& options) {
    const std::map<std::string, Format> formats = {{"text", Format::Text},
                                                   {"json", Format::Json},
                                                   {"csv", Format::Csv},
                                                   {"md", Format::Markdown}};
    program.add_option("-f,--format", options.format, "text, json, csv or md")
        ->transform(CLI::CheckedTransformer(formats).description(""))
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
    const std::map<std::string, ColorMode> modes = {
        {"auto", ColorMode::Auto}, {"always", ColorMode::Always}, {"never", ColorMode::Never}};
    program.add_option("--color", options.color, "auto, always or never")
        ->transform(CLI::CheckedTransformer(modes).description(""))
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

void addGlobalOptions(CLI::App& program, GlobalOptions& options) {
    program.add_option("-C,--directory", options.directory, "where relative paths start")
        ->option_text("DIR")
        ->check(CLI::ExistingDirectory.description(""))
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
    program.add_option("-j,--threads", options.threads, "at most so many threads")
        ->option_text("N")
        ->check(CLI::Range(0, kMostThreads).description(""))
        ->group(kGroup);
}

}  // namespace fabricast
