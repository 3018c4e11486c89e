// What is shown of an earlier question or study is not taken for the answer.
#include "gui/pages/elided_label.h"
#include "gui/pages/page_theme.h"
#include "study/typed_amounts.h"
#include "tests/gui/used_window.h"

#include <QLabel>
#include <QLineEdit>

namespace fabricast {
namespace stale_answers_test {

Question wrongQuestion() {
    return smallQuestion({{"workload.global_batch", "many", "--global-batch"}});
}

QColor inkOf(const QLabel& label) {
    return label.palette().color(QPalette::WindowText);
}

TEST(StaleAnswers, AnErrorOfTheStudyBeforeIsNotSaid) {
    UsedWindow used({wrongQuestion(), {}});
    ASSERT_TRUE(used.find<ElidedLabel>("verdict.subject").words().contains("many"));
    used.window.session().open(smallQuestion(), {});
    EXPECT_EQ(used.find<ElidedLabel>("verdict.subject").words(), "");
    EXPECT_FALSE(used.find<QWidget>("next").isVisible());
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<ElidedLabel>("verdict.subject").words().startsWith("gpt2 on"));
}

TEST(StaleAnswers, APageIsFaintUntilItIsOfTheQuestion) {
    UsedWindow used({smallQuestion(), {.page = "topology"}});
    const auto& headline = used.find<QLabel>("topology.headline");
    const QColor ink = inkOf(headline);
    used.window.session().edit({{"workload.global_batch", "many", "--global-batch"}},
                               {.title = "Batch many"});
    ASSERT_TRUE(QTest::qWaitFor([&] { return inkOf(headline) != ink; }));
    EXPECT_EQ(inkOf(headline), themeOf(used.window.palette()).faint);
    used.window.session().undo();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(QTest::qWaitFor([&] { return inkOf(headline) == ink; }));
}

/// The strip names a faster setting as soon as the search ends, before "Explain" has looked for
/// one.
TEST(StaleAnswers, NothingIsSaidToBeFasterOnlyWhereItWasSought) {
    UsedWindow used({smallQuestion(), {.page = "explain"}});
    const StudySession& session = used.window.session();
    int sought = 0;
    const auto look = [&] {
        const auto labels = used.find<QWidget>("explain.fix").findChildren<QLabel*>();
        const QString all = labels.isEmpty() ? QString() : labels.back()->text();
        if (session.a().isSeeking) {
            EXPECT_FALSE(all.contains("none makes this layout faster")) << all.toStdString();
            sought += all.contains("Looking for what would make it faster") ? 1 : 0;
        }
    };
    QObject::connect(&session, &StudySession::viewChanged, &used.window, look);
    used.window.session().edit({{"workload.sequence", "512", "--seq"}}, {.title = "Sequence"});
    ASSERT_TRUE(used.waits());
    EXPECT_FALSE(session.a().isSeeking);
    EXPECT_GT(sought, 0);
}

TEST(StaleAnswers, ATargetToStartFromIsOfTheStudy) {
    UsedWindow used({smallQuestion(), {.page = "explain"}});
    auto& wanted = used.find<QLineEdit>("explain.wanted");
    const QString first = wanted.text();
    ASSERT_FALSE(first.isEmpty());
    QTest::keyClicks(&wanted, "0");
    used.window.session().edit({{"workload.sequence", "2048", "--seq"}}, {.title = "Sequence"});
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(wanted.text(), first + "0") << "what is typed stays";
    used.window.session().open(
        smallQuestion({{"model", "llama-3.1-8b", "-m"}, {"cluster.name", "dgx-h100", "-c"}}), {});
    ASSERT_TRUE(used.waits());
    EXPECT_NE(wanted.text(), first + "0");
    const double tokens = used.window.session().a().explanation->step->tokensPerSecond;
    const double typed = typedTokenRate(wanted.text().toStdString(), "").value();
    EXPECT_NEAR(typed / tokens, 1.5, 0.01) << wanted.text().toStdString();
    EXPECT_LE(wanted.text().size(), 6) << "three digits: " << wanted.text().toStdString();
}

}  // namespace stale_answers_test
}  // namespace fabricast
