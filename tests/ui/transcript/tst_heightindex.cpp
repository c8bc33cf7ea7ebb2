// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: Apache-2.0

#include "support/testmain.h"
#include "transcript/heightindex.h"

#include <QRandomGenerator>
#include <QTest>

#include <numeric>

using namespace Pilothouse;

class TestHeightIndex : public Tests::Test {
    Q_OBJECT
private Q_SLOTS:
    // Against sums over a plain list.
    void agreesWithAList()
    {
        QRandomGenerator random(1);
        HeightIndex index;
        std::vector<int> list;
        for (int i = 0; i < 4000; ++i) {
            switch (random.bounded(6)) {
            case 0:
            case 1:
                list.push_back(random.bounded(50));
                index.append(list.back());
                break;
            case 2:
                if (!list.empty()) {
                    const auto at = static_cast<size_t>(random.bounded(static_cast<int>(list.size())));
                    list[at] = random.bounded(50);
                    index.set(at, list[at]);
                }
                break;
            case 3:
                if (random.bounded(20) == 0) {
                    const std::vector<int> first{random.bounded(50), random.bounded(50), 0};
                    list.insert(list.begin(), first.cbegin(), first.cend());
                    index.insertFirst(first);
                }
                break;
            case 4:
                if (random.bounded(30) == 0) {
                    list.resize(list.size() / 2);
                    index.truncate(list.size());
                }
                break;
            default:
                break;
            }
            QCOMPARE(index.size(), list.size());
            const auto count = static_cast<size_t>(random.bounded(static_cast<int>(list.size()) + 1));
            const qint64 sum =
                std::accumulate(list.cbegin(), list.cbegin() + static_cast<std::ptrdiff_t>(count), qint64(0));
            QCOMPARE(index.before(count), sum);
            if (list.empty())
                continue;
            const qint64 total = index.total();
            const qint64 place = total > 0 ? random.bounded(total) : 0;
            const size_t found = index.find(place);
            QVERIFY(index.before(found) <= place);
            QVERIFY(found + 1 == list.size() || index.before(found + 1) > place);
        }
    }
};

QTEST_MAIN(TestHeightIndex)
#include "tst_heightindex.moc"
