"""The kinds of value that configuration and game files share, as pydantic fields with messages for people."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    SerializerFunctionWrapHandler,
    model_serializer,
    model_validator,
)

from pbm.addresses import address_fault, address_key
from pbm.timewords import DAY, days_text, length_text, parse_at, parse_close, parse_days, parse_length, parse_zone


class Section(BaseModel):
    """A part of a file: unknown keys are faults, values don't change, an empty section has its defaults."""

    model_config = ConfigDict(extra="forbid", frozen=True, coerce_numbers_to_str=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _empty(cls, value: Any) -> Any:
        return {} if value is None else value


def _length(value: object) -> int:
    if value == 0 and not isinstance(value, bool):
        return 0
    if isinstance(value, str):
        return parse_length(value)
    if isinstance(value, int) and not isinstance(value, bool):
        raise ValueError(f"{value} of what? write a length with its unit, s, m, h or d, for example 30m, 48h or 3d")
    raise ValueError("a length is a whole number with s, m, h or d, for example 30m, 48h or 3d")


def _more_than_0(seconds: int) -> int:
    if seconds <= 0:
        raise ValueError("must be longer than 0, for example 24h")
    return seconds


def _address(text: str) -> str:
    if fault := address_fault(text):
        raise ValueError(fault)
    return text


def _whole(value: object) -> object:
    if isinstance(value, bool):
        raise ValueError("must be a whole number, not true or false")
    return value


def split_list(value: object) -> object:
    """A list as it is; one text as a list, split at commas: how the environment writes one."""
    if isinstance(value, str):
        return [part.strip() for part in value.strip("[] ").split(",") if part.strip()]
    return value


def _without_repeats(addresses: tuple[str, ...]) -> tuple[str, ...]:
    """Each address once, where it stands first."""
    found: dict[str, str] = {}
    for address in addresses:
        found.setdefault(address_key(address), address)
    return tuple(found.values())


def _days(value: object) -> object:
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        value = ",".join(value)
    if isinstance(value, str):
        return parse_days(value)
    if value is None or isinstance(value, frozenset):
        return value
    raise ValueError("days are a list or range of mon, tue, wed, thu, fri, sat, sun, for example mon-fri")


def _at(value: object) -> object:
    if isinstance(value, str):
        return parse_at(value)
    if value is None or isinstance(value, tuple):
        return value
    raise ValueError('a time of day has hours and minutes, for example "18:00"')


def _text_with(parse: Callable[[str], str], right: str) -> BeforeValidator:
    def read(value: object) -> str:
        if isinstance(value, str):
            return parse(value)
        raise ValueError(f"must be a text, for example {right}")

    return BeforeValidator(read)


def _approve(value: object) -> object:
    words = {True: "yes", False: "no"}  # YAML 1.1, and JSON
    if isinstance(value, bool):
        return words[value]
    if isinstance(value, str) and value.strip().lower() in words.values():
        return value.strip().lower()
    try:
        return _more_than_0(_length(value))
    except ValueError:
        raise ValueError("must be no, yes, or a length after which results go out by themselves, like 24h") from None


def _approve_text(value: object) -> object:
    return length_text(value) if isinstance(value, int) else value


def _text_or_none(write: Callable[[Any], str]) -> PlainSerializer:
    return PlainSerializer(lambda value: None if value is None else write(value))


Length = Annotated[int, BeforeValidator(_length), PlainSerializer(length_text)]
"""Seconds, written `20s`, `30m`, `48h`, `3d`; written out the same way, so that what is dumped can be read again."""
Span = Annotated[Length, AfterValidator(_more_than_0)]
"""A length of more than 0."""
Whole = Annotated[int, BeforeValidator(_whole)]
Address = Annotated[str, AfterValidator(_address)]
Addresses = Annotated[tuple[Address, ...], BeforeValidator(split_list), AfterValidator(_without_repeats)]
Zone = Annotated[str, _text_with(parse_zone, "Europe/Berlin")]
Spans = Annotated[tuple[Span, ...], BeforeValidator(split_list)]
Approve = Annotated[Literal["no", "yes"] | int, BeforeValidator(_approve), PlainSerializer(_approve_text)]
"""`no`, `yes`, or the seconds after which results go out by themselves."""


def _whole_days(seconds: int) -> int:
    if seconds % DAY:
        raise ValueError("must be whole days, for example 7d")
    return seconds


AwayBudget = Annotated[Length, AfterValidator(_whole_days)]


class Timing(Section):
    """What a file says of a phase's timing. Only what :meth:`named` gives was said, and only that is written out."""

    length: Span = Field(default=DAY, examples=["length: 48h"])
    min: Length = Field(default=0, examples=["min: 12h"])
    max: Length = Field(default=7 * DAY, examples=["max: 7d"])
    close: Annotated[Literal["all-in", "deadline"], _text_with(parse_close, "all-in")] = Field(
        default="all-in", examples=["close: all-in"]
    )
    at: Annotated[tuple[int, int] | None, BeforeValidator(_at), _text_or_none(lambda at: f"{at[0]:02}:{at[1]:02}")] = (
        Field(default=None, examples=['at: "18:00"'])
    )
    days: Annotated[frozenset[int] | None, BeforeValidator(_days), _text_or_none(days_text)] = Field(
        default=None, examples=["days: mon-fri"]
    )
    timezone: Zone = Field(default="UTC", examples=["timezone: Europe/Berlin"])
    delay: Length = Field(default=0, examples=["delay: 10m"])
    grace: Length = Field(default=0, examples=["grace: 2h"])

    def named(self) -> Mapping[str, object]:
        """The keys that were written, with their values: a layer for :func:`pbm.timing.merge_timing`."""
        return {key: getattr(self, key) for key in type(self).model_fields if key in self.model_fields_set}

    @model_serializer(mode="wrap")
    def _only_named(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        return {key: value for key, value in write(self).items() if key in self.model_fields_set}
