#pragma once
#include <QDialog>

namespace fabricast {

class StudySession;

/// This is the formula behind a number of A, with its numbers put in, and where they are from: what
/// `explain --why` prints.
class WhyDialog final : public QDialog {
    Q_OBJECT

public:
    WhyDialog(const StudySession& session, const QString& key, QWidget* parent);
};

}  // namespace fabricast
