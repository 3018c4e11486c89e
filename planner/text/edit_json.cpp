#include "planner/text/edit_json.h"

#include "planner/text/json_builder.h"
#include "planner/text/json_text.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kTextMark = "\xEF\xBB\xBF";
constexpr std::string_view kSpace = " \t\r\n";
constexpr std::size_t kLongestLine = 90;

/// A member of an object as it stands in the text; together they are all of it.
struct WrittenMember {
    std::string before;  ///< from the comma, or the brace, to the key
    std::string key;     ///< with what is up to the value
    std::string value{};
    std::string after{};  ///< to the comma; of the last member nothing
    bool isKept = true;
};

/// Goes through a text that was parsed before, by bytes.
class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] char next() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    [[nodiscard]] std::string since(std::size_t begin) const {
        return std::string(text_.substr(begin, at_ - begin));
    }
    /// The comment that begins here; empty where none does.
    std::string_view comment() {
        const std::string_view mark = text_.substr(at_, 2);
        if (mark != "//" && mark != "/*") {
            return {};
        }
        const std::string_view end = mark == "//" ? "\n" : "*/";
        const std::size_t found = std::min(text_.find(end, at_ + 2), text_.size());
        const std::size_t past = mark == "//" ? found : std::min(found + 2, text_.size());
        const std::string_view said = text_.substr(at_, past - at_);
        at_ = past;
        return said;
    }
    /// Spaces and comments.
    void overSpace() {
        while (kSpace.find(next()) != std::string_view::npos || !comment().empty()) {
            if (kSpace.find(next()) != std::string_view::npos) {
                step();
            }
        }
    }
    void step() { at_ = std::min(at_ + 1, text_.size()); }
    void overString() {
        for (step(); at_ < text_.size() && next() != '"'; step()) {
            if (next() == '\\') {
                step();
            }
        }
        step();
    }
    void overValue() {
        if (next() == '"') {
            overString();
        } else if (next() == '{' || next() == '[') {
            overBrackets();
        } else {
            while (at_ < text_.size() &&
                   std::string_view(" \t\r\n,]}/").find(next()) == std::string_view::npos) {
                step();
            }
        }
    }

private:
    void overBrackets() {
        int open = 0;
        do {
            overSpace();
            open += next() == '{' || next() == '[' ? 1 : next() == '}' || next() == ']' ? -1 : 0;
            next() == '"' ? overString() : step();
        } while (open > 0 && at_ < text_.size());
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// The spaces that the last line of a text begins with.
std::string indentOf(std::string_view text) {
    const std::size_t line = text.rfind('\n');
    const std::string_view last = line == std::string_view::npos ? "" : text.substr(line + 1);
    return std::string(last.substr(0, last.find_first_not_of(" \t")));
}

std::string valueAt(const JsonValue& value, const std::string& indent) {
    std::string line = inlineJson(value);
    if (indent.size() + line.size() <= kLongestLine) {
        return line;
    }
    std::string lines;
    for (const char one : JsonBuilder::written(value)) {
        lines += one;
        lines += one == '\n' ? indent : "";
    }
    return lines;
}

/// Without the line that nothing but spaces is left of, and with what begins a line in its place.
void append(std::string& text, std::string_view more) {
    const std::size_t written = text.find_last_not_of(" \t");
    const std::size_t first = more.find_first_not_of(" \t");
    if (written == std::string::npos || text[written] != '\n' || first == std::string_view::npos) {
        text += more;
        return;
    }
    more.remove_prefix(first);
    const std::size_t line = more.starts_with("\r\n") ? 2 : more.starts_with('\n') ? 1 : 0;
    if (line > 0) {
        text.erase(written + 1);
        more.remove_prefix(line);
    }
    text += more;
}

class JsonEditor {
public:
    explicit JsonEditor(std::string_view text)
        : read_(text), newLine_(text.find("\r\n") == std::string_view::npos ? "\n" : "\r\n") {}

    std::string document(const JsonValue& written, const JsonValue& said, const JsonValue& wanted) {
        read_.overSpace();
        std::string text = read_.since(0);
        text += value(written, &said, wanted, "");
        const std::size_t end = read_.at();
        read_.overSpace();
        return text + read_.since(end);
    }

private:
    std::string value(const JsonValue& written,
                      const JsonValue* said,
                      const JsonValue& wanted,
                      const std::string& indent) {
        const std::size_t begin = read_.at();
        if (said != nullptr && isSameJson(*said, wanted)) {
            read_.overValue();
            return read_.since(begin);
        }
        const bool areObjects =
            written.is(JsonValue::Kind::Object) && wanted.is(JsonValue::Kind::Object);
        if (areObjects && !written.members().empty()) {
            return object(written, said, wanted);
        }
        read_.overValue();
        return valueAt(wanted, indent);
    }

    std::string object(const JsonValue& written, const JsonValue* said, const JsonValue& wanted) {
        read_.step();
        std::vector<WrittenMember> members;
        for (const JsonValue& member : written.members()) {
            members.push_back(this->member(member, said, wanted));
        }
        const std::size_t end = read_.at();
        read_.overSpace();
        const std::string tail = read_.since(end);
        read_.step();
        return joined(members, added(written, said, wanted), tail);
    }

    WrittenMember member(const JsonValue& written, const JsonValue* said, const JsonValue& wanted) {
        std::size_t begin = read_.at();
        read_.overSpace();
        WrittenMember member{.before = read_.since(begin), .key = ""};
        begin = read_.at();
        read_.overString();
        read_.overSpace();
        read_.step();  // ':'
        read_.overSpace();
        member.key = read_.since(begin);
        const JsonValue* const now = wanted.find(written.name());
        const JsonValue* const before = said == nullptr ? nullptr : said->find(written.name());
        member.isKept = now != nullptr;
        if (now == nullptr) {
            read_.overValue();
        } else {
            member.value = value(written, before, *now, indentOf(member.before));
        }
        Reader ahead = read_;
        ahead.overSpace();
        if (ahead.next() == ',') {
            member.after = ahead.since(read_.at());
            ahead.step();
            read_ = ahead;
        }
        return member;
    }

    /// What is wanted beside what is written, and is not taken to be said by it.
    static std::vector<const JsonValue*> added(const JsonValue& written,
                                               const JsonValue* said,
                                               const JsonValue& wanted) {
        std::vector<const JsonValue*> members;
        for (const JsonValue& member : wanted.members()) {
            const JsonValue* const before = said == nullptr ? nullptr : said->find(member.name());
            const bool isSaid = before != nullptr && isSameJson(*before, member);
            if (written.find(member.name()) == nullptr && !isSaid) {
                members.push_back(&member);
            }
        }
        return members;
    }

    [[nodiscard]] std::string joined(const std::vector<WrittenMember>& members,
                                     const std::vector<const JsonValue*>& added,
                                     const std::string& tail) const {
        const std::string& space = members.back().before;
        const bool isOnLines = (space + tail).find('\n') != std::string::npos;
        const std::string indent = indentOf(space);
        std::size_t left = added.size() + static_cast<std::size_t>(std::ranges::count(
                                              members, true, &WrittenMember::isKept));
        std::string text = "{";
        for (const WrittenMember& member : members) {
            append(text, member.before);
            if (member.isKept) {
                text += member.key + member.value;
                const bool isLast = --left == 0;
                const bool hasComma = &member != &members.back();
                text += isLast || hasComma ? "" : ",";
                append(text, member.after);
                text += isLast || !hasComma ? "" : ",";
            } else {
                append(text, member.after);
            }
        }
        std::string_view rest = tail;
        if (!added.empty()) {  // behind the comments that stand last
            const std::size_t end = rest.find_last_not_of(kSpace);
            const std::size_t kept = end == std::string_view::npos ? 0 : end + 1;
            append(text, rest.substr(0, kept));
            rest.remove_prefix(kept);
        }
        for (const JsonValue* const member : added) {
            const bool isFirst = text == "{" || text.ends_with('\n');
            append(text, isOnLines ? newLine_ + indent : isFirst ? "" : " ");
            text += jsonQuoted(member->name()) + ": " + valueAt(*member, indent);
            text += --left == 0 ? "" : ",";
        }
        append(text, rest);
        return text + "}";
    }

    Reader read_;
    std::string newLine_;
};

}  // namespace

Result<std::string> editedJson(std::string_view text,
                               const JsonValue& said,
                               const JsonValue& wanted) {
    FABRICAST_ASSIGN(const JsonValue written, parseJson(text, "the text"));
    const bool hasMark = text.starts_with(kTextMark);
    text.remove_prefix(hasMark ? kTextMark.size() : 0);
    return std::string(hasMark ? kTextMark : "") + JsonEditor(text).document(written, said, wanted);
}

bool isSameJson(const JsonValue& one, const JsonValue& other) {
    if (one.kind() != other.kind()) {
        return false;
    }
    if (one.is(JsonValue::Kind::Object)) {
        return one.members().size() == other.members().size() &&
               std::ranges::all_of(one.members(), [&other](const JsonValue& member) {
                   const JsonValue* const twin = other.find(member.name());
                   return twin != nullptr && isSameJson(member, *twin);
               });
    }
    return one.is(JsonValue::Kind::Array)
               ? std::ranges::equal(one.items(), other.items(), isSameJson)
               : JsonBuilder::written(one) == JsonBuilder::written(other);
}

std::string inlineJson(const JsonValue& value) {
    const bool isObject = value.is(JsonValue::Kind::Object);
    if (!isObject && !value.is(JsonValue::Kind::Array)) {
        return JsonBuilder::written(value);
    }
    std::string text;
    for (const JsonValue& part : isObject ? value.members() : value.items()) {
        text += (text.empty() ? "" : ", ") + (isObject ? jsonQuoted(part.name()) + ": " : "") +
                inlineJson(part);
    }
    return !isObject ? "[" + text + "]" : text.empty() ? "{}" : "{ " + text + " }";
}

std::vector<std::string> commentsOf(std::string_view text) {
    std::vector<std::string> comments;
    Reader read(text);
    while (read.next() != '\0') {
        if (const std::string_view comment = read.comment(); !comment.empty()) {
            comments.emplace_back(comment.substr(0, comment.find_last_not_of("\r") + 1));
        } else if (read.next() == '"') {
            read.overString();
        } else {
            read.step();
        }
    }
    return comments;
}

}  // namespace fabricast
