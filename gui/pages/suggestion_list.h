#pragma once
#include "gui/models/suggestions.h"

#include <QWidget>
#include <vector>

class QVBoxLayout;

namespace fabricast {

/// This lists changes that help, each with a button that makes it.
class SuggestionList final : public QWidget {
    Q_OBJECT

public:
    /// `name` of the widgets: "explain.fix" gives "explain.fix.0.apply".
    explicit SuggestionList(const QString& name, QWidget* parent = nullptr);

    void show(const std::vector<Suggestion>& suggestions, const QString& nothing);

signals:
    void applied(const fabricast::Suggestion& suggestion);

private:
    void addRow(const Suggestion& suggestion, std::size_t place);

    QString name_;
    QVBoxLayout* rows_ = nullptr;
};

}  // namespace fabricast
