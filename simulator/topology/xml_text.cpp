#include "simulator/topology/xml_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostXmlBytes = std::size_t{8} << 20;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kMostElements = 100'000;
constexpr std::size_t kMostAttributes = 64;
constexpr std::size_t kLongestEntity = 10;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

struct Entity {
    std::string_view name;
    char letter;
};
constexpr std::array kEntities = {Entity{"lt", '<'},
                                  Entity{"gt", '>'},
                                  Entity{"amp", '&'},
                                  Entity{"quot", '"'},
                                  Entity{"apos", '\''}};

bool isSpace(char letter) {
    return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n';
}

bool isNameLetter(char letter) {
    const auto code = static_cast<unsigned char>(letter);
    return std::isalnum(code) != 0 || letter == '_' || letter == '-' || letter == '.' ||
           letter == ':' || code >= 0x80U;
}

class XmlParser {
public:
    XmlParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

    Result<XmlElement> run() {
        FABRICAST_TRY(skipOutside());
        if (at_ == text_.size()) {
            return wrong("the file has no element");
        }
        std::vector<XmlElement> open;
        while (true) {
            FABRICAST_ASSIGN(const bool closes, readTag(open));
            if (closes && open.size() == 1) {
                break;
            }
            if (closes) {
                XmlElement done = std::move(open.back());
                open.pop_back();
                open.back().children.push_back(std::move(done));
            }
            FABRICAST_TRY(skipOutside());
            if (at_ == text_.size()) {
                return wrong("the text ends within <" + open.back().name + "> of line " +
                             std::to_string(open.back().line));
            }
        }
        FABRICAST_TRY(skipOutside());
        if (at_ != text_.size()) {
            return wrong("text after the last element");
        }
        return std::move(open.front());
    }

private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::string why) const {
        return fail(Error::Code::BadInput,
                    source_ + ":" + std::to_string(line_),
                    std::move(why),
                    "a file written by NCCL_TOPO_DUMP_FILE");
    }

    void step(std::size_t count = 1) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            line_ += text_[at_] == '\n' ? 1 : 0;
        }
    }
    void skipSpace() {
        while (at_ < text_.size() && isSpace(text_[at_])) {
            step();
        }
    }
    [[nodiscard]] bool sees(std::string_view word) const {
        return text_.substr(at_, word.size()) == word;
    }
    Result<void> skipPast(std::string_view end, const char* what) {
        const std::size_t found = text_.find(end, at_);
        if (found == std::string_view::npos) {
            return wrong(std::string("the text ends within ") + what);
        }
        step(found + end.size() - at_);
        return {};
    }

    /// To the next tag: past text, comments and declarations.
    Result<void> skipOutside() {
        while (at_ < text_.size()) {
            if (sees("<!--")) {
                FABRICAST_TRY(skipPast("-->", "a comment"));
            } else if (sees("<?")) {
                FABRICAST_TRY(skipPast("?>", "a declaration"));
            } else if (sees("<!")) {
                return wrong("a DOCTYPE or CDATA, which topologies do not have");
            } else if (text_[at_] == '<') {
                return {};
            } else {
                step();
            }
        }
        return {};
    }

    Result<std::string> readName() {
        const std::size_t first = at_;
        while (at_ < text_.size() && isNameLetter(text_[at_])) {
            ++at_;
        }
        if (first == at_) {
            return wrong(at_ == text_.size() ? "the text ends within a tag"
                                             : "a name is missing in a tag");
        }
        return std::string(text_.substr(first, at_ - first));
    }

    /// One tag; true: it ends the innermost open element.
    Result<bool> readTag(std::vector<XmlElement>& open) {
        step();
        if (sees("/")) {
            step();
            FABRICAST_ASSIGN(const std::string name, readName());
            skipSpace();
            if (!sees(">") || open.empty() || open.back().name != name) {
                return wrong("</" + name + "> has no opening tag");
            }
            step();
            return true;
        }
        if (++elements_ > kMostElements || open.size() == kDeepest) {
            return wrong(open.size() == kDeepest ? "more than 32 levels deep"
                                                 : "more than 100,000 elements");
        }
        XmlElement element;
        element.line = line_;
        FABRICAST_ASSIGN(element.name, readName());
        FABRICAST_TRY(readAttributes(element));
        const bool empty = sees("/");
        step(empty ? 1 : 0);
        if (!sees(">")) {
            return wrong("<" + element.name + "> is not closed by a >");
        }
        step();
        open.push_back(std::move(element));
        return empty;
    }

    Result<void> readAttributes(XmlElement& element) {
        for (skipSpace(); at_ < text_.size() && isNameLetter(text_[at_]); skipSpace()) {
            XmlAttribute attribute;
            FABRICAST_ASSIGN(attribute.name, readName());
            skipSpace();
            if (!sees("=")) {
                return wrong("\"" + attribute.name + "\" of <" + element.name + "> has no value");
            }
            step();
            skipSpace();
            FABRICAST_ASSIGN(attribute.value, readValue());
            if (element.find(attribute.name) != nullptr) {
                return wrong("\"" + attribute.name + "\" is given twice");
            }
            if (element.attributes.size() == kMostAttributes) {
                return wrong("<" + element.name + "> has more than 64 attributes");
            }
            element.attributes.push_back(std::move(attribute));
        }
        return {};
    }

    Result<std::string> readValue() {
        const char quote = at_ < text_.size() ? text_[at_] : '\0';
        if (quote != '"' && quote != '\'') {
            return wrong("a value is not in quotes");
        }
        step();
        std::string value;
        while (at_ < text_.size() && text_[at_] != quote) {
            if (text_[at_] == '<') {
                return wrong("a value is not closed: it contains <");
            }
            if (text_[at_] == '&') {
                FABRICAST_ASSIGN(const char letter, readEntity());
                value += letter;
            } else {
                value += text_[at_];
                step();
            }
        }
        if (at_ == text_.size()) {
            return wrong("the text ends within a value");
        }
        step();
        return value;
    }

    Result<char> readEntity() {
        const std::size_t end = text_.substr(at_, kLongestEntity).find(';');
        const std::string_view name =
            end == std::string_view::npos ? "" : text_.substr(at_ + 1, end - 1);
        const auto known = std::ranges::find(kEntities, name, &Entity::name);
        int code = 0;
        if (known == kEntities.end() && name.starts_with('#')) {
            const bool hex = name.starts_with("#x");
            const char* first = name.data() + (hex ? 2 : 1);
            std::from_chars(first, name.data() + name.size(), code, hex ? 16 : 10);
        }
        const bool printable = code >= ' ' && code < 0x7F;
        if (known == kEntities.end() && !printable) {
            return wrong("an entity other than &lt; &gt; &amp; &quot; &apos;");
        }
        step(end + 1);
        return known == kEntities.end() ? static_cast<char>(code) : known->letter;
    }

    std::string_view text_;
    const std::string& source_;
    std::size_t at_ = 0;
    std::int64_t line_ = 1;
    std::size_t elements_ = 0;
};

}  // namespace

const std::string* XmlElement::find(std::string_view attribute) const {
    const auto found = std::ranges::find(attributes, attribute, &XmlAttribute::name);
    return found == attributes.end() ? nullptr : &found->value;
}

Result<XmlElement> parseXml(std::string_view text, const std::string& source) {
    if (text.size() > kMostXmlBytes) {
        return fail(Error::Code::BadInput, source, "is larger than 8 MiB");
    }
    if (text.starts_with(kByteOrderMark)) {
        text.remove_prefix(kByteOrderMark.size());
    }
    return XmlParser(text, source).run();
}

}  // namespace fabricast
