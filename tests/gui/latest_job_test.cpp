#include "gui/jobs/latest_job.h"

#include <gtest/gtest.h>

#include <QTest>
#include <QThread>
#include <atomic>
#include <memory>
#include <vector>

namespace fabricast {
namespace {

bool becomesIdle(const LatestJob& job) {
    return QTest::qWaitFor([&job] { return !job.isRunning(); }, 10'000);
}

TEST(LatestJob, DeliversInTheThreadThatAsked) {
    LatestJob job;
    QThread* deliveredIn = nullptr;
    QThread* workedIn = nullptr;
    job.start([&](const Watch&, const LatestJob::Post& post) {
        workedIn = QThread::currentThread();
        post([&] { deliveredIn = QThread::currentThread(); });
    });
    ASSERT_TRUE(becomesIdle(job));
    EXPECT_EQ(deliveredIn, QThread::currentThread());
    EXPECT_NE(workedIn, deliveredIn);
}

/// Work that goes on until it is stopped.
LatestJob::Work endless(std::atomic<bool>& wasStopped) {
    return [&wasStopped](const Watch& watch, const LatestJob::Post&) {
        while (!watch.stopped()) {
            QThread::yieldCurrentThread();
        }
        wasStopped = true;
    };
}

TEST(LatestJob, NewerWorkStopsTheOlder) {
    std::atomic<bool> wasStopped = false;
    LatestJob job;
    job.start(endless(wasStopped));
    int answer = 0;
    job.start([&](const Watch&, const LatestJob::Post& post) { post([&] { answer = 2; }); });
    ASSERT_TRUE(becomesIdle(job));
    EXPECT_TRUE(wasStopped);
    EXPECT_EQ(answer, 2);
}

TEST(LatestJob, DropsWhatOlderWorkStillPosts) {
    LatestJob job;
    std::vector<int> delivered;
    std::atomic<bool> begun = false;
    job.start([&](const Watch& watch, const LatestJob::Post& post) {
        begun = true;
        while (!watch.stopped()) {
            QThread::yieldCurrentThread();
        }
        post([&] { delivered.push_back(1); });  // after newer work was started
    });
    ASSERT_TRUE(QTest::qWaitFor([&] { return begun.load(); }));
    job.start(
        [&](const Watch&, const LatestJob::Post& post) { post([&] { delivered.push_back(2); }); });
    ASSERT_TRUE(becomesIdle(job));
    EXPECT_EQ(delivered, std::vector<int>{2});
}

TEST(LatestJob, OfWorkThatWaitsOnlyTheNewestRuns) {
    std::atomic<bool> wasStopped = false;
    std::atomic<int> runs = 0;
    LatestJob job;
    job.start(endless(wasStopped));
    for (int i = 0; i < 50; ++i) {
        job.start([&](const Watch&, const LatestJob::Post&) { ++runs; });
    }
    ASSERT_TRUE(becomesIdle(job));
    EXPECT_EQ(runs, 1);
}

TEST(LatestJob, EndsWithItsOwner) {
    std::atomic<bool> wasStopped = false;
    auto job = std::make_unique<LatestJob>();
    job->start(endless(wasStopped));
    job.reset();
    EXPECT_TRUE(wasStopped);
}

}  // namespace
}  // namespace fabricast
