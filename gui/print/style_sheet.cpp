#include "gui/print/style_sheet.h"

#include <QRegularExpression>
#include <QStringList>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

using Declarations = QHash<QString, QString>;

Declarations declarationsOf(const QString& text) {
    Declarations declarations;
    for (const QString& one : text.split(';', Qt::SkipEmptyParts)) {
        const auto colon = one.indexOf(':');
        if (colon > 0) {
            declarations[one.left(colon).trimmed()] = one.mid(colon + 1).trimmed();
        }
    }
    return declarations;
}

/// "svg.chart"; nothing where it is more than an element and a class.
std::optional<StyledElement> elementNamed(const QString& selector) {
    static const QRegularExpression simple("^([a-z0-9]*)(?:\\.([a-z0-9-]+))?$");
    const QRegularExpressionMatch parts = simple.match(selector);
    return parts.hasMatch() ? std::optional(StyledElement{parts.captured(1), parts.captured(2)})
                            : std::nullopt;
}

bool isOne(const StyledElement& named, const StyledElement& element) {
    return (named.name.isEmpty() || named.name == element.name) &&
           (named.classes.isEmpty() || element.classes.split(' ').contains(named.classes));
}

/// Behind the brace that closes the one at `open`.
qsizetype endOfBlock(const QString& css, qsizetype open) {
    int depth = 0;
    for (qsizetype at = open; at < css.size(); ++at) {
        depth += css[at] == '{' ? 1 : css[at] == '}' ? -1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return css.size();
}

}  // namespace

bool StyleSheet::Rule::matches(const StyledElement& one, const StyledElement& around) const {
    return isOne(element, one) && isOne(within, around);
}

int StyleSheet::Rule::closeness() const {
    constexpr int kClass = 10;
    int sum = 0;
    for (const StyledElement* part : {&element, &within}) {
        sum += (part->classes.isEmpty() ? 0 : kClass) + (part->name.isEmpty() ? 0 : 1);
    }
    return sum;
}

StyleSheet::StyleSheet(std::string_view css) {
    add(QString::fromUtf8(css.data(), static_cast<qsizetype>(css.size())));
}

void StyleSheet::add(const QString& css) {
    for (qsizetype at = 0; at < css.size();) {
        const auto open = css.indexOf('{', at);
        if (open < 0) {
            return;
        }
        const QString selectors = css.mid(at, open - at).remove('}').trimmed();
        if (selectors == "@media print") {
            at = open + 1;  // as if it stood alone
            continue;
        }
        const qsizetype end = endOfBlock(css, open);
        if (!selectors.startsWith('@')) {
            addRules(selectors, css.mid(open + 1, end - open - 2));
        }
        at = end;
    }
}

void StyleSheet::addRules(const QString& selectors, const QString& declarations) {
    const Declarations all = declarationsOf(declarations);
    if (selectors == ":root") {
        variables_.insert(all);
        return;
    }
    for (const QString& selector : selectors.split(',')) {
        const QStringList parts = selector.simplified().split(' ');
        const auto element = elementNamed(parts.back());
        const auto within =
            parts.size() == 2 ? elementNamed(parts.front()) : std::optional(StyledElement{});
        if (parts.size() <= 2 && element && within) {
            rules_.push_back({*element, *within, all});
        }
    }
}

QString StyleSheet::value(const QString& property,
                          const StyledElement& element,
                          const StyledElement& within) const {
    const Rule* closest = nullptr;
    for (const Rule& rule : rules_) {
        if (rule.declarations.contains(property) && rule.matches(element, within) &&
            (closest == nullptr || rule.closeness() >= closest->closeness())) {
            closest = &rule;
        }
    }
    return closest == nullptr ? QString() : resolved(closest->declarations.value(property));
}

QString StyleSheet::resolved(QString text) const {
    static const QRegularExpression variable("var\\((--[a-z0-9-]+)\\)");
    for (auto found = variable.match(text); found.hasMatch(); found = variable.match(text)) {
        text.replace(found.capturedStart(), found.capturedLength(), variables_[found.captured(1)]);
    }
    return text;
}

}  // namespace fabricast
