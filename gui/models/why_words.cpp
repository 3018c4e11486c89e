#include "gui/models/why_words.h"

#include "planner/report/time_words.h"
#include "planner/result/answer_names.h"

#include <QRegularExpression>
#include <algorithm>
#include <array>
#include <functional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kTime = "time.";

using WordsOfNumber = std::pair<std::string_view, std::string_view>;
constexpr auto kWordsOfNumbers = std::to_array<WordsOfNumber>({
    {"peak", "peak of the memory"},
    {"states", "weights, gradients and optimizer states"},
    {"reserve", "reserve"},
    {"in_flight", "microbatches in flight"},
    {"time.step", "step time"},
    {"time.tokens_per_s", "tokens per second"},
    {"time.tokens_per_s_gpu", "tokens per second and GPU"},
    {"time.mfu", "GPU use (MFU)"},
    {"time.gpus", "GPUs"},
    {"time.recompute", "recomputation"},
    {"time.kernels", "kernels"},
    {"cost.usd_per_mtok", "price of 1M tokens"},
    {"cost.kwh_per_mtok", "energy of 1M tokens"},
    {"cost.usd_per_gpu_hour", "price of a GPU for an hour"},
    {"cost.goodput", "useful share of the time (goodput)"},
    {"cost.mtbf", "time between failures of the job"},
    {"cost.checkpoint", "size of a checkpoint"},
    {"cost.watts_per_gpu", "power of a GPU with its share of the building"},
    {"cost.days", "time of the whole run"},
    {"cost.gpu_hours", "GPU-hours of the run"},
    {"cost.usd_per_run", "price of the run"},
    {"cost.kwh", "energy of the run"},
});

std::string timePartWords(std::string_view name) {
    for (const auto& [part, key] : namesOf(TimePart{})) {
        if (key == name) {
            return std::string(partWords(part));
        }
    }
    return {};
}

/// Empty where it has no other name.
std::string wordsFor(std::string_view key) {
    const auto* const number = std::ranges::find(
        kWordsOfNumbers, key, &std::pair<std::string_view, std::string_view>::first);
    if (number != kWordsOfNumbers.end()) {
        return std::string(number->second);
    }
    return key.starts_with(kTime) ? timePartWords(key.substr(kTime.size())) : memoryPartWords(key);
}

/// What the pattern's first group finds, in words where there are any.
QString inWords(const QString& text,
                const char* pattern,
                const std::function<std::string(std::string)>& words) {
    const QRegularExpression sought(pattern, QRegularExpression::MultilineOption);
    QString result;
    qsizetype at = 0;
    for (QRegularExpressionMatchIterator all = sought.globalMatch(text); all.hasNext();) {
        const QRegularExpressionMatch one = all.next();
        const std::string name = words(one.captured(1).toStdString());
        result += text.mid(at, one.capturedStart(1) - at) +
                  (name.empty() ? one.captured(1) : QString::fromStdString(name));
        at = one.capturedEnd(1);
    }
    return result + text.mid(at);
}

}  // namespace

std::string numberWords(std::string_view key) {
    constexpr std::string_view kStages = "stages[";
    const std::size_t end = key.find("].");
    if (key.starts_with(kStages) && end != std::string_view::npos) {
        return numberWords(key.substr(end + 2)) + " of stage " +
               std::string(key.substr(kStages.size(), end - kStages.size()));
    }
    std::string words = wordsFor(key);
    return words.empty() ? std::string(key) : words;
}

QString formulasInWords(const QString& formulas) {
    QString text = inWords(formulas, "^(\\S+) = ", &numberWords);
    text = inWords(text, "\\b((?:time|cost)\\.[a-z_]+)\\b", &numberWords);
    text = inWords(text, "\\d s ([a-z_]+)(?= \\+ |$)", &timePartWords);
    return inWords(text, "(?:^  |\\+ )([a-z_]+)(?= [\\d,]+ B\\b)", &memoryPartWords);
}

}  // namespace fabricast
