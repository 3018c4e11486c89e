#include "cli/run_program.h"
#include "tests/docs/console_block.h"
#include "tests/support/same_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = FABRICAST_SOURCE_DIR;

std::vector<fs::path> pages() {
    std::vector<fs::path> files = {kRoot / "README.md"};
    if (fs::exists(kRoot / "docs")) {
        for (const auto& entry : fs::recursive_directory_iterator(kRoot / "docs")) {
            if (entry.path().extension() == ".md") {
                files.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(files);
    return files;
}

std::string contents(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::string firstLines(const std::string& text, int count) {
    std::istringstream in(text);
    std::string head;
    std::string line;
    for (int taken = 0; taken < count && std::getline(in, line); ++taken) {
        head += line + "\n";
    }
    return head;
}

/// Runs the commands of a page in order: `fabricast …` or `tools/run …`, optionally with
/// `| head -N`, and `echo $?` for the status of the one before.
class Shell {
public:
    std::string print(const std::string& command) {
        if (command == "echo $?") {
            return std::to_string(status_) + "\n";
        }
        std::vector<std::string> words = shellWords(command);
        int most = -1;
        const auto bar = std::ranges::find(words, "|");
        if (words.end() - bar == 3 && *(bar + 1) == "head") {
            most = std::stoi((bar + 2)->substr(1));
            words.erase(bar, words.end());
        }
        if (words.empty() || (words.front() != "fabricast" && words.front() != "tools/run")) {
            return "this page may only run fabricast and tools/run\n";
        }
        words.erase(words.begin());
        const ProgramOutput answer = runProgram(words, {});
        status_ = static_cast<int>(answer.code);
        const std::string all = answer.out + answer.err;
        return most < 0 ? all : firstLines(all, most);
    }

private:
    int status_ = 0;
};

class Pages : public testing::TestWithParam<fs::path> {};

// What a page shows is what the program prints, but for the last digit of numbers, or a
// ten-thousandth: a thousandth would hide that a forecast has moved. After a change that is meant,
// rewrite the pages with FABRICAST_UPDATE_GOLDEN=1 and read the difference.
TEST_P(Pages, ShowWhatTheProgramPrints) {
    fs::current_path(kRoot);
    const bool update = std::getenv("FABRICAST_UPDATE_GOLDEN") != nullptr;
    ConsolePage page = readConsolePage(contents(GetParam()));
    Shell shell;
    for (ConsoleCommand& command : page.commands) {
        const std::string prints = shell.print(command.command);
        const std::string difference = textDifference(prints, command.printed, {1e-4});
        if (!update) {
            EXPECT_EQ(difference, "") << GetParam().string() << ":" << command.line
                                      << " shows something else; rewrite the pages with "
                                         "FABRICAST_UPDATE_GOLDEN=1";
        } else if (!difference.empty()) {
            command.printed = prints;
        }
    }
    if (update) {
        std::ofstream(GetParam(), std::ios::binary) << page.text();
    }
}

std::string pageName(const testing::TestParamInfo<fs::path>& page) {
    std::string name = page.param.stem().string();
    std::ranges::replace_if(
        name, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
    return name;
}
INSTANTIATE_TEST_SUITE_P(Docs, Pages, testing::ValuesIn(pages()), pageName);

TEST(ConsolePage, IsCutAtItsCommandsAndJoinedAgain) {
    const std::string text =
        "# T\n```console\n$ fabricast a\nx\ny\n$ echo $?\n0\n```\nend\n```sh\n$ b\n```\n";
    const ConsolePage page = readConsolePage(text);
    ASSERT_EQ(page.commands.size(), 2U);
    EXPECT_EQ(page.commands[0].command, "fabricast a");
    EXPECT_EQ(page.commands[0].printed, "x\ny\n");
    EXPECT_EQ(page.commands[1].printed, "0\n");
    EXPECT_EQ(page.text(), text);
    EXPECT_EQ(shellWords("a 'b c'  \"d\" \"\""), (std::vector<std::string>{"a", "b c", "d", ""}));
}

}  // namespace
}  // namespace fabricast
