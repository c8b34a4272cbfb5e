"""Deadlines (INTERFACE.md, "Game file" and "Closing"): a table worked out by hand, and what always holds."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm.timing import (
    Absence,
    PhaseTiming,
    absence,
    align,
    begun,
    budget_used,
    days_text,
    deadline,
    early_close,
    in_zone,
    iso,
    length_text,
    merge_timing,
    parse_at,
    parse_away,
    parse_days,
    parse_length,
    parse_zone,
    push_past_absences,
    reminders,
    resume,
    utc,
    words,
)

HOUR, DAY = 3600, 86400


def at(text: str) -> int:
    """`2026-06-01 10:00` or with seconds, in UTC, as an instant."""
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def shown(instant: int) -> str:
    return datetime.fromtimestamp(instant, UTC).strftime("%Y-%m-%d %H:%M:%S").removesuffix(":00")


def away(text: str) -> Absence:
    """`2026-12-20 2026-12-27 Europe/Berlin`."""
    first, last, zone = text.split()
    return absence(date.fromisoformat(first), date.fromisoformat(last), zone)


# 1 June 2026 is a Monday. Clocks change in Berlin on 29 March 01:00 UTC and 25 October 01:00 UTC, in New York on
# 8 March 07:00 and 1 November 06:00, on Lord Howe (by half an hour) on 4 April 15:00 and 3 October 15:30, and in
# Cairo, at midnight, on 23 April 22:00 and 29 October 21:00. Apia left out the whole of 30 December 2011.
BERLIN, NEW_YORK = {"timezone": "Europe/Berlin"}, {"timezone": "America/New_York"}
LORD_HOWE, CAIRO = {"timezone": "Australia/Lord_Howe"}, {"timezone": "Africa/Cairo"}
TABLE: list[tuple[str, str, dict[str, str], list[str], str]] = [
    # case, opened, timing, absences, deadline
    ("length alone", "2026-06-01 10:00", {"length": "48h"}, [], "2026-06-03 10:00"),
    ("at", "2026-06-01 10:00", {"length": "48h", "at": "18:00"}, [], "2026-06-03 18:00"),
    ("at is met exactly", "2026-06-01 18:00", {"length": "48h", "at": "18:00"}, [], "2026-06-03 18:00"),
    ("a second after at", "2026-06-01 18:00:01", {"length": "48h", "at": "18:00"}, [], "2026-06-04 18:00"),
    (
        "at on a working day",
        "2026-06-04 20:00",
        {"length": "24h", "at": "18:00", "days": "mon-fri"},
        [],
        "2026-06-08 18:00",
    ),
    ("days alone, on none", "2026-06-05 09:30:05", {"length": "24h", "days": "mon-fri"}, [], "2026-06-08 09:30:05"),
    ("days alone, on one", "2026-06-01 09:30", {"length": "24h", "days": "mon-fri"}, [], "2026-06-02 09:30"),
    (
        "days over the weekend's edge",
        "2026-06-01 13:00",
        {"length": "24h", "at": "12:00", "days": "fri-mon"},
        [],
        "2026-06-05 12:00",
    ),
    (
        "a list of days",
        "2026-06-02 08:00",
        {"length": "2h", "at": "09:00", "days": "tue, sat"},
        [],
        "2026-06-06 09:00",
    ),
    (
        "the same day a week on",
        "2026-06-01 18:00",
        {"length": "1h", "at": "18:00", "days": "mon"},
        [],
        "2026-06-08 18:00",
    ),
    ("Berlin in summer", "2026-06-01 10:00", {"length": "24h", "at": "18:00"} | BERLIN, [], "2026-06-02 16:00"),
    ("Berlin in winter", "2026-12-01 10:00", {"length": "24h", "at": "18:00"} | BERLIN, [], "2026-12-02 17:00"),
    ("hours are absolute in spring", "2026-03-28 12:00", {"length": "24h"} | BERLIN, [], "2026-03-29 12:00"),
    # 18:00 plus 24 h is 19:00 on the day of 23 hours: that day's 18:00 has passed.
    ("at in spring", "2026-03-28 17:00", {"length": "24h", "at": "18:00"} | BERLIN, [], "2026-03-30 16:00"),
    # 18:00 plus 24 h is 17:00 on the day of 25 hours.
    ("at in autumn", "2026-10-24 16:00", {"length": "24h", "at": "18:00"} | BERLIN, [], "2026-10-25 17:00"),
    ("gap in Berlin", "2026-03-28 02:00", {"length": "12h", "at": "02:30"} | BERLIN, [], "2026-03-29 01:00"),
    ("overlap in Berlin", "2026-10-24 06:00", {"length": "12h", "at": "02:30"} | BERLIN, [], "2026-10-25 01:30"),
    ("between the two", "2026-10-24 12:45", {"length": "12h", "at": "02:30"} | BERLIN, [], "2026-10-25 01:30"),
    ("days into a gap", "2026-03-27 01:30", {"length": "24h", "days": "sun-fri"} | BERLIN, [], "2026-03-29 01:00"),
    ("gap in New York", "2026-03-07 12:00", {"length": "12h", "at": "02:30"} | NEW_YORK, [], "2026-03-08 07:00"),
    ("overlap in New York", "2026-10-31 12:00", {"length": "12h", "at": "01:30"} | NEW_YORK, [], "2026-11-01 06:30"),
    # Friday 21:00 in New York is Saturday in UTC: the day counts in New York.
    (
        "days count in the zone",
        "2026-12-04 02:00",
        {"length": "24h", "days": "mon-fri", "at": "20:00"} | NEW_YORK,
        [],
        "2026-12-08 01:00",
    ),
    ("gap of half an hour", "2026-10-03 03:00", {"length": "12h", "at": "02:15"} | LORD_HOWE, [], "2026-10-03 15:30"),
    ("overlap of half one", "2026-04-04 00:00", {"length": "12h", "at": "01:45"} | LORD_HOWE, [], "2026-04-04 15:15"),
    (
        "gap at midnight",
        "2026-04-23 08:00",
        {"length": "12h", "at": "00:30", "days": "fri"} | CAIRO,
        [],
        "2026-04-23 22:00",
    ),
    ("overlap at midnight", "2026-10-29 08:00", {"length": "12h", "at": "23:30"} | CAIRO, [], "2026-10-29 21:30"),
    (
        "a day left out",
        "2011-12-29 20:00",
        {"length": "12h", "at": "18:00", "timezone": "Pacific/Apia"},
        [],
        "2011-12-30 10:00",
    ),
    ("away", "2026-12-19 18:00", {"length": "48h"}, ["2026-12-20 2026-12-27 UTC"], "2026-12-28 00:00"),
    (
        "away, then at, on the last second of max",
        "2026-12-19 18:00",
        {"length": "48h", "at": "18:00"},
        ["2026-12-20 2026-12-27 UTC"],
        "2026-12-28 18:00",
    ),
    (
        "away longer than max",
        "2026-12-19 18:00",
        {"length": "48h", "max": "3d"},
        ["2026-12-20 2026-12-31 UTC"],
        "2026-12-24 18:00",
    ),
    (
        "max wins over at and days",
        "2026-12-19 18:00",
        {"length": "48h", "at": "18:00", "days": "mon-fri", "max": "84h"},
        ["2026-12-20 2026-12-24 UTC"],
        "2026-12-25 06:00",
    ),
    ("max of 0", "2026-12-19 18:00", {"length": "48h", "max": "0d"}, ["2026-12-20 2026-12-24 UTC"], "2026-12-21 18:00"),
    (
        "away in the player's zone",
        "2026-12-18 12:00",
        {"length": "24h"},
        ["2026-12-20 2026-12-20 Pacific/Auckland"],
        "2026-12-20 11:00",
    ),
    (
        "away from 0:00 of its first day",
        "2026-12-19 00:00",
        {"length": "24h"},
        ["2026-12-20 2026-12-20 UTC"],
        "2026-12-21 00:00",
    ),
    (
        "a second before away",
        "2026-12-18 23:59:59",
        {"length": "24h"},
        ["2026-12-20 2026-12-20 UTC"],
        "2026-12-19 23:59:59",
    ),
    (
        "24:00 of the last day of away",
        "2026-12-20 00:00",
        {"length": "24h"},
        ["2026-12-20 2026-12-20 UTC"],
        "2026-12-21 00:00",
    ),
    (
        "away of one after the other",
        "2026-12-20 12:00",
        {"length": "24h"},
        ["2026-12-23 2026-12-24 UTC", "2026-12-20 2026-12-22 UTC"],
        "2026-12-25 00:00",
    ),
    (
        "at leads into the next away",
        "2026-12-20 12:00",
        {"length": "24h", "at": "18:00"},
        ["2026-12-20 2026-12-22 UTC", "2026-12-23 2026-12-23 UTC"],
        "2026-12-24 18:00",
    ),
    (
        "away over a day of 23 hours",
        "2026-03-28 12:00",
        {"length": "24h"},
        ["2026-03-28 2026-03-29 Europe/Berlin"],
        "2026-03-29 22:00",
    ),
    (
        "away after the deadline",
        "2026-06-01 10:00",
        {"length": "24h"},
        ["2026-06-03 2026-06-05 UTC"],
        "2026-06-02 10:00",
    ),
]


@pytest.mark.parametrize(
    ("opened", "timing", "absences", "right"), [case[1:] for case in TABLE], ids=[c[0] for c in TABLE]
)
def test_table_of_deadlines(opened: str, timing: dict[str, str], absences: list[str], right: str) -> None:
    assert shown(deadline(at(opened), merge_timing(timing), [away(text) for text in absences])) == right


@pytest.mark.parametrize(
    ("paused", "resumed", "right"),
    [
        ("2026-06-02 04:00", "2026-06-10 01:00", "2026-06-11 07:00"),
        ("2026-06-03 09:59:59", "2026-06-10 01:00", "2026-06-10 01:00:01"),
        ("2026-06-03 11:00", "2026-06-10 01:00", "2026-06-10 01:00"),  # paused in grace: nothing was left
    ],
)
def test_resume_runs_the_frozen_rest(paused: str, resumed: str, right: str) -> None:
    assert shown(resume(at("2026-06-03 10:00"), at(paused), at(resumed))) == right


def test_extended_deadline_moves_the_limit_of_absences() -> None:
    timing = merge_timing({"length": "24h", "max": "3d", "at": "18:00"})
    own = at("2026-12-19 18:00") + 30 * HOUR  # EXTEND 30h: 21 December 0:00, no `at`
    gone = [away("2026-12-20 2026-12-31 UTC")]
    assert shown(push_past_absences(own, timing, gone, own + timing.max)) == "2026-12-24 00:00"


def test_a_deadline_beyond_the_limit_is_never_pulled_back() -> None:
    timing = merge_timing({"length": "24h"})
    late = at("2026-12-22 12:00")
    assert push_past_absences(late, timing, [away("2026-12-20 2026-12-31 UTC")], late - DAY) == late


@pytest.mark.parametrize(
    ("last_change", "right"),
    [
        ("2026-06-01 11:00", "2026-06-01 22:00"),
        ("2026-06-01 21:45", "2026-06-01 22:15"),
        ("2026-06-01 10:00", "2026-06-01 22:00"),
    ],
)
def test_early_close_waits_for_min_and_delay(last_change: str, right: str) -> None:
    timing = merge_timing({"length": "48h", "min": "12h", "delay": "30m"})
    assert shown(early_close(at("2026-06-01 10:00"), at(last_change), timing)) == right


def test_reminders_leave_out_the_first_quarter() -> None:
    opened = at("2026-06-01 00:00")
    due = reminders(opened, opened + 48 * HOUR, [3 * HOUR, 24 * HOUR, 40 * HOUR, 24 * HOUR, 0])
    assert [shown(instant) for instant in due] == ["2026-06-02 00:00", "2026-06-02 21:00"]
    # 24 hours before the end of 32 is a quarter to the second, and still within it.
    assert reminders(opened, opened + 32 * HOUR, [24 * HOUR]) == []
    assert reminders(opened, opened + 32 * HOUR + 4, [24 * HOUR]) == [opened + 8 * HOUR + 4]


def test_precedence_is_key_by_key() -> None:
    phase = {"length": "1h", "days": None}
    file_default = {"length": "2h", "min": "10m", "days": "mon-fri"}
    rule_set = {"length": "48h", "min": "12h", "close": "deadline"}
    config = {"length": 24 * HOUR, "timezone": "europe/berlin", "grace": "1h"}
    assert merge_timing(phase, file_default, rule_set, config) == PhaseTiming(
        length=HOUR, min=600, close="deadline", timezone="Europe/Berlin", grace=HOUR, days=None
    )


def test_where_no_layer_names_a_key() -> None:
    timing = merge_timing({"length": "24h"})
    assert timing == PhaseTiming(24 * HOUR, 0, 7 * DAY, "all-in", None, None, "UTC", 0, 0)


@pytest.mark.parametrize(
    ("layer", "reason"),
    [
        ({"min": "1h"}, "no length is named, for example 24h"),
        ({"length": "0h"}, "a phase has a length of more than 0"),
        ({"length": "1h", "lenght": "2h"}, "lenght is no timing key; they are at, close, days"),
        ({"length": "1h", "close": "soon"}, "'soon' is no way to close; write all-in or deadline"),
        ({"length": "1h", "days": frozenset()}, "a phase needs at least one day"),
    ],
)
def test_layers_that_make_no_timing(layer: dict[str, object], reason: str) -> None:
    with pytest.raises(ValueError, match=reason.replace("'", ".")):
        merge_timing(layer)


@pytest.mark.parametrize(
    ("text", "seconds"), [("20s", 20), ("30m", 1800), ("48h", 172800), ("3d", 259200), (" 24 H ", 86400), ("0d", 0)]
)
def test_lengths(text: str, seconds: int) -> None:
    assert parse_length(text) == seconds


@pytest.mark.parametrize("text", ["", "24", "h", "-1h", "1.5h", "1h30m", "٣d", "1w", "24hours", "9999999999s", "1\nh"])
def test_no_lengths(text: str) -> None:
    with pytest.raises(ValueError, match="is no length; write a whole number with s, m, h or d, for example 30m, 48h"):
        parse_length(text)


def test_a_length_has_a_bound() -> None:
    with pytest.raises(ValueError, match="'1001d' is too long; at most 1000d"):
        parse_length("1001d")


@given(st.integers(0, 1000 * DAY))
def test_length_text_is_read_back(seconds: int) -> None:
    assert parse_length(length_text(seconds)) == seconds


@pytest.mark.parametrize(
    ("text", "days"),
    [("mon-fri", {0, 1, 2, 3, 4}), ("sat-mon", {5, 6, 0}), ("Wed", {2}), ("mon, wed-thu,SUNDAY", {0, 2, 3, 6})],
)
def test_days(text: str, days: set[int]) -> None:
    assert parse_days(text) == days
    assert parse_days(days_text(days)) == days


@pytest.mark.parametrize("text", ["", "mon-", "mon-wed-fri", "weekdays", "mon,,tue", "0-4"])
def test_no_days(text: str) -> None:
    with pytest.raises(ValueError, match=r"are no days; write a list or range of mon, tue, .* for example mon-fri"):
        parse_days(text)


def test_times_of_day() -> None:
    assert [parse_at(text) for text in ("18:00", "9:05", "00:00")] == [(18, 0), (9, 5), (0, 0)]
    for text in ("24:00", "18", "18:60", "6pm", "18:00:00"):
        with pytest.raises(ValueError, match="is no time of day; write hours and minutes, for example 18:00"):
            parse_at(text)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("Berlin", "did you mean Europe/Berlin?"),
        ("new york", "did you mean America/New_York?"),
        ("Europe/Berln", "did you mean Europe/Berlin"),
        ("Vienn", "did you mean Europe/Vienna"),
        ("../../etc/passwd", "write it like Europe/Berlin"),
        ("", "write it like Europe/Berlin"),
        ("Factory", "write it like Europe/Berlin"),
    ],
)
def test_unknown_zones_name_near_ones(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match="is no time zone") as fault:
        parse_zone(text)
    assert hint in str(fault.value)


def test_zones_in_any_case() -> None:
    assert [parse_zone(text) for text in ("europe/berlin", "UTC", "America/New York")] == [
        *("Europe/Berlin", "UTC", "America/New_York")
    ]


def test_away_lines() -> None:
    assert parse_away("2026-12-20 TO 2026-12-27") == (date(2026, 12, 20), date(2026, 12, 27))
    assert parse_away(" 2026-12-20  to 2026-12-20") == (date(2026, 12, 20), date(2026, 12, 20))
    assert parse_away("none") is None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("next week", "'next week' are no days of absence"),
        ("2026-12-20", "'2026-12-20' are no days of absence"),
        ("2026-02-29 TO 2026-03-02", "there is no day 2026-02-29"),
        ("0000-01-01 TO 9999-12-31", "there is no day 0000-01-01"),
        ("2026-12-20 TO 9999-12-31", "there is no day 9999-12-31"),
        ("2026-12-27 TO 2026-12-20", "the last day, 2026-12-20, comes before the first, 2026-12-27"),
        ("2026-12-20 TO 2026-12-27 please", "'2026-12-20 TO 2026-12-27 please' are no days of absence"),
    ],
)
def test_away_lines_that_are_refused(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="write it like AWAY 2026-12-20 TO 2026-12-27, or AWAY NONE") as fault:
        parse_away(text)
    assert reason in str(fault.value)


def test_absence_whose_ends_are_swapped() -> None:
    with pytest.raises(ValueError, match="is before the first"):
        absence(date(2026, 12, 27), date(2026, 12, 20), "UTC")


def test_budget_counts_both_ends_and_common_days_once() -> None:
    days = date(2026, 12, 20), date(2026, 12, 26)
    assert budget_used([days]) == 7
    assert budget_used([days, (date(2026, 12, 25), date(2026, 12, 28)), days]) == 9
    assert budget_used([]) == 0


def test_away_none_gives_back_days_that_have_not_begun() -> None:
    spans = [(date(2026, 12, 1), date(2026, 12, 2)), (date(2026, 12, 20), date(2026, 12, 27))]
    assert begun(spans, date(2026, 12, 21)) == [spans[0], (date(2026, 12, 20), date(2026, 12, 21))]
    assert begun(spans, date(2026, 12, 19)) == spans[:1]


def test_instants_for_people() -> None:
    instant = at("2026-12-04 17:00")
    assert in_zone(instant, "Europe/Berlin") == "Friday 4 December 2026, 18:00 (Europe/Berlin)"
    assert in_zone(instant + 7, "Asia/Kolkata") == "Friday 4 December 2026, 22:30:07 (Asia/Kolkata)"
    assert utc(instant) == "Fri 4 Dec 2026 17:00 UTC"
    assert utc(instant + 9) == "Fri 4 Dec 2026 17:00:09 UTC"
    assert iso(instant) == "2026-12-04T17:00:00Z"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (2 * DAY + 3 * HOUR + 59, "2 days 3 hours"),
        (DAY + 60, "1 day 1 minute"),
        (HOUR, "1 hour"),
        (61, "1 minute 1 second"),
        (0, "0 seconds"),
    ],
)
def test_lengths_for_people(seconds: int, text: str) -> None:
    assert words(seconds) == text


# --- what always holds ---------------------------------------------------------------------------------------------

QUARTER = 900
ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Australia/Lord_Howe",
    "Africa/Cairo",
    "America/Havana",
    "Asia/Kathmandu",
]
# Quarters of an hour round the changes of 2026 are drawn as often as all the others.
CHANGES = ["2026-03-29 01:00", "2026-10-25 01:00", "2026-03-08 07:00", "2026-11-01 06:00", "2026-04-04 15:00"]
CHANGES += ["2026-10-03 15:30", "2026-04-23 22:00", "2026-10-29 21:00", "2026-03-08 05:00", "2026-11-01 05:00"]
quarters = st.one_of(
    st.integers(at("2026-01-01") // QUARTER, at("2026-12-31") // QUARTER).map(lambda n: n * QUARTER),
    st.builds(lambda change, n: at(change) + n * QUARTER, st.sampled_from(CHANGES), st.integers(-200, 20)),
)
day_sets = st.none() | st.frozensets(st.integers(0, 6), min_size=1)
timings = st.builds(
    PhaseTiming,
    length=st.integers(1, 96).map(lambda n: n * HOUR),
    max=st.integers(0, 240).map(lambda n: n * HOUR),
    at=st.none() | st.tuples(st.integers(0, 23), st.sampled_from([0, 15, 30, 45])),
    days=day_sets,
    timezone=st.sampled_from(ZONES),
)
absences = st.lists(
    st.builds(
        lambda first, days, zone: absence(first, first + timedelta(days=days), zone),
        st.dates(date(2026, 1, 1), date(2026, 12, 1)),
        st.integers(0, 12),
        st.sampled_from(ZONES),
    ),
    max_size=6,
)


def local(instant: int, zone: str) -> datetime:
    return datetime.fromtimestamp(instant, ZoneInfo(zone)).replace(tzinfo=None)


def walked(instant: int, timing: PhaseTiming) -> int:
    """The oracle: watch the zone's clock until it reaches `at`, or jumps over it, for the last time."""
    assert timing.at is not None
    before = local(instant - QUARTER, timing.timezone)
    while True:
        now = local(instant, timing.timezone)
        for day in {before.date(), now.date()}:
            wanted = datetime(day.year, day.month, day.day, *timing.at)
            again = any(local(instant + n * QUARTER, timing.timezone) == wanted for n in range(1, 9))
            allowed = timing.days is None or day.weekday() in timing.days
            if (now == wanted or before < wanted < now) and allowed and not again:
                return instant
        instant, before = instant + QUARTER, now


@settings(max_examples=150, deadline=None)
@given(quarters, timings.filter(lambda timing: timing.at is not None))
def test_align_finds_what_watching_the_clock_finds(instant: int, timing: PhaseTiming) -> None:
    assert align(instant, timing) == walked(instant, timing)


@given(quarters, timings)
def test_align_is_never_early_and_stays_where_it_is(instant: int, timing: PhaseTiming) -> None:
    found = align(instant, timing)
    assert instant <= found <= instant + 8 * DAY
    assert align(found, timing) == found


@given(quarters, st.integers(0, 8 * DAY), timings.filter(lambda t: t.at is not None or t.days is None))
def test_a_later_opening_never_ends_earlier(opened: int, later: int, timing: PhaseTiming) -> None:
    assert deadline(opened, timing) <= deadline(opened + later, timing)


@given(quarters, timings, absences)
def test_absences_push_out_or_to_the_limit(opened: int, timing: PhaseTiming, gone: list[Absence]) -> None:
    own = deadline(opened, timing)
    moved = deadline(opened, timing, gone)
    assert opened + timing.length <= own <= moved <= own + timing.max
    assert moved == own + timing.max or not any(a.start <= moved < a.end for a in gone)
    if not any(a.start <= own < a.end for a in gone):
        assert moved == own


@given(quarters, timings, absences)
def test_the_order_of_absences_does_not_matter(opened: int, timing: PhaseTiming, gone: list[Absence]) -> None:
    assert deadline(opened, timing, gone) == deadline(opened, timing, gone[::-1])


@given(st.lists(st.tuples(st.dates(date(2026, 1, 1), date(2026, 3, 1)), st.integers(0, 20)), max_size=8))
def test_budget_is_the_number_of_days(spans: list[tuple[date, int]]) -> None:
    days = {first + timedelta(days=n) for first, more in spans for n in range(more + 1)}
    assert budget_used((first, first + timedelta(days=more)) for first, more in spans) == len(days)
