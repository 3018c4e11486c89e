#pragma once
#include <QHash>
#include <QString>
#include <string_view>
#include <vector>

namespace fabricast {

/// What selectors tell elements apart by.
struct StyledElement {
    QString name;
    QString classes;  ///< with spaces in between
};

/// This is the style of pages and of drawings as it is printed: `svg.chart .soft { fill:
/// var(--soft) }`. Of selectors it has elements and classes, alone or within another; rules of a
/// screen, and of dark ones, are left out.
///     StyleSheet sheet(kPageStyle);
///     sheet.value("fill", {"text", "soft"}, {"svg", "chart"});  // "#444444"
class StyleSheet {
public:
    explicit StyleSheet(std::string_view css);
    /// More rules, behind the ones before.
    void add(const QString& css);
    /// Of the rule that names the element most closely; of several, the last. Empty: no rule.
    [[nodiscard]] QString value(const QString& property,
                                const StyledElement& element,
                                const StyledElement& within) const;
    /// The text with each `var(--name)` replaced.
    [[nodiscard]] QString resolved(QString text) const;

private:
    struct Rule {
        StyledElement element;
        StyledElement within;
        QHash<QString, QString> declarations;
        [[nodiscard]] bool matches(const StyledElement& one, const StyledElement& around) const;
        [[nodiscard]] int closeness() const;
    };
    void addRules(const QString& selectors, const QString& declarations);

    QHash<QString, QString> variables_;
    std::vector<Rule> rules_;
};

}  // namespace fabricast
