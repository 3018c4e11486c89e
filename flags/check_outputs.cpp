#include "flags/check_outputs.h"

#include "planner/output/destination.h"
#include "planner/profiles/kept_file.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "study/launch_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace fabricast {
namespace {

/// The flags whose values are files to write.
constexpr std::array<std::string_view, 8> kOutputFlags = {
    "-o", "--output", "--out", "--svg", "--trace", "--write-intervals", "--fit", "--report"};

/// Endings of files that hold no text in any format of an answer.
constexpr std::array<std::string_view, 23> kOtherFiles = {
    ".png", ".jpg", ".jpeg", ".gif",     ".webp", ".bmp", ".tif", ".tiff",
    ".svg", ".eps", ".ps",   ".doc",     ".docx", ".odt", ".xls", ".xlsx",
    ".ods", ".ppt", ".pptx", ".parquet", ".zip",  ".gz",  ".zst"};

/// One word of the command line that may be a file, and the flag before it.
struct NamedFile {
    std::string flag;  ///< empty for an argument
    std::string path;
    bool written = false;
};

/// Words that are no files do no harm: they are not the same as any file that is written.
std::vector<NamedFile> namedFiles(const std::vector<std::string>& arguments) {
    std::vector<NamedFile> files;
    std::string flag;
    const auto add = [&](std::string path) {
        const bool written = std::ranges::find(kOutputFlags, flag) != kOutputFlags.end();
        if (flag == "--report") {  // junit=check.xml
            path = path.substr(path.find('=') + 1);
        }
        files.push_back({std::exchange(flag, ""), std::move(path), written});
    };
    for (const std::string& word : arguments) {
        if (!word.starts_with("-") || word == "-") {
            add(word);
            continue;
        }
        const std::size_t equals = word.find('=');
        flag = word.substr(0, equals);
        if (equals != std::string::npos) {
            add(word.substr(equals + 1));
        } else if (word.size() > 2 && word.starts_with("-o")) {
            flag = "-o";
            add(word.substr(2));
        }
    }
    return files;
}

/// Whether writing to `output` changes what is read from `input`: the same file, or the
/// config.json of a model's folder.
bool overwrites(const std::string& output, const std::string& input) {
    const std::string read = input == "-" ? "/dev/stdin" : input;
    const std::string config = (std::filesystem::path(read) / "config.json").string();
    return isSameFile(output, read) || isSameFile(output, config);
}

/// Only a model may be a folder; -C and --profile-dir name folders that may hold any output.
bool overwrites(const std::string& output, const NamedFile& other, const std::string& input) {
    const bool mayBeModel = other.flag.empty() || other.flag == "-m" || other.flag == "--model";
    return mayBeModel ? overwrites(output, input)
                      : isSameFile(output, input == "-" ? "/dev/stdin" : input);
}

/// A file that is there, in a folder of profiles or below it.
bool isProfileOf(const std::string& folder, const std::string& output) {
    std::error_code error;
    return std::filesystem::is_regular_file(output, error) && isWithin(folder, output);
}

tl::unexpected<Error> bothRefused(const std::string& flag,
                                  const std::string& path,
                                  const std::string& what) {
    return fail(
        Error::Code::BadInput, flag, "\"" + path + "\" is also " + what, "write to another file");
}

bool saysFormat(const std::vector<std::string>& arguments) {
    return std::ranges::any_of(arguments, [](const std::string& word) {
        return word.starts_with("--format") || word.starts_with("-f");
    });
}

bool isOtherFile(std::string_view ending) {
    return std::ranges::find(kOtherFiles, ending) != kOtherFiles.end();
}

/// ".pdf": an ending that says what is in the file, and no name before it.
bool isEndingAlone(const std::string& path) {
    constexpr std::array<std::string_view, 6> kForms = {
        ".txt", ".json", ".csv", ".md", ".html", ".pdf"};
    const std::string name = std::filesystem::path(path).filename().string();
    const std::string ending = endingOf("answer" + name);
    return name.size() == ending.size() &&
           (isOtherFile(ending) || std::ranges::find(kForms, ending) != kForms.end());
}

/// A picture or a sheet is not what would be written: without --format an answer is text.
Result<void> checkEnding(const NamedFile& output, const std::vector<std::string>& arguments) {
    const std::string ending = endingOf(output.path);
    const bool isAnswer = output.flag == "-o" || output.flag == "--output";
    if (!isAnswer || saysFormat(arguments)) {
        return {};
    }
    if (isEndingAlone(output.path)) {
        return fail(Error::Code::BadInput,
                    output.flag,
                    "\"" + output.path + "\" is the ending of a name without a name",
                    "-o " + (std::filesystem::path(output.path).parent_path() / "answer").string() +
                        std::filesystem::path(output.path).filename().string());
    }
    if (!isOtherFile(ending)) {
        return {};
    }
    const std::string stem = std::filesystem::path(output.path).replace_extension().string();
    return fail(Error::Code::BadInput,
                output.flag,
                "\"" + output.path + "\" would hold text, and its ending says " + ending,
                "-o " + stem + ".txt, .json, .csv or .md; .html or .pdf for a report" +
                    (ending == ".svg" ? "; simulate --svg, topology --format svg" : ""));
}

/// The name says another format than --format does.
Result<void> checkFormat(const NamedFile& output, const GlobalOptions& options) {
    const std::string ending = endingOf(output.path);
    const std::string said = options.formatAgainst(ending);
    return said.empty()
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      output.flag,
                      "\"" + output.path + "\" would hold " + said +
                          ", as --format says, and its ending says " + ending,
                      "leave out --format, or -o " +
                          std::filesystem::path(output.path).replace_extension(said).string());
}

tl::unexpected<Error> isKept(const std::string& where,
                             const std::string& typed,
                             const std::string& kind) {
    const std::string what = where == typed ? std::string() : "\"" + typed + "\" ";
    return fail(Error::Code::BadInput,
                where,
                what + "is there, and is " + kind + "; nothing was written",
                "another file; or first " + shellCommand({"mv", typed, typed + ".old"}));
}

/// Which tell whether the file there goes on or grows.
bool hasOwnRules(std::string_view flag) {
    return flag == "--out" || flag == "--fit";
}

Result<void> checkKept(const NamedFile& output, const std::string& place) {
    if (hasOwnRules(output.flag)) {
        return {};
    }
    const bool isOwn =
        output.flag == "--write-intervals" && keptKind(place) == "an interval profile";
    return isOwn ? Result<void>() : checkKeptPlace(output.flag, output.path, place);
}

/// A repository is lost with its HEAD or its index, whatever a lock or an answer is written for.
Result<void> checkGit(const NamedFile& output, const std::string& place) {
    const bool isLock = output.flag == "--lock";
    if ((output.written || isLock) && isOfGit(place)) {
        return fail(Error::Code::BadInput,
                    output.flag,
                    "\"" + output.path + "\" is a file of git's own; nothing was written",
                    "write to another file");
    }
    return {};
}

/// Standard output is one, and has the answer.
Result<void> checkStandardOutput(const std::string& flag) {
    constexpr std::array<std::string_view, 3> kTakeIt = {"-o", "--output", "--report"};
    return std::ranges::find(kTakeIt, flag) != kTakeIt.end()
               ? Result<void>()
               : fail(Error::Code::BadInput,
                      flag,
                      "\"-\" is standard output, where the answer goes",
                      flag + " and the name of a file");
}

}  // namespace

Result<void> checkOutputs(const std::vector<std::string>& arguments, GlobalOptions& options) {
    const std::vector<NamedFile> files = namedFiles(arguments);
    const bool isForced = std::ranges::find(arguments, "--force") != arguments.end();
    for (const NamedFile& output : files) {
        FABRICAST_TRY(checkGit(output, options.at(output.path)));
        if (!output.written) {
            continue;
        }
        if (output.path == "-") {
            FABRICAST_TRY(checkStandardOutput(output.flag));
            continue;
        }
        FABRICAST_TRY(checkEnding(output, arguments));
        if (output.flag == "-o" || output.flag == "--output") {
            FABRICAST_TRY(checkFormat(output, options));
        }
        const std::string place = options.at(output.path);
        for (const NamedFile& other : files) {
            if (&other == &output || !overwrites(place, other, options.at(other.path))) {
                continue;
            }
            return bothRefused(output.flag,
                               output.path,
                               other.flag.empty() ? "an input" : "the file of " + other.flag);
        }
        if (!isForced) {
            FABRICAST_TRY(checkKept(output, place));
        }
        for (const std::string& folder : options.profileFolders) {
            if (isProfileOf(options.at(folder), place)) {
                return bothRefused(output.flag, output.path, "a profile of --profile-dir");
            }
        }
        options.outputs.push_back({.flag = output.flag, .path = place});
    }
    return {};
}

Result<void> checkKeptPlace(const std::string& where,
                            const std::string& typed,
                            const std::string& place) {
    const std::string kind = keptKind(place);
    return kind.empty() ? Result<void>() : isKept(where, typed, kind);
}

Result<void> checkInputs(const Question& question, const GlobalOptions& options) {
    for (const auto& [key, name, folder] : filesNamed(question)) {
        const std::string input = pathFrom(folder, name);
        for (const OutputFile& output : options.outputs) {
            if (overwrites(output.path, input)) {
                return bothRefused(output.flag,
                                   output.path,
                                   question.file.empty()
                                       ? "the file of \"" + std::string(key) + "\""
                                       : "read by \"" + question.file + "\"");
            }
        }
    }
    const bool isForced =
        std::ranges::find(options.typedFlags, "--force") != options.typedFlags.end();
    for (const OutputFile& output : options.outputs) {
        if (!isForced && !hasOwnRules(output.flag) && isLaunchFileAt(output.path)) {
            FABRICAST_TRY(checkNotRead(output.path));
            return isKept(output.flag, output.path, "a launch file");
        }
    }
    return {};
}

Result<void> checkBeside(const std::string& flag,
                         const std::string& path,
                         const GlobalOptions& options) {
    for (const OutputFile& output : options.outputs) {
        if (output.flag != flag && isSameFile(output.path, path)) {
            return bothRefused(output.flag, output.path, "written into the folder of " + flag);
        }
    }
    return {};
}

}  // namespace fabricast
