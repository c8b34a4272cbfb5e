"""What was made of one mail, for its receipt: filled in step by step, then told."""

from dataclasses import dataclass, field


@dataclass(slots=True)
class Receipt:
    """Lines are orders as we print them, without parentheses; the templates add those.

    `taken`: orders of this mail that stand now. `done`: what took effect at once, in words. `notes`: what a misspelling
    was read as, and other remarks. `refused`: (line, reason). `waits`: lines that wait for a confirming reply.
    `replaced`: orders that this mail took the place of. `open_lines`: for a mail that came too late, those of its lines
    that the open phase accepts. `texts`: press as it went on, whole. `answers`: pages asked for (help, rules, status,
    orders). `chat`: how many lines were ignored. `late`: the label of the phase that its orders came too late for.
    """

    taken: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    refused: list[tuple[str, str]] = field(default_factory=list)
    waits: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    open_lines: list[str] = field(default_factory=list)
    texts: list[tuple[str, str]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    chat: int = 0
    late: str = ""
    other_address: str = ""

    @property
    def useful(self) -> bool:
        """Whether the mail changed or asked for anything."""
        return bool(self.taken or self.done or self.waits or self.texts or self.answers)
