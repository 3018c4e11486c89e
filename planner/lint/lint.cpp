#include "planner/lint/lint.h"

#include "planner/launch/own_words.h"
#include "planner/launch/started_ranks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// Megatron's other programs serve or convert a model: they have none of the arguments that
/// training cannot do without, and a name of their own.
bool trainsMegatron(const LintFile& file) {
    const std::string program = file.text("script");
    const std::string name = program.substr(program.rfind('/') + 1);
    return name.empty() || name.find("train") != std::string::npos ||
           name.find("finetune") != std::string::npos || file.has("--train-iters") ||
           file.has("--train-samples") || file.has("--lr") ||
           file.opened().words != MegatronWords::Arguments;
}

/// Some rules, and the kind of file that they look at; names, sizes, agreement and launcher are
/// everybody's.
struct RulesOfKind {
    std::span<const LintRule> (*rules)();
    std::optional<LaunchKind> kind{};
};
constexpr std::array kRulesOfKinds = {RulesOfKind{&namesRules},
                                      RulesOfKind{&repeatedRules},
                                      RulesOfKind{&valueRules},
                                      RulesOfKind{&sizeRules},
                                      RulesOfKind{&agreementRules},
                                      RulesOfKind{&launcherRules},
                                      RulesOfKind{&environmentRules},
                                      RulesOfKind{&megatronLayoutRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronRankRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronRunRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronPrecisionRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronShardRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronExpertRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronRateRules, LaunchKind::Megatron},
                                      RulesOfKind{&megatronModelRules, LaunchKind::Megatron},
                                      RulesOfKind{&titanRules, LaunchKind::Titan},
                                      RulesOfKind{&titanLayoutRules, LaunchKind::Titan},
                                      RulesOfKind{&deepspeedRules, LaunchKind::Deepspeed},
                                      RulesOfKind{&deepspeedZeroRules, LaunchKind::Deepspeed},
                                      RulesOfKind{&deepspeedRankRules, LaunchKind::Deepspeed},
                                      RulesOfKind{&accelerateRules, LaunchKind::Accelerate},
                                      RulesOfKind{&accelerateFsdpRules, LaunchKind::Accelerate},
                                      RulesOfKind{&axolotlRules, LaunchKind::Axolotl},
                                      RulesOfKind{&axolotlAdapterRules, LaunchKind::Axolotl},
                                      RulesOfKind{&axolotlShardRules, LaunchKind::Axolotl},
                                      RulesOfKind{&trainerRules, LaunchKind::Trainer},
                                      RulesOfKind{&torchRules, LaunchKind::Torch},
                                      RulesOfKind{&tuneRules, LaunchKind::Tune},
                                      RulesOfKind{&tuneStartRules, LaunchKind::Script}};

std::vector<std::span<const LintRule>> rulesOf(const LintFile& file) {
    const bool isLookedInto = file.kind() != LaunchKind::Megatron || trainsMegatron(file);
    std::vector<std::span<const LintRule>> rules;
    for (const RulesOfKind& some : kRulesOfKinds) {
        if (!some.kind || (*some.kind == file.kind() && isLookedInto)) {
            rules.push_back(some.rules());
        }
    }
    return rules;
}

/// Ranks that a script starts, as the import counts them.
std::optional<std::int64_t> ranksOf(const LintFile& file) {
    LaunchKeys keys = file.keys();
    ScenarioDraft draft(keys);
    const Result<std::optional<StartedRanks>> started = startedRanks(draft);
    if (started && *started) {
        return (*started)->count;
    }
    const std::int64_t processes = file.whole("num_processes", 0);
    return processes > 0 ? std::optional(processes) : std::nullopt;
}

/// Of one rule in one file: what is said of the same place once, and of very many the first.
LintHits shownOf(LintHits hits) {
    constexpr std::size_t kMostOfARule = 20;
    LintHits shown;
    std::size_t more = 0;
    for (LintHit& hit : hits) {
        const bool isSaid = std::ranges::any_of(shown, [&hit](const LintHit& one) {
            return one.what == hit.what && one.at != nullptr && hit.at != nullptr &&
                   one.at->line == hit.at->line && one.at->column == hit.at->column;
        });
        if (isSaid) {
            continue;
        }
        if (shown.size() < kMostOfARule) {
            shown.push_back(std::move(hit));
        } else {
            ++more;
        }
    }
    if (more > 0) {
        shown.back().what += " (and " + std::to_string(more) + " more like it)";
    }
    return shown;
}

/// In the words of where it was found: what stands behind tune run is mended there.
std::string fixOf(const LintHit& hit, const LintFile& file) {
    const bool isTyped =
        file.kind() == LaunchKind::Tune && hit.at != nullptr && !hit.at->file.empty();
    return isTyped ? asTyped(hit.fix) : inOwnWords(file.opened(), hit.fix);
}

LintFinding findingOf(const LintRule& rule, const LintHit& hit, const LintFile& file) {
    return {.code = std::string(rule.code),
            .severity = rule.severity,
            .where = hit.at == nullptr ? file.keys().source() : file.keys().where(*hit.at),
            .what = inOwnWords(file.opened(), hit.what),
            .why = std::string(rule.why),
            .fix = fixOf(hit, file)};
}

/// What starts a file is among its keys, and is looked at once: "tune batch_size" is batch_size.
bool saysTheSame(const LintFinding& one, const LintFinding& other) {
    return one.code == other.code && one.where == other.where &&
           (one.what.ends_with(other.what) || other.what.ends_with(one.what));
}

}  // namespace

const LintFile* LintView::other(LaunchKind kind) const {
    const auto found = std::ranges::find(files, kind, &LintFile::kind);
    return found == files.end() ? nullptr : &*found;
}

std::optional<std::int64_t> LintView::gpus() const {
    return facts.gpus ? facts.gpus : started();
}

std::optional<std::int64_t> LintView::started() const {
    for (const LintFile& one : files) {
        if (const auto ranks = ranksOf(one)) {
            return ranks;
        }
    }
    return std::nullopt;
}

std::vector<LintRule> allLintRules() {
    std::vector<LintRule> all;
    for (const RulesOfKind& some : kRulesOfKinds) {
        const std::span<const LintRule> rules = some.rules();
        all.insert(all.end(), rules.begin(), rules.end());
    }
    std::ranges::sort(all, {}, &LintRule::code);
    return all;
}

std::vector<LintFinding> lint(std::span<const LintFile> files, const LintFacts& facts) {
    std::vector<std::pair<std::tuple<LintSeverity, std::size_t, std::int64_t>, LintFinding>> found;
    for (std::size_t i = 0; i < files.size(); ++i) {
        const LintFile& file = files[i];
        const LintView view{.file = file, .files = files, .facts = facts};
        for (const std::span<const LintRule> rules : rulesOf(file)) {
            for (const LintRule& rule : rules) {
                const bool mayBeSaid = rule.isOfMissing && file.hasUnknownArguments();
                LintHits hits = mayBeSaid ? LintHits() : shownOf(rule.look(view));
                for (LintHit& hit : hits) {
                    hit.at = hit.at == nullptr ? file.at("script") : hit.at;  // the command
                    hit.at = hit.at == nullptr ? file.at("stack") : hit.at;   // of a YAML
                    const std::int64_t line = hit.at == nullptr ? 0 : hit.at->line;
                    LintFinding finding = findingOf(rule, hit, file);
                    const bool isSaid = std::ranges::any_of(found, [&finding](const auto& one) {
                        return saysTheSame(one.second, finding);
                    });
                    if (!isSaid) {
                        found.emplace_back(std::tuple(rule.severity, i, line), std::move(finding));
                    }
                }
            }
        }
    }
    std::ranges::stable_sort(found, {}, [](const auto& one) { return one.first; });
    std::vector<LintFinding> findings;
    findings.reserve(found.size());
    for (auto& [order, finding] : found) {
        findings.push_back(std::move(finding));
    }
    return findings;
}

}  // namespace fabricast
