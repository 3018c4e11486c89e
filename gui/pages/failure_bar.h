#pragma once
#include <QWidget>
#include <string>
#include <vector>

class QLineEdit;
class QListWidget;
class QPushButton;
class QStringListModel;

namespace fabricast {

/// This is the list of what has failed in a network: each can be healed, and names be added.
class FailureBar final : public QWidget {
    Q_OBJECT

public:
    explicit FailureBar(QWidget* parent = nullptr);

    void setFailed(const std::vector<std::string>& names);
    /// To complete what is typed.
    void setNames(const std::vector<std::string>& names);

    /// It has failed.
    void clearTyped();

signals:
    void failAsked(const QString& name);
    void healAsked(const QString& name);
    void healAllAsked();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void failTyped();
    void healCurrent();

    QLineEdit* typed_ = nullptr;
    QStringListModel* names_ = nullptr;
    QListWidget* list_ = nullptr;
    QPushButton* healAll_ = nullptr;
};

}  // namespace fabricast
