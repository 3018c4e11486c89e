#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// The long flags that a help text lists.
std::set<std::string> flagsIn(const std::string& help) {
    static const std::regex kFlag(R"((?:^|\n)  (?:-\w, )?(--[a-z][a-z0-9-]*))");
    std::set<std::string> flags;
    for (std::sregex_iterator at(help.begin(), help.end(), kFlag), end; at != end; ++at) {
        flags.insert((*at)[1]);
    }
    return flags;
}

/// Every command, as it is typed behind the program's name.
std::vector<std::string> commands() {
    std::vector<std::string> names;
    const auto addFrom = [&names](const std::string& outer) {
        const std::string help = ran(outer + " --help").out;
        std::istringstream lines(help.substr(std::min(help.find("\ncommands:\n"), help.size())));
        std::string line;
        std::getline(lines, line);
        std::getline(lines, line);
        while (std::getline(lines, line) && line.starts_with("  ")) {
            const std::string name = line.substr(2, line.find(' ', 2) - 2);
            names.push_back(outer.empty() ? name : outer + " " + name);
        }
    };
    addFrom("");
    addFrom("profiles");
    return names;
}

/// What `bash -c` prints.
std::string bash(const std::string& script) {
    const std::string file = tempFolder() + "try.bash";
    std::ofstream(file) << script;
    std::FILE* const pipe = ::popen(("bash " + file + " 2>&1").c_str(), "r");
    std::string text;
    std::array<char, 4096> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe)) {
        text.append(part.data(), count);
    }
    ::pclose(pipe);
    return text;
}

/// What completion offers behind these words, the last of which is begun.
std::string offered(const std::vector<std::string>& words) {
    std::string script = ran("completion bash").out + "COMP_WORDS=(fabricast";
    for (const std::string& word : words) {
        script += " '" + word + "'";
    }
    return bash(script + ")\nCOMP_CWORD=" + std::to_string(words.size()) +
                "\n_fabricast\necho \"${COMPREPLY[*]}\"\n");
}

TEST(Completion, OffersCommandsFlagsAndValues) {
    struct Case {
        std::vector<std::string> words;
        std::string offers;
    };
    const std::vector<Case> cases = {
        {{"pl"}, "plan"},
        {{"profiles", "sh"}, "show"},
        {{"profiles", "show", "--ki"}, "--kind"},
        {{"profiles", "list", "--kind", "gp"}, "gpu"},
        {{"explain", "--sect"}, "--section"},
        {{"explain", "--section", "c"}, "comm cost"},
        {{"explain", "--section", "=", "ti"}, "time"},
        {{"explain", "--section", "="}, "memory time comm cost all"},
        {{"plan", "--stack", "meg"}, "megatron megatron-fsdp"},
        {{"plan", "-m", "llama-3.1-7"}, "llama-3.1-70b"},
        {{"plan", "-c", "dgx-h2"}, "dgx-h200"},
        {{"plan", "--gpu", "h200-sxm"}, "h200-sxm-141gb"},
        {{"-f", "ht"}, "html"},
        {{"-f", "html", "pl"}, "plan"},
        {{"explain", "--layout", "t"}, "tp="},
        {{"explain", "--layout", "tp", "=", "2,sha"}, "2,shard= 2,shard_size="},
        {{"explain", "--layout", "=", "tp", "=", "2,pp", "=", "2,v"}, "2,vpp="},
        {{"explain", "--layout", "tp", "=", "2"}, ""},
        {{"explain", "--layout", "tp", "=", "2,t"}, ""},
        {{"explain", "--layout", "shard", "=", "fsdp,sha"}, "fsdp,shard_size="},
        {{"plan", "--stack", "fsdp2,fs"}, "fsdp2,fsdp1"},
        {{"check", "--", "--base"}, ""},
        {{"plan", "--stack", "fsdp2,meg"}, "fsdp2,megatron fsdp2,megatron-fsdp"},
        {{"explain", "--stack", "fsdp2,meg"}, ""},
        {{"plan", "--forbid", "pp,vp"}, "pp,vpp"},
        {{"plan", "--target", "m"}, "mfu="},
        {{"size", "--target", "b"}, "budget="},
        {{"schema", "sc"}, "scenario"},
        {{"errors", "AC0"}, "AC01 AC02 AC03 AC04 AC05 AC06 AC07 AC08 AC09"},
        {{"model", "llama-3.1-7"}, "llama-3.1-70b"},
        {{"profiles", "show", "h200-sxm"}, "h200-sxm-141gb"},
        {{"plan", "--set", "workload.seq"}, "workload.sequence="},
        {{"plan", "--set", "layout.shard"}, "layout.shard= layout.shard_size="},
        {{"plan", "--set", "layout.shard", "=", "h"}, "hsdp"},
        {{"plan", "--set", "stack", "=", "meg"}, "megatron megatron-fsdp"},
        {{"plan", "--set", "settings.train", "="}, "all no_embedding norms"},
        {{"plan", "--set", "settings.kernels.compile", "="}, "false true"},
        {{"plan", "--set", "cluster.name", "=", "dgx-h2"}, "dgx-h200"},
        {{"plan", "--set", "workload.sequence", "="}, ""},
        {{"plan", "--sweep", "stack", "=", "tor"}, "torchtitan"},
        {{"explain", "--layout", "shard", "=", "f"}, "fsdp"},
        {{"explain", "--layout", "tp", "=", "2,shard", "=", "hs"}, "hsdp"},
        {{"explain", "--layout", "tp", "="}, ""},
        {{"check", "--require", "usd"}, "usd_per_mtok usd_per_run"},
        {{"check", "--report", "j"}, "json= junit="},
        {{"lint", "--report", "gi"}, "github= gitlab="},
        {{"man", "pl"}, "plan"},
        {{"help", "recomp"}, "recompute"},
        {{"help", "exp"}, "explain"},
        {{"completion", "z"}, "zsh"},
        {{"plan", "--nothing"}, ""}};
    for (const Case& one : cases) {
        EXPECT_EQ(offered(one.words), one.offers + "\n") << one.words.back();
    }
    std::ofstream(tempFolder() + "my run.json") << "{}";
    EXPECT_EQ(offered({"plan", tempFolder() + "my"}), tempFolder() + "my run.json\n");
    EXPECT_EQ(offered({"check", "--report", "junit", "=", tempFolder() + "my"}),
              tempFolder() + "my run.json\n");
}

TEST(Completion, OffersWordsBehindACommaInEachShell) {
    const std::string zsh = ran("completion zsh").out;
    EXPECT_NE(zsh.find(":NAME: _sequence compadd - ddp fsdp1 "), std::string::npos);
    EXPECT_NE(zsh.find(":KEYS: _sequence _fabricast_plan_values_layout"), std::string::npos);
    EXPECT_NE(zsh.find("_fabricast_plan_values_layout() {\n    local -a words=( 'dp=' 'tp=' "),
              std::string::npos);
    EXPECT_NE(zsh.find("=VALUE: _fabricast_size_values_target"), std::string::npos);
    const std::string fish = ran("completion fish").out;
    EXPECT_NE(fish.find(" -a '(__fabricast_list (__fabricast_keys dp= tp= "), std::string::npos);
    EXPECT_NE(fish.find("\nfunction __fabricast_list "), std::string::npos);
}

TEST(Completion, HasEveryFlagOfEveryCommandInEachShell) {
    const std::string bashText = ran("completion bash").out;
    const std::string zsh = ran("completion zsh").out;
    const std::string fish = ran("completion fish").out;
    const std::vector<std::string> all = commands();
    EXPECT_GT(all.size(), 20U);
    for (const std::string& command : all) {
        const std::set<std::string> flags = flagsIn(ran(command + " --help").out);
        EXPECT_TRUE(flags.contains("--help")) << command;
        const std::size_t at = bashText.find("\"" + command + "\") flags='");
        ASSERT_NE(at, std::string::npos) << command;
        std::string inBash = bashText.substr(at, bashText.find(';', at) - at);
        std::ranges::replace(inBash, '\'', ' ');
        std::string function = "\n_fabricast_" + command + "() {";
        std::replace(function.begin(), function.end() - 3, ' ', '_');
        const std::size_t from = zsh.find(function);
        ASSERT_NE(from, std::string::npos) << function;
        const std::string inZsh = zsh.substr(from, zsh.find("\n}\n", from) - from);
        const std::string condition = command.substr(command.rfind(' ') + 1) + "'";
        for (const std::string& flag : flags) {
            EXPECT_NE(inBash.find(" " + flag + " "), std::string::npos) << command << flag;
            EXPECT_NE(inZsh.find("'*" + flag), std::string::npos) << command << flag;
            const std::regex line("from " + condition + "[^\n]* -l " + flag.substr(2) + "[ \n]");
            EXPECT_TRUE(std::regex_search(fish, line)) << command << flag;
        }
    }
}

TEST(Completion, OfTheProgramHasTheFlagsOfEveryCommand) {
    for (const std::string& flag : flagsIn(ran("--help").out)) {
        for (const char* shell : {"bash", "zsh", "fish"}) {
            EXPECT_NE(ran(std::string("completion ") + shell).out.find(flag.substr(2)),
                      std::string::npos);
        }
        EXPECT_TRUE(offered({"plan", flag}).find(flag) != std::string::npos) << flag;
    }
}

TEST(ManPage, HasEveryFlagOfItsCommandAndOfAll) {
    std::set<std::string> shared = flagsIn(ran("--help").out);
    for (const std::string& command : commands()) {
        std::set<std::string> flags = flagsIn(ran(command + " --help").out);
        flags.insert(shared.begin(), shared.end());
        const ProgramOutput page = ran("man " + command);
        ASSERT_EQ(page.code, ExitCode::Ok) << page.err;
        for (std::string flag : flags) {
            for (std::size_t at = 0; (at = flag.find('-', at)) != std::string::npos; at += 2) {
                flag.replace(at, 1, "\\-");
            }
            EXPECT_NE(page.out.find("\\fB" + flag + "\\fR"), std::string::npos) << command << flag;
        }
        EXPECT_NE(page.out.find(".SH \"EXIT STATUS\""), std::string::npos);
    }
}

TEST(ManPage, KeepsLinesThatLookLikeRequests) {
    const std::string page = ran("man plan").out;
    std::istringstream lines(page);
    std::string line;
    while (std::getline(lines, line)) {
        const bool isRequest = line.starts_with('.') || line.starts_with('\'');
        const bool isKnown = line.starts_with(".TH ") || line.starts_with(".SH ") ||
                             line == ".TP" || line == ".nf" || line == ".fi";
        EXPECT_TRUE(!isRequest || isKnown) << line;
    }
}

TEST(ManPage, OfNoCommandNamesTheNearest) {
    const ProgramOutput page = ran("man plam");
    EXPECT_EQ(page.code, ExitCode::BadInput);
    EXPECT_NE(page.err.find("plan"), std::string::npos) << page.err;
}

}  // namespace
}  // namespace fabricast
