// The times that queries name, by a clock on Tuesday, 17 November 2026, 10:00 in Berlin.
import { describe, expect, it } from "vitest";
import { findTimeRanges, removeRelativeTimes } from "../../../src/language/times/time-ranges";

const NOW = "2026-11-17T10:00:00+01:00";

/** Returns the ranges of a query as local days, both inclusive. */
function findDays(query: string, now = NOW): string[] {
  const [, sign = "+", hours = "0"] = /([+-])(\d{2}):\d{2}$/.exec(now) ?? [];
  const offset = Number(`${sign}${hours}`) * 3_600_000;
  const toDay = (iso: string) => new Date(Date.parse(iso) + offset).toISOString().slice(0, 10);
  return findTimeRanges(query, now).map(({ since, until }) => {
    const [from, to] = [toDay(since), toDay(until)];
    return from === to ? from : `${from} ${to}`;
  });
}

const find = (query: string, now?: string) => findDays(query, now).join(", ");

describe("absolute dates", () => {
  it.each([
    ["What happened on 2023-05-07?", "2023-05-07"],
    ["What happened in 2023-05?", "2023-05-01 2023-05-31"],
    ["Was geschah am 07.05.2023?", "2023-05-07"],
    ["On 2023/5/7", "2023-05-07"],
    ["What did Anna say on May 7, 2023?", "2023-05-07"],
    ["What did Anna say on 7 May, 2023?", "2023-05-07"],
    ["the 7th of May 2023", "2023-05-07"],
    ["7 May", "2026-05-07"],
    ["24 December", "2025-12-24"],
    ["Sept 2023", "2023-09-01 2023-09-30"],
    ["Dec. 24 2025", "2025-12-24"],
    ["What did we do in 2023?", "2023-01-01 2023-12-31"],
    ["Which trips since 2024?", "2024-01-01 2026-11-17"],
    ["February 2024", "2024-02-01 2024-02-29"],
    ["February 2023", "2023-02-01 2023-02-28"],
    ["29 February 2024", "2024-02-29"],
    ["last May", "2026-05-01 2026-05-31"],
    ["last December", "2025-12-01 2025-12-31"],
    ["next March", "2027-03-01 2027-03-31"],
    ["this December", "2026-12-01 2026-12-31"],
    ["in the summer of 2023", "2023-06-01 2023-08-31"],
    ["summer 2023", "2023-06-01 2023-08-31"],
    ["last summer", "2026-06-01 2026-08-31"],
    ["in the winter of 2023", "2023-12-01 2024-02-29"],
    ["fall 2024", "2024-09-01 2024-11-30"],
    ["Q3 2024", "2024-07-01 2024-09-30"],
    ["the second quarter of 2024", "2024-04-01 2024-06-30"],
    ["in Q1", "2026-01-01 2026-03-31"],
    ["Was war am 7. Mai 2023?", "2023-05-07"],
    ["Was war im März?", "2026-03-01 2026-03-31"],
    ["im Sommer 2023", "2023-06-01 2023-08-31"],
    ["im dritten Quartal 2024", "2024-07-01 2024-09-30"],
    ["Que s'est-il passé le 7 mai 2023 ?", "2023-05-07"],
    ["en août 2023", "2023-08-01 2023-08-31"],
    ["¿Qué pasó el 7 de mayo de 2023?", "2023-05-07"],
    ["en verano de 2023", "2023-06-01 2023-08-31"],
    ["Что было 7 мая 2023 года?", "2023-05-07"],
    ["Что было в мае 2023?", "2023-05-01 2023-05-31"],
    ["в 2023 году", "2023-01-01 2023-12-31"],
    ["летом 2023 года", "2023-06-01 2023-08-31"],
    ["ماذا حدث في 7 مايو 2023؟", "2023-05-07"],
    ["ماذا حدث في ٧ مايو ٢٠٢٣؟", "2023-05-07"],
    ["في عام 2023", "2023-01-01 2023-12-31"],
    ["2023年5月7日に何がありましたか", "2023-05-07"],
    ["2023年5月の予定", "2023-05-01 2023-05-31"],
    ["2023年の夏", "2023-06-01 2023-08-31"],
    ["五月十二日は何の日", "2026-05-12"],
    ["2023年5月7号发生了什么", "2023-05-07"],
    ["十二月的计划", "2025-12-01 2025-12-31"],
    ["เกิดอะไรขึ้นวันที่ 7 พฤษภาคม 2566", "2023-05-07"],
    ["ในเดือนพฤษภาคม พ.ศ. 2566", "2023-05-01 2023-05-31"],
    ["ปี ๒๕๖๖", "2023-01-01 2023-12-31"],
  ])("%s", (query, expected) => {
    expect(find(query)).toBe(expected);
  });
});

describe("times relative to the asker's clock", () => {
  it.each([
    ["What did I do today?", "2026-11-17"],
    ["What did I do yesterday?", "2026-11-16"],
    ["the day before yesterday", "2026-11-15"],
    ["last week", "2026-11-09 2026-11-15"],
    ["this week", "2026-11-16 2026-11-22"],
    ["last month", "2026-10-01 2026-10-31"],
    ["last year", "2025-01-01 2025-12-31"],
    ["last quarter", "2026-07-01 2026-09-30"],
    ["over the weekend", "2026-11-14 2026-11-15"],
    ["last weekend", "2026-11-14 2026-11-15"],
    ["last Tuesday", "2026-11-10"],
    ["on Tuesday", "2026-11-17"],
    ["on Monday", "2026-11-16"],
    ["last Monday", "2026-11-16"],
    ["next Friday", "2026-11-20"],
    ["this Sunday", "2026-11-22"],
    ["two weeks ago", "2026-10-31 2026-11-06"],
    ["3 days ago", "2026-11-14"],
    ["a couple of months ago", "2026-09-01 2026-09-30"],
    ["a year ago", "2025-01-01 2025-12-31"],
    ["in the last 3 days", "2026-11-14 2026-11-17"],
    ["in the past month", "2026-10-17 2026-11-17"],
    ["Was war gestern?", "2026-11-16"],
    ["letzte Woche", "2026-11-09 2026-11-15"],
    ["letzten Dienstag", "2026-11-10"],
    ["am Wochenende", "2026-11-14 2026-11-15"],
    ["vor zwei Wochen", "2026-10-31 2026-11-06"],
    ["vor drei Tagen", "2026-11-14"],
    ["vor einem Jahr", "2025-01-01 2025-12-31"],
    ["in den letzten 2 Wochen", "2026-11-03 2026-11-17"],
    ["Qu'est-ce que j'ai mangé hier ?", "2026-11-16"],
    ["la semaine dernière", "2026-11-09 2026-11-15"],
    ["il y a 3 jours", "2026-11-14"],
    ["mardi dernier", "2026-11-10"],
    ["¿Qué comí ayer?", "2026-11-16"],
    ["la semana pasada", "2026-11-09 2026-11-15"],
    ["hace tres días", "2026-11-14"],
    ["вчера", "2026-11-16"],
    ["на прошлой неделе", "2026-11-09 2026-11-15"],
    ["3 дня назад", "2026-11-14"],
    ["неделю назад", "2026-11-07 2026-11-13"],
    ["в прошлый вторник", "2026-11-10"],
    ["ماذا أكلت أمس؟", "2026-11-16"],
    ["الأسبوع الماضي", "2026-11-09 2026-11-15"],
    ["قبل 3 أيام", "2026-11-14"],
    ["قبل يومين", "2026-11-15"],
    ["昨日何を食べましたか", "2026-11-16"],
    ["先週の会議", "2026-11-09 2026-11-15"],
    ["先週の火曜日", "2026-11-10"],
    ["3日前", "2026-11-14"],
    ["2週間前", "2026-10-31 2026-11-06"],
    ["昨天吃了什么", "2026-11-16"],
    ["上周二", "2026-11-10"],
    ["上个月", "2026-10-01 2026-10-31"],
    ["三天前", "2026-11-14"],
    ["两个星期前", "2026-10-31 2026-11-06"],
    ["เมื่อวานกินอะไร", "2026-11-16"],
    ["สัปดาห์ที่แล้ว", "2026-11-09 2026-11-15"],
    ["3 วันก่อน", "2026-11-14"],
  ])("%s", (query, expected) => {
    expect(find(query)).toBe(expected);
  });

  it("have hours within a day", () => {
    const [morning] = findTimeRanges("What did I eat this morning?", NOW);
    expect(morning).toMatchObject({ since: "2026-11-17T04:00:00.000Z", until: "2026-11-17T10:59:59.999Z" });
  });

  it.each([
    ["2026-03-31T12:00:00Z", "in the past month", "2026-02-28 2026-03-31"],
    ["2026-03-01T12:00:00Z", "yesterday", "2026-02-28"],
    ["2024-03-01T12:00:00Z", "yesterday", "2024-02-29"],
    ["2026-01-01T12:00:00Z", "last month", "2025-12-01 2025-12-31"],
    ["2026-11-15T12:00:00Z", "last week", "2026-11-02 2026-11-08"],
    ["2026-11-15T12:00:00Z", "the weekend", "2026-11-14 2026-11-15"],
    ["2026-11-15T12:00:00Z", "last weekend", "2026-11-07 2026-11-08"],
    ["2026-11-16T12:00:00Z", "last week", "2026-11-09 2026-11-15"],
    ["2026-02-28T12:00:00Z", "29 February", "2024-02-29"],
  ])("at %s: %s", (now, query, expected) => {
    expect(find(query, now)).toBe(expected);
  });

  it("are those of the asker's time zone", () => {
    const getRange = (now: string) => findTimeRanges("yesterday", now)[0];
    // In Tokyo it is the 18th already, in Los Angeles still the 17th.
    expect(getRange("2026-11-18T01:00:00+09:00")).toMatchObject({
      since: "2026-11-16T15:00:00.000Z",
      until: "2026-11-17T14:59:59.999Z",
    });
    expect(getRange("2026-11-17T08:00:00-08:00")).toMatchObject({
      since: "2026-11-16T08:00:00.000Z",
      until: "2026-11-17T07:59:59.999Z",
    });
  });
});

describe("what is no time", () => {
  it.each([
    "What may I cook?",
    "May I march to the sun in a second?",
    "They march on",
    "a jar of mayo",
    "What does Julio like?",
    "Is there life on Mars?",
    "How is it configured in Spring Boot?",
    "Where did prices fall?",
    "We meet every Tuesday",
    "She works on Tuesdays",
    "Who owns monday.com?",
    "Wer wohnt hier?",
    "Wie heißt die Katze?",
    "Where is Juneau?",
    "Call 2026-0612",
    "What happened on 2026-13-01?",
    "30 February 2024",
    "version 2023.1.4",
    "I have 3 days of leave",
    "5か月の赤ちゃん",
    "三个月的孩子",
    "В среде разработки",
    "",
  ])("%s", (query) => {
    expect(findTimeRanges(query, NOW)).toEqual([]);
  });
});

describe("a range", () => {
  it("quotes the words of the query", () => {
    expect(findTimeRanges("What did we decide two weeks ago, or in May 2023?", NOW)).toEqual([
      {
        text: "two weeks ago",
        isRelative: true,
        since: "2026-10-30T23:00:00.000Z",
        until: "2026-11-06T22:59:59.999Z",
        everyYear: false,
      },
      {
        text: "in May 2023",
        isRelative: false,
        since: "2023-04-30T23:00:00.000Z",
        until: "2023-05-31T22:59:59.999Z",
        everyYear: false,
      },
    ]);
  });

  it("is taken from the query if it is relative, and something else is left", () => {
    const remove = (query: string) => removeRelativeTimes(query, findTimeRanges(query, NOW)).trim();
    expect(remove("What did we eat two weeks ago?")).toBe("What did we eat  ?");
    expect(remove("What did we eat in May 2023?")).toBe("What did we eat in May 2023?");
    expect(remove("last week")).toBe("last week");
  });

  it("says whether the year is open", () => {
    expect(findTimeRanges("in May", NOW)[0]?.everyYear).toBe(true);
    expect(findTimeRanges("last May", NOW)[0]?.everyYear).toBe(false);
  });
});
