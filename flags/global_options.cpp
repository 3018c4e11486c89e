#include "flags/global_options.h"

#include "flags/command_line.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <system_error>
#include <tuple>

namespace fabricast {
namespace {

constexpr std::int64_t kMostThreads = 1024;
constexpr const char* kEveryCommand = "Flags of every command";

using Form = std::pair<Format, PageKind>;
constexpr std::array kFormats = {Choice<Form>{"text", {Format::Text, PageKind::None}},
                                 Choice<Form>{"json", {Format::Json, PageKind::None}},
                                 Choice<Form>{"csv", {Format::Csv, PageKind::None}},
                                 Choice<Form>{"md", {Format::Markdown, PageKind::None}},
                                 Choice<Form>{"html", {Format::Text, PageKind::Html}},
                                 Choice<Form>{"pdf", {Format::Text, PageKind::Pdf}}};
constexpr std::array kColorModes = {Choice<ColorMode>{"auto", ColorMode::Auto},
                                    Choice<ColorMode>{"always", ColorMode::Always},
                                    Choice<ColorMode>{"never", ColorMode::Never}};

void addOutputOptions(const FlagSet& program, GlobalOptions& options) {
    program
        .addChoices<Form>("-f,--format",
                          kFormats,
                          [&options](const Form& form) {
                              options.format = form.first;
                              options.page = form.second;
                              options.saysFormat = true;
                          })
        .describe("text, json, csv or md; html or pdf for a report (default: by the ending of -o)")
        .takes("FORMAT")
        .group(kEveryCommand);
    program.add("-o,--output", options.output, "write the answer to a file")
        .takes("FILE")
        .group(kEveryCommand);
    program.add("--no-fail", options.noFail, "exit 0 even if it does not fit").group(kEveryCommand);
    program.add("-q,--quiet", options.quiet, "the answer only, without remarks")
        .group(kEveryCommand);
    program.add("-v,--verbose", options.verbose, "more detail: every formula, every finding")
        .group(kEveryCommand);
}

void addColorOptions(const FlagSet& program, GlobalOptions& options) {
    program.addChoice<ColorMode>("--color", options.color, kColorModes)
        .describe("auto, always or never")
        .takes("WHEN")
        .group(kEveryCommand);
    program
        .addSwitch(
            "--no-color", [&options] { options.color = ColorMode::Never; }, "same as --color never")
        .group(kEveryCommand);
}

}  // namespace

std::string endingOf(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return ending;
}

void GlobalOptions::takeFormatOfOutput() {
    const std::string ending = endingOf(output);
    for (const Choice<Form>& one : kFormats) {
        if (!saysFormat && ending == "." + std::string(one.name)) {
            std::tie(format, page) = one.value;
        }
    }
}

std::string GlobalOptions::formatAgainst(std::string_view ending) const {
    std::string typed;
    bool saysOther = false;
    for (const Choice<Form>& one : kFormats) {
        if (one.value == Form(format, page)) {
            typed = one.name;
        } else {
            saysOther = saysOther || ending == "." + std::string(one.name);
        }
    }
    const bool isText = format == Format::Text && page == PageKind::None;
    return saysFormat && !isText && saysOther ? typed : "";
}

std::string GlobalOptions::at(const std::string& path) const {
    return path == "-" || directory.empty() ? path
                                            : (std::filesystem::path(directory) / path).string();
}

Watch GlobalOptions::watch() const {
    Watch watch{.progress = quiet ? nullptr : progress, .mayTakeLong = mayTakeLong};
    if (stop) {
        watch.stop = stop();
    }
    if (status) {
        watch.status = [show = status](std::string_view line) { show(std::string(line)); };
    }
    return watch;
}

Result<void> GlobalOptions::check() const {
    if (quiet && verbose) {
        return fail(Error::Code::BadInput,
                    "--quiet",
                    "asks for less than the usual answer, and --verbose for more",
                    "one of the two");
    }
    std::error_code ignored;
    if (directory.empty() || std::filesystem::is_directory(directory, ignored)) {
        return {};
    }
    return fail(Error::Code::BadInput, "--directory", "no such folder: \"" + directory + "\"");
}

std::string_view formName(Format format) {
    const auto form = std::ranges::find_if(
        kFormats, [format](const Choice<Form>& one) { return one.value.first == format; });
    return form->name;
}

void addGlobalOptions(const FlagSet& program, GlobalOptions& options) {
    program.add("-C,--directory", options.directory, "working directory for relative paths")
        .takes("DIR")
        .group(kEveryCommand);
    addOutputOptions(program, options);
    program.add("--set", options.sets, "override one key of the scenario")
        .takes("PATH=VALUE")
        .oneEach()
        .group(kEveryCommand);
    program
        .add("--profile-dir",
             options.profileFolders,
             "folder with your own hardware and model profiles")
        .takes("DIR")
        .oneEach()
        .group(kEveryCommand);
    addColorOptions(program, options);
    program.add("-j,--threads", options.threads, {0, kMostThreads})
        .describe("maximum number of threads")
        .group(kEveryCommand);
    program
        .add("--long",
             options.mayTakeLong,
             "begin even what takes more than 5 s of CPU time; Ctrl-C stops it")
        .group(kEveryCommand);
}

}  // namespace fabricast
