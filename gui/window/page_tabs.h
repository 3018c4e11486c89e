#pragma once
#include "gui/pages/page.h"

#include <QString>
#include <QStringList>
#include <QTabWidget>

namespace fabricast {

class StudySession;
class SweepPage;

/// This is the pages of a study, each under its name: "layouts", "memory", …
class PageTabs final : public QTabWidget {
    Q_OBJECT

public:
    explicit PageTabs(StudySession& session, QWidget* parent = nullptr);

    [[nodiscard]] QStringList names() const;
    [[nodiscard]] QString titleOf(const QString& name) const;
    /// What is on a page to press.
    [[nodiscard]] std::vector<QPushButton*> buttonsOf(const QString& name) const;
    /// False where there is none of this name.
    bool showPage(const QString& name);
    [[nodiscard]] Page* page() const;
    /// What becomes of several values of a key.
    void showSweep(const QString& path);

signals:
    /// The formula of a number is wanted.
    void whyAsked(const QString& key);

private:
    void addPage(Page* page, const QString& title);

    SweepPage* sweep_ = nullptr;
};

}  // namespace fabricast
