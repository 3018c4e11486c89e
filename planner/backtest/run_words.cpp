#include "planner/backtest/run_readings.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

namespace {

/// What a cell of words may say: one of these, or one that begins with or contains one of these.
/// Anything else would be taken for the default, and be forecast as another run.
struct KnownWords {
    const char* column;
    std::string PublishedRun::*member;
    std::vector<std::string_view> whole, beginnings, parts;

    [[nodiscard]] bool knows(const std::string& cell) const {
        return cell.empty() || std::ranges::find(whole, cell) != whole.end() ||
               std::ranges::any_of(beginnings,
                                   [&](std::string_view word) { return cell.starts_with(word); }) ||
               std::ranges::any_of(parts,
                                   [&](std::string_view word) { return mentions(cell, word); });
    }

    [[nodiscard]] std::string listed() const {
        std::string text;
        for (const auto* words : {&whole, &beginnings, &parts}) {
            for (const std::string_view word : *words) {
                text += (text.empty() ? "" : ", ") + std::string(word);
            }
        }
        return text;
    }
};

const std::vector<KnownWords>& knownWords() {
    static const std::vector<KnownWords> kKnown = {
        {"intra", &PublishedRun::intra, {"none"}, {"nvlink", "xgmi", "pcie"}, {}},
        {"shard",
         &PublishedRun::shard,
         {"none", "ddp", "zero1", "zero2", "zero3", "hsdp"},
         {"fsdp"},
         {}},
        {"sp", &PublishedRun::sp, {"y", "n"}, {}, {}},
        {"cp_kind", &PublishedRun::cpKind, {}, {"ring", "p2p", "a2a", "all", "hier"}, {"ulysses"}},
        {"optimizer", &PublishedRun::optimizer, {}, {}, {"adam", "lion"}}};
    return kKnown;
}

}  // namespace

Result<void> checkWords(const PublishedRun& run) {
    for (const KnownWords& known : knownWords()) {
        if (const std::string& cell = run.*known.member; !known.knows(cell)) {
            return fail(Error::Code::Unsupported,
                        known.column,
                        "'" + cell + "' is not modelled; known are " + known.listed());
        }
    }
    return {};
}

}  // namespace fabricast
