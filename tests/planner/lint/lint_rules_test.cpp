#include "planner/lint/lint.h"
#include "tests/planner/lint/applied_fix.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>

namespace fabricast {
namespace {

/// One entry of tests/cases/lint/examples.txt.
struct LintExample {
    std::string code;
    std::string file;
    LintFacts facts;
    std::vector<std::pair<std::string, std::string>> with;  ///< names and texts
    std::string fails;
    std::string passes;
};

std::string unescaped(const std::string& text) {
    std::string lines = text;
    for (std::size_t at = lines.find("\\n"); at != std::string::npos; at = lines.find("\\n", at)) {
        lines.replace(at, 2, "\n");
    }
    return lines;
}

LintExample exampleOf(const std::string& line) {
    std::istringstream words(line);
    LintExample example;
    words >> example.code >> example.file;
    for (std::string word; words >> word;) {
        const std::string name = word.substr(0, word.find('='));
        if (name == "layer") {
            example.facts.layerClass = word.substr(word.find('=') + 1);
            continue;
        }
        const std::int64_t value = std::stoll(word.substr(word.find('=') + 1));
        LintFacts& facts = example.facts;
        if (name == "heads" || name == "kv" || name == "vocab" || name == "experts") {
            (name == "heads"   ? facts.model.heads
             : name == "kv"    ? facts.model.kvHeads
             : name == "vocab" ? facts.model.vocab
                               : facts.model.experts) = value;
            continue;
        }
        if (name == "base" || name == "dropout") {
            (name == "base" ? facts.rotaryBase : facts.dropout) = static_cast<double>(value);
            continue;
        }
        (name == "gpus"        ? facts.gpus
         : name == "each"      ? facts.gpusPerNode
         : name == "positions" ? facts.positions
         : name == "rotated"   ? facts.rotatedPercent
                               : facts.capability) = value;
    }
    return example;
}

std::vector<LintExample> lintExamples() {
    std::ifstream file(FABRICAST_SOURCE_DIR "/tests/cases/lint/examples.txt");
    std::vector<LintExample> examples;
    for (std::string line; std::getline(file, line);) {
        const std::string word = line.substr(0, 9);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (line.front() != ' ') {
            examples.push_back(exampleOf(line));
        } else if (word == "  fails  ") {
            examples.back().fails = unescaped(line.substr(9));
        } else if (word == "  passes ") {
            examples.back().passes = unescaped(line.substr(9));
        } else {
            const std::string rest = line.substr(9);
            const std::size_t space = rest.find(' ');
            examples.back().with.emplace_back(rest.substr(0, space),
                                              unescaped(rest.substr(space + 1)));
        }
    }
    return examples;
}

LintFile opened(const std::string& text, const std::string& name) {
    Result<OpenedFile> file = openLaunchFile(text, name);
    if (!file) {
        throw std::runtime_error(file.error().text() + ": " + text);
    }
    return LintFile(*std::move(file));
}

/// What a text is found fault with, and where.
std::map<std::string, std::string> foundIn(const LintExample& example, const std::string& text) {
    std::vector<LintFile> files;
    for (const auto& [name, other] : example.with) {
        files.push_back(opened(other, name));
    }
    files.push_back(opened(text, example.file));
    std::map<std::string, std::string> found;
    for (const LintFinding& one : lint(files, example.facts)) {
        found.emplace(one.code, one.where);
        EXPECT_FALSE(one.what.empty() || one.why.empty() || one.fix.empty()) << one.code;
    }
    return found;
}

TEST(LintRules, FindFaultWithTheirExamplesAndNotWithTheOthers) {
    for (const LintExample& example : lintExamples()) {
        const auto failing = foundIn(example, example.fails);
        EXPECT_TRUE(failing.contains(example.code)) << example.code << ": " << example.fails;
        if (failing.contains(example.code)) {
            EXPECT_TRUE(failing.at(example.code).starts_with(example.file)) << example.code;
        }
        EXPECT_FALSE(foundIn(example, example.passes).contains(example.code))
            << example.code << ": " << example.passes;
    }
}

/// Everything that a text is found fault with; nothing where it cannot be read.
std::optional<std::vector<LintFinding>> findingsIn(const LintExample& example,
                                                   const std::string& text) {
    std::vector<LintFile> files;
    for (const auto& [name, other] : example.with) {
        files.push_back(opened(other, name));
    }
    Result<OpenedFile> file = openLaunchFile(text, example.file);
    if (!file) {
        return std::nullopt;
    }
    files.emplace_back(*std::move(file));
    return lint(files, example.facts);
}

/// What is as bad as what was mended, and was not there before.
std::string worseIn(const std::vector<LintFinding>& before,
                    const std::vector<LintFinding>& after,
                    const LintFinding& mended) {
    for (const LintFinding& one : after) {
        const bool wasThere =
            std::ranges::find(before, one.code, &LintFinding::code) != before.end();
        if (one.severity <= mended.severity && (one.code == mended.code || !wasThere)) {
            return one.code + ": " + one.what;
        }
    }
    return "";
}

TEST(LintRules, SayWhatWasMeant) {
    const auto fixOf = [](const std::string& file, const std::string& text, const char* code) {
        const auto all = findingsIn({.file = file}, text).value_or(std::vector<LintFinding>());
        const auto found = std::ranges::find(all, code, &LintFinding::code);
        return found == all.end() ? "-" : found->fix;
    };
    const std::string start = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 ";
    EXPECT_EQ(fixOf("run.sh", start + "--overlap-p2p-communicaton", "KEY1"),
              "leave it out: it holds unless --no-overlap-p2p-communication is there");
    EXPECT_EQ(fixOf("run.sh", start + "--overlap-grad-reduc", "KEY1"),
              "did you mean --overlap-grad-reduce?");
    EXPECT_EQ(fixOf("train.toml", "[training]\nbatch_size = 8\n", "KEY1"),
              "did you mean \"global_batch_size\" or \"local_batch_size\"?");
    EXPECT_EQ(fixOf("train.toml", "[training]\nseq_len.x = 8192\n", "KEY1"), "seq_len = VALUE");
    EXPECT_EQ(fixOf("train.toml", "[[training]]\nseq_len = 8192\n", "KEY1"), "[training]");
    EXPECT_EQ(fixOf("train.toml", "[training]\nseq_len = 8192\n", "KEY1"), "-");
    const std::string gathers =
        "distributed_type: FSDP\nfsdp_config: {fsdp_version: 2, fsdp_limit_all_gathers: true}\n";
    EXPECT_EQ(fixOf("accelerate.yaml", gathers, "KEY2").substr(0, 21), "leave it out; known: ");
    const std::string nodes = "--num_machines 2 --rdzv_backend c10d t.py --output_dir o --bf16";
    EXPECT_EQ(
        fixOf("run.sh", "#SBATCH --nodes=2\naccelerate launch " + nodes, "LN05").substr(0, 44),
        "--rdzv_backend static with --machine_rank $S");
}

// What is proposed, typed as it stands, takes the finding away and brings none that is as bad.
TEST(LintRules, ProposeFixesThatMend) {
    std::size_t applied = 0;
    for (const LintExample& example : lintExamples()) {
        const auto before = findingsIn(example, example.fails);
        ASSERT_TRUE(before) << example.code;
        for (const LintFinding& finding : *before) {
            if (finding.code != example.code) {
                continue;
            }
            const std::optional<std::string> text = applied_fix::appliedFix(example.fails, finding);
            if (!text) {
                continue;  // a sentence: "sizes whose product divides the ranks"
            }
            ++applied;
            const auto after = findingsIn(example, *text);
            EXPECT_TRUE(after) << finding.code << ": " << *text;
            EXPECT_EQ(after ? worseIn(*before, *after, finding) : "", "")
                << "after " << finding.fix << "\n  of " << example.fails << "\n  is " << *text;
            break;
        }
    }
    EXPECT_GE(applied, 100U);
}

TEST(LintRules, HaveAnExampleEachAndCodesOfTheirOwn) {
    std::set<std::string> shown;
    for (const LintExample& example : lintExamples()) {
        shown.insert(example.code);
    }
    std::set<std::string> codes;
    for (const LintRule& rule : allLintRules()) {
        EXPECT_TRUE(codes.insert(std::string(rule.code)).second) << rule.code;
        EXPECT_FALSE(rule.title.empty() || rule.why.empty()) << rule.code;
    }
    EXPECT_EQ(codes, shown);
    EXPECT_GE(codes.size(), 40U);
}

/// A file that the framework's own code read, and what it said of it.
struct RecordedVerdict {
    bool accepted = false;
    std::string code;  ///< of the rule that finds why not
    std::string name;
    LintExample example;
};

std::vector<RecordedVerdict> recordedVerdicts() {
    std::ifstream file(FABRICAST_SOURCE_DIR "/tests/cases/lint/recorded.txt");
    std::vector<RecordedVerdict> recorded;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (line.front() == ' ') {
            recorded.back().example.fails = unescaped(line.substr(2));
            continue;
        }
        std::istringstream words(line);
        std::string verdict;
        std::string gpus;
        RecordedVerdict one;
        words >> verdict >> one.code >> one.example.file >> gpus;
        std::getline(words, one.name);
        one.accepted = verdict == "accepted";
        one.example.facts.gpus = std::stoll(gpus.substr(gpus.find('=') + 1));
        recorded.push_back(one);
    }
    return recorded;
}

// Errors are what the frameworks refuse, for the reason that they give.
TEST(LintRules, SayWhatTheFrameworksSaid) {
    const std::vector<RecordedVerdict> all = recordedVerdicts();
    EXPECT_GT(all.size(), 80U);
    for (const RecordedVerdict& one : all) {
        const LintFile file = opened(one.example.fails, one.example.file);
        std::set<std::string> errors;
        bool isFound = false;
        for (const LintFinding& finding : lint({&file, 1}, one.example.facts)) {
            isFound = isFound || finding.code == one.code;
            if (finding.severity == LintSeverity::Error) {
                errors.insert(finding.code + " " + finding.what);
            }
        }
        EXPECT_TRUE(!one.accepted || errors.empty()) << one.name << ": " << *errors.begin();
        EXPECT_TRUE(one.accepted || isFound) << one.name << ": no " << one.code;
    }
}

}  // namespace
}  // namespace fabricast
