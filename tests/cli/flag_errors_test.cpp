#include "cli/run_program.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// What stands before a flag of a command, so that nothing else is wrong: small, for it is answered
/// for every value that is accepted.
const std::map<std::string, std::string>& questionsOfCommands() {
    static const std::map<std::string, std::string> all = {
        {"advise", "-m llama-3.2-1b -c 8x-rtx-4090 --seq 2048 --global-batch 8"},
        {"plan", "-m llama-3.2-1b -c 8x-rtx-4090 --stack ddp --seq 2048 --global-batch 8"},
        {"size", "-m llama-3.2-1b -c 8x-rtx-4090 -n 1 --stack ddp --tokens 1B --global-batch 64"},
        {"model", "llama-3.2-1b"},
        {"explain", "-m llama-3.2-1b -c 8x-rtx-4090 --stack ddp"},
        {"emit", "-m llama-3.2-1b -c 8x-rtx-4090 --stack megatron"},
        {"compare", "-m llama-3.2-1b -c 8x-rtx-4090 --stack ddp,fsdp2"},
        {"check", "-m llama-3.2-1b -c 8x-rtx-4090 --stack ddp"},
        {"schedule", "1f1b --pp 4 --microbatches 8"},
        {"simulate", "-m llama-3.2-1b -c 8x-rtx-4090 --stack ddp"},
        {"collective", "all_reduce 1MB -c dgx-h100"},
        {"topology", "-c dgx-h100"},
        {"profiles show", "dgx-h100"},
        {"completion", "bash"}};
    return all;
}

struct TypedFlag {
    std::string command;
    std::string flag;
};

/// Every flag with a value, of every command, as --help lists them.
std::vector<TypedFlag> flagsOf(const std::string& command) {
    std::vector<TypedFlag> all;
    const std::string help = ran(command + " --help").out;
    const std::size_t inner = help.find("\ncommands:\n");
    const std::size_t flags = help.find("\nflags:\n");
    const std::regex name("\n  ([a-z]+)  ");
    const std::string names = inner == std::string::npos ? "" : help.substr(inner, flags - inner);
    for (std::sregex_iterator one(names.begin(), names.end(), name), end; one != end; ++one) {
        for (TypedFlag& flag : flagsOf((command.empty() ? "" : command + " ") + (*one)[1].str())) {
            all.push_back(std::move(flag));
        }
    }
    const std::regex flag(R"(\n  (?:-\w, )?(--[\w-]+) (?:\[?[A-Z][A-Z|=]*)(?: |\n))");
    for (std::sregex_iterator one(help.begin(), help.end(), flag), end; one != end; ++one) {
        all.push_back({command, (*one)[1].str()});
    }
    return all;
}

ProgramOutput answerTo(const TypedFlag& flag, const std::string& value) {
    const auto question = questionsOfCommands().find(flag.command);
    std::vector<std::string> words =
        typedWords("-C " + tempFolder() + " " + flag.command + " " +
                   (question == questionsOfCommands().end() ? "" : question->second));
    // Said once: the flag itself, and what it stands in place of.
    const std::map<std::string, std::string> letters = {
        {"--model", "-m"}, {"--cluster", "-c"}, {"--gpu", "-c"}, {"--nodes", "-n"}};
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const auto letter = letters.find(flag.flag);
        if (words[i] == flag.flag || (letter != letters.end() && words[i] == letter->second)) {
            words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                        words.begin() + static_cast<std::ptrdiff_t>(i) + 2);
        }
    }
    if (!value.empty()) {
        std::filesystem::remove_all(tempFolder() + value);  // what another flag has written
    }
    if (value.starts_with("-")) {
        words.push_back(flag.flag + "=" + value);
    } else {
        words.insert(words.end(), {flag.flag, value});
    }
    return runProgram(words, {});
}

/// The value of the flag in a line of what to try; empty where another flag or no value is named.
std::string triedValue(const std::string& err, const std::string& flag) {
    std::smatch found;
    const std::regex hint("\n  try: (?:" + flag + ") ('[^']*'|[^ \n,;]+)");
    if (!std::regex_search(err, found, hint)) {
        return "";
    }
    std::string value = found[1].str();
    std::erase(value, '\'');
    return value;
}

/// Whatever is wrong with a flag: nothing on standard output, the flag by its name, and a value of
/// it that is accepted.
TEST(FlagErrors, SayWhatToType) {
    std::size_t refused = 0;
    std::size_t followed = 0;
    std::map<std::string, bool> isAccepted;  // by command, flag and value
    for (const TypedFlag& flag : flagsOf("")) {
        const bool isLong = flag.command == "calibrate" || flag.command == "probe" ||
                            flag.command == "doctor" || flag.command == "init";
        if (flag.command.empty() || isLong) {
            continue;  // these look at the machine, or ask
        }
        for (const std::string value : {"", "nonsense", "-1", "1e99"}) {
            const ProgramOutput output = answerTo(flag, value);
            if (output.err.find("error: ") != 0 || output.code != ExitCode::BadInput) {
                continue;
            }
            ++refused;
            const std::string line = flag.command + " " + flag.flag + "=" + value;
            EXPECT_TRUE(output.out.empty()) << line;
            EXPECT_NE(output.err.find("\n  try: "), std::string::npos) << line << "\n"
                                                                       << output.err;
            const std::string tried = triedValue(output.err, flag.flag);
            const bool isPlace = tried.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_=|") ==
                                 std::string::npos;  // the word for it: a file of one's own
            const std::string key = flag.command + flag.flag + tried;
            if (!isPlace && tried != value && isAccepted.emplace(key, true).second) {
                ++followed;
                // It may need another flag beside it, and is then said to.
                const ProgramOutput taken = answerTo(flag, tried);
                EXPECT_TRUE(triedValue(taken.err, flag.flag).empty()) << line << "\n"
                                                                      << output.err << taken.err;
            }
        }
    }
    EXPECT_GT(refused, 400U);
    EXPECT_GT(followed, 100U);
}

}  // namespace
}  // namespace fabricast
