#include "planner/profiles/sourced_json.h"

#include "planner/base/units.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

template <class T>
Result<Sourced<T>> read(const std::string& number) {
    const Result<JsonValue> root = parseJson("{\"memory\": " + number + "}", "a.json");
    return root ? readSourced<T>(*root->find("memory")) : tl::unexpected(root.error());
}

template <class T>
std::string refusal(const std::string& number) {
    const Result<Sourced<T>> value = read<T>(number);
    return value ? "" : value.error().text();
}

TEST(SourcedJson, ReadsAQuantityWithItsSourceAndRange) {
    const auto size = read<Bytes>(
        R"({"value": "80 GiB", "lo": "79 GiB", "hi": "81 GiB", "source": "measured",
            "from": "a page", "note": "n"})");
    ASSERT_TRUE(size) << size.error().text();
    EXPECT_EQ(size->value, Bytes(std::int64_t{80} << 30));
    EXPECT_EQ(size->lo, Bytes(std::int64_t{79} << 30));
    EXPECT_EQ(size->hi, Bytes(std::int64_t{81} << 30));
    EXPECT_EQ(size->source, Source::Measured);
    EXPECT_EQ(size->from, "a page");
    EXPECT_EQ(size->note, "n");
}

TEST(SourcedJson, ReadsBitsCountsRatiosAndFlags) {
    EXPECT_EQ(read<BytesPerSecond>(R"({"value": "400 Gbps", "source": "datasheet"})")->value,
              BytesPerSecond(50e9));
    EXPECT_EQ(read<std::int64_t>(R"({"value": 8, "source": "fitted"})")->value, 8);
    EXPECT_EQ(read<double>(R"({"value": 0.78, "source": "measured"})")->value, 0.78);
    EXPECT_EQ(read<bool>(R"({"value": false, "source": "assumed"})")->value, false);
}

TEST(SourcedJson, KeepsWhatNobodyHasSaidEmpty) {
    const auto unknown = read<Bytes>(R"({"value": null, "source": null, "note": "not published"})");
    ASSERT_TRUE(unknown) << unknown.error().text();
    EXPECT_FALSE(unknown->value);
    EXPECT_EQ(unknown->note, "not published");
}

TEST(SourcedJson, ShowsTheCorrectedTextWhenAUnitIsMissing) {
    EXPECT_EQ(refusal<BytesPerSecond>(R"({"value": 3350, "source": "datasheet"})"),
              "a.json:1:22: \"value\" is 3350, but a bandwidth needs a unit "
              "(write \"value\": \"3350 GB/s\")");
    EXPECT_EQ(refusal<Bytes>("80"),
              "a.json:1:12: \"memory\" is 80, but a number comes with its source "
              "(write \"memory\": { \"value\": \"80 GB\", \"source\": \"datasheet\", "
              "\"from\": \"where a reader finds it\" })");
    EXPECT_NE(refusal<Bytes>("\"80 GiB\"").find("{ \"value\": \"80 GiB\", "), std::string::npos);
    EXPECT_NE(refusal<std::int64_t>("8").find("{ \"value\": 8, "), std::string::npos);
}

TEST(SourcedJson, RefusesWhatIsNotANumberWithASource) {
    const std::string sourced = ", \"source\": \"datasheet\"}";
    for (const std::string& number :
         {R"({"value": "80 GB"})" + std::string(),                  // no source
          R"({"value": "80 GB", "source": null})" + std::string(),  // no source
          R"({"value": "80 GB", "source": "rumour"})" + std::string(),
          R"({"value": null, "source": "datasheet"})" + std::string(),
          R"({"source": "datasheet"})" + std::string(),
          R"({"value": "80 GB", "sorce": "datasheet"})" + std::string(),
          R"({"value": "80 W")" + sourced,
          R"({"value": "80")" + sourced,
          R"({"value": "")" + sourced,
          R"({"value": "0 GB")" + sourced,
          R"({"value": "-1 GB")" + sourced,
          R"({"value": "9e30 GB")" + sourced,
          R"({"value": "nan GB")" + sourced,
          R"({"value": true)" + sourced,
          R"({"value": "80 GB", "lo": "81 GB")" + sourced,
          R"({"value": "80 GB", "hi": "79 GB")" + sourced,
          R"({"value": null, "lo": "79 GB", "source": null})" + std::string(),
          R"([1])" + std::string(),
          R"("eighty")" + std::string(),
          R"(null)" + std::string()}) {
        EXPECT_NE(refusal<Bytes>(number), "") << number;
    }
    EXPECT_NE(refusal<std::int64_t>(R"({"value": -1)" + sourced), "");
    EXPECT_NE(refusal<std::int64_t>(R"({"value": 1.5)" + sourced), "");
    EXPECT_NE(refusal<double>(R"({"value": 1e400)" + sourced), "");
    EXPECT_NE(refusal<BytesPerSecond>(R"({"value": "1e40 GB/s")" + sourced), "");
    EXPECT_NE(refusal<bool>(R"({"value": "yes")" + sourced), "");
}

}  // namespace
}  // namespace fabricast
