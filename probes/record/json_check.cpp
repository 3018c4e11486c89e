#include "probes/record/json_check.h"

#include <algorithm>
#include <cstddef>

namespace fabricast::probe {

namespace {

constexpr int kDeepest = 32;

/// Reads from the front of a text; each function takes what it names, or returns false.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) : rest_(text) {}

    bool object(int depth) {
        return take('{') && list('}', [&] { return string() && take(':') && value(depth); });
    }
    [[nodiscard]] bool atEnd() const { return rest_.empty(); }

private:
    bool value(int depth) {
        if (rest_.empty() || depth > kDeepest) {
            return false;
        }
        switch (rest_.front()) {
            case '{':
                return object(depth + 1);
            case '[':
                return take('[') && list(']', [&] { return value(depth + 1); });
            case '"':
                return string();
            default:
                return word("null") || word("true") || word("false") || number();
        }
    }

    template <class Item>
    bool list(char end, Item item) {
        if (take(end)) {
            return true;
        }
        while (item()) {
            if (take(end)) {
                return true;
            }
            if (!take(',')) {
                return false;
            }
        }
        return false;
    }

    bool string() {
        if (!take('"')) {
            return false;
        }
        for (std::size_t at = 0; at < rest_.size(); ++at) {
            if (rest_[at] == '"') {
                rest_.remove_prefix(at + 1);
                return true;
            }
            if (static_cast<unsigned char>(rest_[at]) < 0x20) {
                return false;
            }
            at += rest_[at] == '\\' ? 1U : 0U;
        }
        return false;
    }

    bool number() {
        take('-');
        if (!digits()) {
            return false;
        }
        if (take('.') && !digits()) {
            return false;
        }
        if (take('e') || take('E')) {
            (void)(take('-') || take('+'));
            return digits();
        }
        return true;
    }

    bool digits() {
        const std::size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        rest_.remove_prefix(count);
        return count > 0;
    }

    bool word(std::string_view text) {
        const bool there = rest_.starts_with(text);
        rest_.remove_prefix(there ? text.size() : 0);
        return there;
    }

    bool take(char letter) { return word({&letter, 1}); }

    std::string_view rest_;
};

}  // namespace

bool isJsonObject(std::string_view line) {
    JsonReader reader(line);
    return reader.object(0) && reader.atEnd();
}

}  // namespace fabricast::probe
