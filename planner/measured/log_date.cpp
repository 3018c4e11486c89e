#include "planner/measured/log_date.h"

#include "planner/profiles/read_measured_collectives.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays = {
    "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
constexpr std::array<std::string_view, 12> kMonths = {
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::string twoDigits(std::string text) {
    return text.size() < 2 ? "0" + text : text;
}

}  // namespace

bool looksLikeDate(const std::vector<std::string_view>& words) {
    constexpr std::size_t kMostWords = 7;  // with AM or PM
    return words.size() >= 4 && words.size() <= kMostWords &&
           std::ranges::find(kWeekdays, words[0].substr(0, 3)) != kWeekdays.end() &&
           std::ranges::any_of(words, [](std::string_view word) {
               return std::ranges::find(kMonths, word) != kMonths.end();
           });
}

std::string dateOf(const std::vector<std::string_view>& words) {
    if (words.size() != 6 || (words[4] != "UTC" && words[4] != "GMT")) {
        return {};
    }
    const auto month = std::ranges::find(kMonths, words[1]) - kMonths.begin() + 1;
    const std::string time = std::string(words[5]) + "-" + twoDigits(std::to_string(month)) + "-" +
                             twoDigits(std::string(words[2])) + "T" + std::string(words[3]) + "Z";
    return isBeginning(time) ? time : std::string();
}

}  // namespace fabricast
