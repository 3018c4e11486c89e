// gui_slider [MOVES]: drags the number of servers, and prints what a user waits for: from a move to
// the repaint, to the first plan, and to the answer. Fails where a move blocks the window.
#include "gui/window/main_window.h"
#include "gui/window/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QSlider>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace {

using namespace fabricast;

constexpr int kUsualMoves = 120;
constexpr int kBetweenMilliseconds = 16;
constexpr double kMostMilliseconds = 200.0;  // blocked by a search it would be a second

Question slidingQuestion() {
    const std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"cluster.nodes", "8", "-n"},
                                     {"workload.sequence", "8192", "--seq"},
                                     {"workload.global_batch", "512", "--global-batch"}};
    return with(readQuestion("", "").value(), edits).value();
}

class Waits {
public:
    explicit Waits(const char* what) : what_(what) {}
    void add(const QElapsedTimer& since) { add(static_cast<double>(since.nsecsElapsed()) * 1e-6); }
    void add(double milliseconds) { milliseconds_.push_back(milliseconds); }
    [[nodiscard]] double at(double share) {
        std::ranges::sort(milliseconds_);
        const auto place = share * static_cast<double>(milliseconds_.size() - 1);
        return milliseconds_[static_cast<std::size_t>(place + 0.5)];
    }
    void print() {
        std::printf("%-34s %4zu times  p50 %8.1f ms  p95 %8.1f ms  most %8.1f ms\n",
                    what_,
                    milliseconds_.size(),
                    at(0.5),
                    at(0.95),
                    at(1.0));
    }

private:
    const char* what_;
    std::vector<double> milliseconds_;
};

/// Back and forth between 8 and 32 servers.
int stopOf(const QSlider& slider, int move) {
    constexpr int kFrom = 6;  // 1, 2, 3, 4, 6, 8: the sixth stop is 8 servers
    constexpr int kStops = 5;
    const int place = move % (2 * kStops - 2);
    return std::min(slider.maximum(),
                    kFrom - 1 + (place < kStops ? place : 2 * kStops - 2 - place));
}

/// Milliseconds that the window's thread has computed, whoever else has the processor.
double computed() {
    timespec time{};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

Waits drag(QSlider& slider, int moves) {
    Waits repaints("a move to its repaint");
    Waits work("of that, the window computes");
    for (int move = 1; move <= moves; ++move) {
        QElapsedTimer since;
        since.start();
        const double before = computed();
        slider.setValue(stopOf(slider, move));
        QCoreApplication::processEvents();  // paints
        work.add(computed() - before);
        repaints.add(since);
        QTest::qWait(kBetweenMilliseconds);
    }
    repaints.print();
    work.print();
    return repaints;
}

bool waitFor(const MainWindow& window, AnswerStage least) {
    return QTest::qWaitFor(
        [&] {
            const AnswerStage stage = const_cast<MainWindow&>(window).session().answers().stage;
            return stage == AnswerStage::Done || stage == least;
        },
        60'000);
}

bool rest(MainWindow& window, QSlider& slider, int moves) {
    Waits first("a move to the first plan");
    Waits all("a move to the answer");
    for (int move = 1; move <= moves; ++move) {
        QElapsedTimer since;
        since.start();
        slider.setValue(stopOf(slider, move));
        if (!waitFor(window, AnswerStage::Partial)) {
            return false;
        }
        first.add(since);
        if (!waitFor(window, AnswerStage::Done)) {
            return false;
        }
        all.add(since);
    }
    first.print();
    all.print();
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    const int moves = argc > 1 ? std::stoi(argv[1]) : kUsualMoves;
    const QTemporaryDir folder;
    applyTheme(Theme::Light);
    MainWindow window(
        Workbench::open({}).value(), {slidingQuestion(), {}}, {.recoveryFolder = folder.path()});
    window.show();
    auto* slider = window.findChild<QSlider*>("slider.cluster.nodes");
    if (slider == nullptr || !waitFor(window, AnswerStage::Done)) {
        std::puts("no answer");
        return 1;
    }
    Waits repaints = drag(*slider, moves);
    const bool answered = rest(window, *slider, std::max(2, moves / 10));
    return answered && repaints.at(0.95) < kMostMilliseconds ? 0 : 1;
}
