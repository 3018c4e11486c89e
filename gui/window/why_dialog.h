#pragma once
#include <QDialog>

class QGridLayout;

namespace fabricast {

class StudySession;

/// This is the formula behind a number of A, with its numbers put in, and where they are from: what
/// `explain --why` prints.
class WhyDialog final : public QDialog {
    Q_OBJECT

public:
    /// Of several keys, with spaces between them, one below the other.
    WhyDialog(const StudySession& session, const QString& key, QWidget* parent);

private:
    /// Each opens the formula of a term.
    QGridLayout* termButtons(const StudySession& session, const QStringList& keys);
};

}  // namespace fabricast
