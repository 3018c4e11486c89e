#pragma once
#include <QWidget>
#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;

namespace fabricast {

/// What a notice offers to do; it is gone then.
struct NoticeButton {
    QString name;  ///< of the widget
    QString title;
    std::function<void()> act;
};

/// This is a line above the pages that says something once, and what can be done about it.
class NoticeBar final : public QWidget {
    Q_OBJECT

public:
    explicit NoticeBar(QWidget* parent = nullptr);

    void say(const QString& words, std::vector<NoticeButton> buttons);
    /// What a page does not have: it is gone with the page.
    void sayOfPage(const QString& words);
    void leavePage();

private:
    bool isOfPage_ = false;
    QLabel* words_ = nullptr;
    QHBoxLayout* row_ = nullptr;
    std::vector<QWidget*> buttons_;
};

}  // namespace fabricast
