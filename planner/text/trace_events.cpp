#include "planner/text/trace_events.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <exception>
#include <optional>
#include <unordered_map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kDeepestTrace = 64;
constexpr std::size_t kMostWords = 1'000'000;
constexpr std::size_t kLongestWord = 400;
constexpr double kMostMicroseconds = 1e15;  ///< thirty years, and exact to a microsecond

/// The members of an event that are kept.
struct OpenEvent {
    std::string phase{};
    std::string name{};
    std::string category{};
    std::string process{};
    std::string thread{};
    std::string given{};  ///< args.name: of a process or thread
    std::optional<double> start{};
    std::optional<double> lasts{};
};

/// Takes the events of nlohmann's parser one by one.
class TraceSink {
public:
    using json = nlohmann::json;

    explicit TraceSink(std::string source) : source_(std::move(source)) { wordOf(""); }

    // NOLINTBEGIN(readability-identifier-naming): the names are the library's.
    bool null() { return true; }
    bool boolean(bool) { return true; }
    bool number_integer(json::number_integer_t value) {
        return number(static_cast<double>(value), std::to_string(value));
    }
    bool number_unsigned(json::number_unsigned_t value) {
        return number(static_cast<double>(value), std::to_string(value));
    }
    bool number_float(json::number_float_t value, const std::string& written) {
        return number(value, written);
    }
    bool string(std::string& value) {
        // Some writers put times and ids into quotes.
        take(value);
        return true;
    }
    bool binary(json::binary_t&) { return false; }
    bool key(std::string& value) {
        key_ = value;
        return true;
    }
    bool start_object(std::size_t) {
        if (isInEvents() && depth_ == eventsDepth_) {
            event_ = OpenEvent();
        }
        isInArgs_ = isInArgs_ || (isInEvent() && key_ == "args");
        return deeper();
    }
    bool start_array(std::size_t) {
        const bool isList = depth_ == 0 || (depth_ == 1 && key_ == "traceEvents");
        if (isList && !isInEvents()) {
            eventsDepth_ = depth_ + 1;
            hasEvents_ = true;
        }
        return deeper();
    }
    bool end_array() {
        --depth_;
        if (isInEvents() && depth_ < eventsDepth_) {
            eventsDepth_ = 0;
        }
        return true;
    }
    bool end_object() {
        --depth_;
        if (isInEvents() && depth_ == eventsDepth_ + 1) {
            isInArgs_ = false;
        }
        return !isInEvents() || depth_ != eventsDepth_ || close();
    }
    bool parse_error(std::size_t position, const std::string&, const std::exception& error) {
        error_ = Error{Error::Code::BadInput,
                       source_ + ": byte " + std::to_string(position),
                       "is no JSON of a trace",
                       "a file of torch.profiler's export_chrome_trace"};
        (void)error;
        return false;
    }
    // NOLINTEND(readability-identifier-naming)

    Result<TraceEvents> finish() && {
        if (error_) {
            return tl::unexpected(*std::move(error_));
        }
        if (!hasEvents_) {
            return fail(Error::Code::BadInput,
                        source_,
                        "has no \"traceEvents\"",
                        "a file of torch.profiler's export_chrome_trace");
        }
        return std::move(events_);
    }

private:
    [[nodiscard]] bool isInEvents() const { return eventsDepth_ > 0; }
    [[nodiscard]] bool isInEvent() const { return isInEvents() && depth_ == eventsDepth_ + 1; }

    bool refuse(const char* why, const char* hint) {
        error_ = Error{Error::Code::BadInput, source_, why, hint};
        return false;
    }

    bool deeper() {
        return ++depth_ <= kDeepestTrace ||
               refuse("is nested more than 64 levels deep", "a trace of torch.profiler");
    }

    bool number(double value, const std::string& written) {
        if (isInEvent() && !isInArgs_ && (key_ == "ts" || key_ == "dur")) {
            time(value);
        } else {
            take(written);
        }
        return true;
    }

    void time(double value) {
        if (std::abs(value) <= kMostMicroseconds) {
            (key_ == "ts" ? event_.start : event_.lasts) = value;
        }
    }

    void take(const std::string& value) {
        if (isInArgs_ && depth_ == eventsDepth_ + 2 && key_ == "name") {
            event_.given = value;
        }
        if (!isInEvent()) {
            return;
        }
        std::string* const member = key_ == "ph"     ? &event_.phase
                                    : key_ == "name" ? &event_.name
                                    : key_ == "cat"  ? &event_.category
                                    : key_ == "pid"  ? &event_.process
                                    : key_ == "tid"  ? &event_.thread
                                                     : nullptr;
        if (member != nullptr) {
            *member = value.substr(0, kLongestWord);
        } else if (key_ == "ts" || key_ == "dur") {
            double number = 0.0;
            const char* const end = value.data() + value.size();
            const auto [stop, trouble] = std::from_chars(value.data(), end, number);
            if (trouble == std::errc() && stop == end) {
                time(number);
            }
        }
    }

    bool close() {
        if (event_.phase == "X" && event_.start && event_.lasts && *event_.lasts >= 0.0) {
            if (events_.slices.size() >= kMostTraceSlices) {
                return refuse("has more than 2,000,000 slices", "profile fewer steps");
            }
            events_.slices.push_back({wordOf(event_.name),
                                      wordOf(event_.category),
                                      wordOf(event_.process),
                                      wordOf(event_.thread),
                                      *event_.start,
                                      *event_.lasts});
        } else if (event_.phase == "M" && event_.name == "process_name") {
            events_.names.push_back({wordOf(event_.process), 0, wordOf(event_.given)});
        } else if (event_.phase == "M" && event_.name == "thread_name") {
            events_.names.push_back(
                {wordOf(event_.process), wordOf(event_.thread), wordOf(event_.given)});
        }
        return words_.size() <= kMostWords ||
               refuse("has more than 1,000,000 different names", "profile fewer steps");
    }

    TraceEvents::Word wordOf(const std::string& word) {
        const auto [entry, isNew] =
            words_.try_emplace(word, static_cast<TraceEvents::Word>(events_.words.size()));
        if (isNew) {
            events_.words.push_back(word);
        }
        return entry->second;
    }

    std::string source_;
    std::size_t depth_ = 0;
    std::size_t eventsDepth_ = 0;  ///< inside the list of events: how deep it is; else 0
    bool hasEvents_ = false;
    bool isInArgs_ = false;
    std::string key_;
    OpenEvent event_;
    std::unordered_map<std::string, TraceEvents::Word> words_;
    TraceEvents events_;
    std::optional<Error> error_;
};

}  // namespace

Result<TraceEvents> parseTraceEvents(std::string_view text, const std::string& source) {
    if (text.starts_with("\x1f\x8b")) {
        return fail(Error::Code::BadInput, source, "is compressed", "gunzip " + source);
    }
    TraceSink sink(source);
    (void)nlohmann::json::sax_parse(text.begin(), text.end(), &sink);
    return std::move(sink).finish();
}

}  // namespace fabricast
