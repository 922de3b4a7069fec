"""Words that age: ``yesterday``, ``next week``, ``el lunes que viene``, ``上周``; with the date that they mean (F20).

A memory is read months later, so a preview shows what such a word means today.

>>> ageing("Ship it next week, as said yesterday.", "2026-12-02")
(Ageing(word='next week', meant='2026-12-07 to 2026-12-13'), Ageing(word='yesterday', meant='2026-12-01'))
>>> ageing("三天前开始的迁移下周结束。", "2026-12-02")
(Ageing(word='三天前', meant='2026-11-29'), Ageing(word='下周', meant='2026-12-07 to 2026-12-13'))
"""

from __future__ import annotations

import unicodedata

from engram.proposals.values import number_of, spelled_number
from engram.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    # How it counts ("span", "away", or which weekday), the unit, and how many of them from now.
    _Moment = tuple[str, str, int]

__all__ = ["Ageing", "ageing"]


class Ageing(Record):
    """A word as it stands in a text, and the day or the days that it means: ``YYYY-MM-DD``, or two with ``to``."""

    word: str
    meant: str


# (unit, how many of them from now); "day" is one day, the others are the whole week, month, quarter or year.
_PHRASES: dict[str, tuple[str, int]] = {
    phrase: (unit, steps)
    for unit, steps, phrases in (
        ("day", -2, "day before yesterday/anteayer/antes de ayer/hôm kia"),
        ("day", -1, "yesterday/last night/ayer/anoche/hôm qua"),
        ("day", 0, "today/tonight/this morning/this afternoon/this evening/hoy/esta noche/esta tarde/hôm nay"),
        ("day", 1, "tomorrow/mañana/ngày mai"),
        ("day", 2, "day after tomorrow/pasado mañana/ngày kia"),
        ("week", -1, "last week/previous week/semana pasada/tuần trước/tuần rồi"),
        ("week", 0, "this week/esta semana/tuần này"),
        ("week", 1, "next week/coming week/próxima semana/semana próxima/semana que viene/tuần sau/tuần tới"),
        ("month", -1, "last month/previous month/mes pasado/tháng trước"),
        ("month", 0, "this month/este mes/tháng này"),
        ("month", 1, "next month/coming month/próximo mes/mes próximo/mes que viene/tháng sau/tháng tới"),
        ("quarter", -1, "last quarter/trimestre pasado/quý trước"),
        ("quarter", 0, "this quarter/este trimestre/quý này"),
        ("quarter", 1, "next quarter/próximo trimestre/trimestre que viene/quý sau"),
        ("year", -1, "last year/año pasado/năm ngoái"),
        ("year", 0, "this year/este año/năm nay"),
        ("year", 1, "next year/coming year/próximo año/año próximo/año que viene/năm sau/năm tới"),
    )
    for phrase in phrases.split("/")
}
_LONGEST = 4
# In a script without blanks the longest comes first by itself: 大后天 before 后天.
_HAN: dict[str, tuple[str, int]] = {
    phrase: (unit, steps)
    for unit, steps, phrases in (
        ("day", -3, "大前天"), ("day", -2, "前天"), ("day", -1, "昨天 昨日 昨晚"), ("day", 0, "今天 今日 今晚 今早"),
        ("day", 1, "明天 明日 明晚 明早"), ("day", 2, "后天 後天"), ("day", 3, "大后天 大後天"),
        ("week", -1, "上周 上週 上星期 上个星期 上個星期 上礼拜"),
        ("week", 0, "本周 本週 这周 這週 这星期 这个星期 這個星期"),
        ("week", 1, "下周 下週 下星期 下个星期 下個星期 下礼拜"), ("month", -1, "上个月 上個月 上月"),
        ("month", 0, "本月 这个月 這個月"), ("month", 1, "下个月 下個月 下月"), ("quarter", -1, "上季度 上个季度"),
        ("quarter", 0, "本季度 这个季度"),
        ("quarter", 1, "下季度 下个季度"), ("year", -2, "前年"), ("year", -1, "去年"),
        ("year", 0, "今年 本年"), ("year", 1, "明年"), ("year", 2, "后年 後年"),
    )
    for phrase in phrases.split()
}  # fmt: skip
_HAN_LONGEST = max(map(len, _HAN))
_WEEKDAYS = {
    word: number
    for number, words in enumerate(
        (
            "monday lunes", "tuesday martes", "wednesday miércoles miercoles", "thursday jueves", "friday viernes",
            "saturday sábado sabado", "sunday domingo",
        )
    )
    for word in words.split()
}  # fmt: skip
_HAN_WEEKDAYS = {"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}
_UNITS = {
    word: unit
    for unit, words in (
        ("day", "day days día días dia dias 天 日 ngày"),
        ("week", "week weeks semana semanas 周 週 星期 个星期 個星期 礼拜 tuần"),
        ("month", "month months mes meses 个月 個月 tháng"),
        ("year", "year years año años 年 năm"),
    )
    for word in words.split()
}
_HAN_TAILS = (("之前", -1), ("以前", -1), ("前", -1), ("之后", 1), ("以后", 1), ("之後", 1), ("后", 1), ("後", 1))
# Words of a part of the day that stand before "mañana" where it is no day: por la mañana, cada mañana.
_NO_DAY_BEFORE = frozenset(("la", "las", "cada", "una", "esta", "mañanas"))
_OUTER = ".,;:!?()[]{}\"'«»“”‘’…*_¡¿"
_FAR_AWAY = 10_000  # nobody means a day so many units from now


def ageing(text: str, day: str) -> tuple[Ageing, ...]:
    """Return the words of a text that age, each once, in order.

    Args:
        text: any text; what stands in backticks is code.
        day: the day on which it is read, ``YYYY-MM-DD``.
    """
    plain = " ".join(unicodedata.normalize("NFC", text).split("`")[::2])
    found = _spaced(plain)
    if not plain.isascii():
        found += _unspaced(plain)
    if not found:
        return ()
    from datetime import date  # most texts have no word that ages

    today = date.fromisoformat(day)
    shown = [Ageing(word, meant) for word, moment in found if (meant := _date_of(moment, today))]
    return tuple(dict.fromkeys(shown))


def _spaced(text: str) -> list[tuple[str, _Moment]]:
    words = [word.strip(_OUTER) for word in text.split()]
    folded = [word.casefold() for word in words]
    found = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            moment = _moment(folded[at : at + length])
            if moment is None or _is_no_date(words, folded, at, length):
                continue
            found.append((" ".join(words[at : at + length]), moment))
            at += length
            break
        else:
            at += 1
    return found


def _is_no_date(words: Sequence[str], folded: Sequence[str], at: int, length: int) -> bool:
    """Say whether words only look as if they aged: "due in 30 days", "por la mañana"."""
    if length > 1:
        return folded[at] in {"in", "en"} and not words[at][0].isupper()
    return bool(at) and folded[at] == "mañana" and folded[at - 1] in _NO_DAY_BEFORE


def _moment(words: Sequence[str]) -> _Moment | None:
    """Return what some words mean together, None for nothing that ages."""
    known = _PHRASES.get(" ".join(words))
    if known:
        return "span", *known
    match words:
        case ["last" | "next" | "this" | "coming" as which, name] | [("último" | "próximo" | "este") as which, name]:
            if name in _WEEKDAYS:
                return which, "weekday", _WEEKDAYS[name]
        case [name, ("pasado" | "próximo") as which] if name in _WEEKDAYS:
            return which, "weekday", _WEEKDAYS[name]
        case [name, "que", "viene"] if name in _WEEKDAYS:
            return "next", "weekday", _WEEKDAYS[name]
        case [count, unit, "ago" | "trước"] | ["hace", count, unit]:
            return _away(count, unit, -1)
        case ["in" | "en", count, unit] | ["dentro", "de", count, unit] | [count, unit, "from", "now"]:
            return _away(count, unit, 1)
        case _:
            pass
    return None


def _unspaced(text: str) -> list[tuple[str, _Moment]]:
    found = []
    at = 0
    while at < len(text):
        length, moment = _han_at(text, at) if text[at] >= "\u2e80" or text[at].isdigit() else (0, None)
        if moment is not None:
            found.append((text[at : at + length], moment))
        at += length or 1
    return found


def _han_at(text: str, at: int) -> tuple[int, _Moment | None]:
    for length in range(min(_HAN_LONGEST, len(text) - at), 0, -1):
        known = _HAN.get(text[at : at + length])
        if known is None:
            continue
        name = text[at + length : at + length + 1]
        if known[0] == "week" and name in _HAN_WEEKDAYS:
            return length + 1, (str(known[1]), "week's day", _HAN_WEEKDAYS[name])
        return length, ("span", *known)
    end = at
    while end < len(text) and (text[end].isdigit() or (spelled_number(text[end]) and text[end] >= "\u2e80")):
        end += 1
    # 发布三天后 counts from the release; only at the beginning it counts from now.
    if end == at or (at and text[at - 1].isalnum()):
        return 0, None
    for size in (3, 2, 1):
        for tail, sign in _HAN_TAILS:
            if text[end : end + size] in _UNITS and text.startswith(tail, end + size):
                moment = _away(text[at:end], text[end : end + size], sign)
                if moment:
                    return end + size + len(tail) - at, moment
    return 0, None


def _away(count: str, unit: str, sign: int) -> _Moment | None:
    value = number_of(count)
    digits = value[0] if value and not value[1] else spelled_number(count)
    if count in {"a", "an", "un", "una"}:
        digits = "1"
    if not digits.isdecimal() or unit not in _UNITS or int(digits) > _FAR_AWAY:
        return None
    return "away", _UNITS[unit], sign * int(digits)


def _date_of(moment: _Moment, today: date) -> str:
    """Return the day or days of a moment, ``""`` where the calendar does not reach so far."""
    from datetime import timedelta

    kind, unit, steps = moment
    if unit == "weekday":
        return _weekday(steps, kind, today)
    if unit == "week's day":
        return (today + timedelta(days=7 * int(kind) + steps - today.weekday())).isoformat()
    try:
        return _step(today, unit, steps).isoformat() if kind == "away" else _span(unit, steps, today)
    except (ValueError, OverflowError):
        return ""


def _step(day: date, unit: str, steps: int) -> date:
    from datetime import timedelta

    if unit == "day":
        return day + timedelta(days=steps)
    if unit == "week":
        return day + timedelta(days=7 * steps)
    months = day.year * 12 + day.month - 1 + steps * {"month": 1, "quarter": 3, "year": 12}[unit]
    year, month = divmod(months, 12)
    for last in (day.day, 30, 29, 28):
        try:
            return day.replace(year=year, month=month + 1, day=last)
        except ValueError:
            if last == 28:  # the year does not exist
                raise
    raise ValueError


def _span(unit: str, steps: int, today: date) -> str:
    """Return a day, or the first and the last day of a week, month, quarter or year."""
    from datetime import timedelta

    match unit:
        case "day":
            return _step(today, "day", steps).isoformat()
        case "week":
            start = today - timedelta(days=today.weekday())
        case "month":
            start = today.replace(day=1)
        case "quarter":
            start = today.replace(day=1, month=(today.month - 1) // 3 * 3 + 1)
        case _:
            start = today.replace(day=1, month=1)
    first = _step(start, unit, steps)
    last = _step(first, unit, 1) - timedelta(days=1)
    return f"{first.isoformat()} to {last.isoformat()}"


def _weekday(number: int, which: str, today: date) -> str:
    from datetime import timedelta

    if which in {"last", "último", "pasado"}:
        return (today - timedelta(days=(today.weekday() - number - 1) % 7 + 1)).isoformat()
    if which in {"this", "este"}:
        return (today + timedelta(days=number - today.weekday())).isoformat()
    return (today + timedelta(days=(number - today.weekday() - 1) % 7 + 1)).isoformat()
