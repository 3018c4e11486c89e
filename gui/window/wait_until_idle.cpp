#include "gui/window/wait_until_idle.h"

#include "gui/window/main_window.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QEventLoop>

namespace fabricast {

Result<void> waitUntilIdle(const MainWindow& window, const std::string& flag) {
    constexpr qint64 kLongestMilliseconds = 120'000;
    constexpr int kSettleRounds = 10;  // events that follow an answer: layouts, scroll bars
    constexpr int kRoundMilliseconds = 20;
    QElapsedTimer waited;
    waited.start();
    for (int quiet = 0; quiet < kSettleRounds;) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, kRoundMilliseconds);
        quiet = window.isIdle() ? quiet + 1 : 0;
        if (waited.elapsed() > kLongestMilliseconds) {
            return fail(Error::Code::Environment, flag, "no answer in two minutes");
        }
    }
    return {};
}

}  // namespace fabricast
