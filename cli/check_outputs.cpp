#include "cli/check_outputs.h"

#include "planner/output/destination.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// The flags whose values are files to write.
constexpr std::array<std::string_view, 8> kOutputFlags = {
    "-o", "--output", "--out", "--svg", "--trace", "--write-intervals", "--fit", "--report"};

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

}  // namespace

Result<void> checkOutputs(const std::vector<std::string>& arguments, const GlobalOptions& options) {
    const std::vector<NamedFile> files = namedFiles(arguments);
    for (const NamedFile& output : files) {
        for (const NamedFile& other : files) {
            if (!output.written || &other == &output || output.path == "-" || other.path == "-" ||
                !isSameFile(options.at(output.path), options.at(other.path))) {
                continue;
            }
            return fail(Error::Code::BadInput,
                        output.flag,
                        "\"" + output.path + "\" is also " +
                            (other.flag.empty() ? "an input" : "the file of " + other.flag),
                        "write to another file");
        }
    }
    return {};
}

}  // namespace fabricast
