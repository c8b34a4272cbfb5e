"""Bytes with a charset label → text, the same on every Python, and never an exception.

The label is a hint (DESIGN.md): an alias table, strict UTF-8, else cp1252; never a detector; `utf-7`,
`unicode_escape` and other codecs that can hide ASCII are never used.
"""

from __future__ import annotations

import re

_UTF8 = "utf-8"
_WESTERN = "cp1252"

# The WHATWG view of labels: what senders mean, not what the register says.
_ALIASES = {
    "utf8": _UTF8, "unicode-1-1-utf-8": _UTF8, "utf-8-sig": _UTF8, "utf8mb4": _UTF8,
    "us-ascii": _WESTERN, "ascii": _WESTERN, "iso-8859-1": _WESTERN, "iso8859-1": _WESTERN, "latin1": _WESTERN,
    "latin-1": _WESTERN, "windows-1252": _WESTERN, "cp1252": _WESTERN, "iso-8859-1-windows-3.1-latin-1": _WESTERN,
    "ansi": _WESTERN, "ansi_x3.4-1968": _WESTERN, "iso_8859-1": _WESTERN, "l1": _WESTERN,
    "iso-8859-8-i": "iso8859_8", "iso-8859-8-e": "iso8859_8", "iso-8859-6-i": "iso8859_6", "iso-8859-9": "cp1254",
    "windows-874": "cp874", "tis-620": "cp874", "iso-8859-11": "cp874",
    "gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030", "cp936": "gb18030",
    "gb18030": "gb18030", "euc-cn": "gb18030", "hz-gb-2312": "hz",
    "big5": "cp950", "big5-hkscs": "big5hkscs", "x-x-big5": "cp950", "cp950": "cp950",
    "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932", "x-sjis": "cp932", "windows-31j": "cp932",
    "ms_kanji": "cp932", "euc-jp": "euc_jp", "x-euc-jp": "euc_jp",
    "iso-2022-jp": "iso2022_jp_ext", "iso-2022-jp-ms": "iso2022_jp_ext", "iso-2022-kr": "iso2022_kr",
    "ks_c_5601-1987": "cp949", "euc-kr": "cp949", "ks_c_5601": "cp949", "korean": "cp949", "cp949": "cp949",
    "uhc": "cp949", "windows-949": "cp949",
    "koi8-r": "koi8_r", "koi8-u": "koi8_u", "koi8": "koi8_r", "macintosh": "mac_roman", "x-mac-roman": "mac_roman",
    "x-mac-cyrillic": "mac_cyrillic", "ibm866": "cp866", "cp866": "cp866", "ibm850": "cp850", "cp850": "cp850",
    "ibm437": "cp437", "cp437": "cp437", "viscii": _WESTERN,
    "utf-16": "utf-16", "utf-16le": "utf-16-le", "utf-16be": "utf-16-be", "utf-32": "utf-32",
}  # fmt: skip
_NUMBERED = re.compile(r"(?:x-)?(windows|cp|iso)[-_]?(125[0-8]|8859[-_]?(?:1[0-6]|[1-9]))")
# cp1252 leaves five bytes undefined; browsers read them as C1 controls, which we drop anyway.
_UNDEFINED: dict[int, None] = {0x81: None, 0x8D: None, 0x8F: None, 0x90: None, 0x9D: None}


def codec(label: str | None) -> str | None:
    """The Python codec for a charset label of a mail, or None where the label is unknown or refused."""
    name = (label or "").strip().strip("\"'").lower()[:40]
    if name in _ALIASES:
        return _ALIASES[name]
    if name == "utf-8":
        return _UTF8
    found = _NUMBERED.fullmatch(name)
    if not found:
        return None
    number = found[2].replace("-", "").replace("_", "")
    return f"cp{number}" if number.startswith("125") else f"iso8859_{number[4:]}"


def _western(data: bytes) -> str:
    return data.decode(_WESTERN, "replace").translate(_UNDEFINED)


def decode(data: bytes, label: str | None = None) -> str:
    """Text of `data`. Valid UTF-8 is read as UTF-8 where the label says nothing better than Western or nothing."""
    name = codec(label)
    if name in (None, _UTF8, _WESTERN):
        try:
            return data.decode(_UTF8)
        except UnicodeDecodeError:
            if name == _UTF8 and _nearly_utf8(data):
                return data.decode(_UTF8, "replace")
            return _western(data)
    assert name is not None
    if name.startswith("iso2022") or name == "hz":
        # Seven-bit codings: eight-bit bytes mean that the label is wrong.
        if any(byte > 0x7F for byte in data[:65536]):
            return decode(data)
        return data.decode(name, "replace")
    try:
        return data.decode(name)
    except UnicodeDecodeError:
        try:
            return data.decode(_UTF8)
        except UnicodeDecodeError:
            pass
    text = data.decode(name, "replace")
    return text if text.count("�") * 10 < len(text) + 10 else _western(data)


def _nearly_utf8(data: bytes) -> bool:
    """True where a label UTF-8 is right but a byte or two were damaged (a cut at the limit, a bad gateway)."""
    text = data.decode(_UTF8, "replace")
    good = sum(1 for char in text[:4096] if char > "\x7f" and char != "�")
    return good > text[:4096].count("�")
