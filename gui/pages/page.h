#pragma once
#include <QWidget>
#include <string>

namespace fabricast {

class StudySession;

/// This is one way to look at the answer. A page is filled while it is seen: those behind it wait.
class Page : public QWidget {
    Q_OBJECT

public:
    Page(StudySession& session, const QString& name, QWidget* parent = nullptr);

    /// What it says in words: for screen readers and copies.
    [[nodiscard]] virtual std::string text() const = 0;
    /// Whether it still waits for an answer of its own.
    [[nodiscard]] virtual bool isWaiting() const { return false; }

signals:
    /// The formula of a number is wanted.
    void whyAsked(const QString& key);

protected:
    [[nodiscard]] StudySession& session() const { return session_; }
    virtual void refresh() = 0;
    void refreshSoon();

    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    StudySession& session_;
    bool isDue_ = true;
};

}  // namespace fabricast
