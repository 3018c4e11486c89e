#include "planner/backtest/run_readings.h"
#include "planner/spec/stage_split.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace fabricast {

namespace {

constexpr std::string_view kKey = "pp_layout=";
/// No layout has more repeats, or chunks that are longer: larger ones are mistakes of typing.
constexpr std::int64_t kMostRepeats = 1024;

/// Decoder layers of each chunk of a layout like "Et*4|(t*4|)*14tmL": a bar ends a chunk, and
/// brackets or a letter are repeated by a number behind an asterisk.
class LayoutReader {
public:
    explicit LayoutReader(std::string_view text) : text_(text) {}

    std::optional<std::vector<std::int64_t>> chunks() {
        const bool whole = readUntil('\0');
        return whole && sizes_.size() <= kMostRepeats ? std::optional(sizes_) : std::nullopt;
    }

private:
    bool readUntil(char end) {
        while (at_ < text_.size()) {
            const char c = text_[at_++];
            if (c == end) {
                return true;
            }
            if (!readItem(c)) {
                return false;
            }
        }
        return end == '\0';
    }

    bool readItem(char c) {
        if (c == '(') {
            return readBrackets();
        }
        if (c == '|') {
            sizes_.push_back(0);
            return true;
        }
        const std::int64_t times = repeats();
        sizes_.back() += c == 't' ? times : 0;
        return times > 0 && (c == 't' || c == 'E' || c == 'm' || c == 'L');
    }

    /// The text between brackets is read once for each repeat.
    bool readBrackets() {
        const std::size_t start = at_;
        const std::size_t close = text_.find(')', start);
        if (close == std::string_view::npos) {
            return false;
        }
        at_ = close + 1;
        const std::int64_t times = repeats();
        const std::size_t after = at_;
        for (std::int64_t i = 0; i < times; ++i) {
            at_ = start;
            if (!readUntil(')')) {
                return false;
            }
        }
        at_ = after;
        return times > 0;
    }

    /// The number behind an asterisk; 0: out of range.
    std::int64_t repeats() {
        if (at_ >= text_.size() || text_[at_] != '*') {
            return 1;
        }
        std::int64_t times = 0;
        const char* first = text_.data() + at_ + 1;
        const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), times);
        at_ += 1 + static_cast<std::size_t>(last - first);
        return error == std::errc{} && times <= kMostRepeats ? std::max<std::int64_t>(times, 0) : 0;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::vector<std::int64_t> sizes_{0};
};

std::string_view layoutIn(std::string_view notes) {
    const std::size_t at = notes.find(kKey);
    if (at == std::string_view::npos) {
        return {};
    }
    const std::string_view rest = notes.substr(at + kKey.size());
    return rest.substr(0, rest.find_first_not_of("EtmL|()*0123456789"));
}

}  // namespace

Result<void> readStages(const PublishedRun& run, Scenario& scenario) {
    const std::string_view text = layoutIn(run.notes);
    if (text.empty()) {
        return {};
    }
    const auto refuse = [&](std::string why) {
        return fail(Error::Code::BadInput, "notes", "pp_layout=" + std::string(text) + why);
    };
    const auto sizes = LayoutReader(text).chunks();
    if (!sizes) {
        return refuse(" is not a pipeline layout of Megatron");
    }
    const auto chunks = static_cast<std::size_t>(scenario.layout.pp * scenario.layout.vpp);
    if (sizes->size() != chunks) {
        return refuse(" has " + std::to_string(sizes->size()) + " chunks, but pp x vpp is " +
                      std::to_string(chunks));
    }
    // Where all chunks but the ends are alike, these are as many layers shorter as embedding and
    // head count for.
    const std::int64_t share = *std::ranges::max_element(*sizes);
    PipelineSettings& pipeline = scenario.settings.pipeline;
    pipeline.embeddingWeight = share - sizes->front();
    pipeline.headWeight = share - sizes->back();
    pipeline.remainder = false;
    const StageSplit split{
        .stages = scenario.layout.pp, .chunks = scenario.layout.vpp, .pipeline = pipeline};
    FABRICAST_ASSIGN(const auto ours, splitLayers(scenario.model.layers, split));
    return ours == *sizes ? Result<void>{}
                          : refuse(" is not a split whose ends alone differ from the rest");
}

}  // namespace fabricast
