"""Mail servers that misbehave as told: an answer for each command, or a hang, or a dropped line."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterable, Mapping
from types import TracebackType
from typing import Self

HANG = "<hang>"
DROP = "<drop>"

Answer = str | Callable[["Line", str], Awaitable[None]]
"""What is said to a command: text (in IMAP `{tag}` stands for the tag), HANG, DROP, or a coroutine that does it."""


class Line:
    """The server's end of one connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self.tag = ""

    async def say(self, text: str) -> None:
        self.writer.write(text.replace("{tag}", self.tag).replace("\n", "\r\n").encode() + b"\r\n")
        with contextlib.suppress(ConnectionError):
            await self.writer.drain()

    async def hear(self) -> str:
        line = await self.reader.readline()
        if not line:
            raise ConnectionError
        return line.decode("utf-8", "replace").rstrip("\r\n")

    async def do(self, answer: Answer, command: str) -> None:
        if answer == HANG:
            await asyncio.Event().wait()
        elif answer == DROP:
            raise ConnectionError
        elif isinstance(answer, str):
            await self.say(answer)
        else:
            await answer(self, command)


class Scripted:
    """An asynchronous context: listens on `port` of loopback; `heard` is every line of every client.

    `answers`: verb → what is said, for the first such command the first of a list, and so on, the last for the rest.
    """

    defaults: Mapping[str, Answer] = {}
    greeting = ""

    def __init__(self, answers: Mapping[str, Answer | Iterable[Answer]], greeting: Answer | None = None) -> None:
        self._queues = {
            verb: [answer] if isinstance(answer, str) or callable(answer) else list(answer)
            for verb, answer in {**self.defaults, **answers}.items()
        }
        self._greeting: Answer = self.greeting if greeting is None else greeting
        self._tasks: set[asyncio.Task[None]] = set()
        self.heard: list[str] = []
        self.connections = 0
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self.connections += 1
        line = Line(reader, writer)
        try:
            await line.do(self._greeting, "")
            while True:
                heard = await line.hear()
                self.heard.append(heard)
                verb = self.parse(line, heard)
                queue = self._queues.get(verb, [self.unknown])
                await line.do(queue.pop(0) if len(queue) > 1 else queue[0], heard)
                if verb in ("LOGOUT", "QUIT"):
                    return
        except (ConnectionError, asyncio.CancelledError):
            return
        finally:
            writer.transport.abort()

    unknown: Answer = ""

    def parse(self, line: Line, heard: str) -> str:
        raise NotImplementedError


class ScriptedImap(Scripted):
    greeting = "* OK ready"
    unknown = "{tag} BAD unknown command"
    defaults: Mapping[str, Answer] = {
        "CAPABILITY": "* CAPABILITY IMAP4rev1 IDLE MOVE UIDPLUS\n{tag} OK done",
        "LOGIN": "{tag} OK logged in",
        "LIST": '* LIST () "/" Processed\n{tag} OK done',
        "SELECT": "* 0 EXISTS\n* OK [UIDVALIDITY 7] valid\n{tag} OK [READ-WRITE] selected",
        "UID SEARCH": "* SEARCH\n{tag} OK 3 searched",
        "NOOP": "{tag} OK done",
        "DONE": "{tag} OK done",
        "LOGOUT": "* BYE\n{tag} OK done",
    }

    def parse(self, line: Line, heard: str) -> str:
        if heard == "DONE":
            return heard
        line.tag, _, command = heard.partition(" ")
        words = command.upper().split()
        return " ".join(words[:2] if words[:1] == ["UID"] else words[:1])


async def take_data(line: Line, command: str) -> None:
    """SMTP's DATA, taken to its end."""
    await line.say("354 go on")
    while await line.hear() != ".":
        pass
    await line.say("250 2.0.0 taken")


class ScriptedSmtp(Scripted):
    greeting = "220 scripted ESMTP"
    unknown = "500 5.5.1 unknown command"
    defaults: Mapping[str, Answer] = {
        "EHLO": "250-scripted\n250-SIZE 20000000\n250-AUTH PLAIN LOGIN\n250 8BITMIME",
        "AUTH": "235 2.7.0 logged in",
        "MAIL": "250 2.1.0 ok",
        "RCPT": "250 2.1.5 ok",
        "DATA": take_data,
        "RSET": "250 2.0.0 ok",
        "NOOP": "250 2.0.0 ok",
        "QUIT": "221 2.0.0 bye",
    }

    def parse(self, line: Line, heard: str) -> str:
        return heard.partition(" ")[0].upper()
