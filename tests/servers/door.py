"""A door before a server: what passes through it is relayed untouched, until it is shut and everybody is thrown out."""

import contextlib
import socket
import threading


class Door:
    """A port on loopback that leads to another one. `shut`: connections are cut, new ones refused."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._inside: list[socket.socket] = []
        self._listener: socket.socket | None = None
        self.port = 0
        self.open()

    def open(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._welcome, args=(self._listener,), daemon=True).start()

    def shut(self) -> None:
        if self._listener is not None:
            # A closed socket doesn't wake the thread that waits on it; a shutdown does.
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        inside, self._inside = self._inside, []
        for one in inside:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def __enter__(self) -> "Door":
        return self

    def __exit__(self, *_: object) -> None:
        self.shut()

    def _welcome(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                guest, _ = listener.accept()
                server = socket.create_connection(("127.0.0.1", self._target))
                self._inside += [guest, server]
                for pair in ((guest, server), (server, guest)):
                    threading.Thread(target=_carry, args=pair, daemon=True).start()


def _carry(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    for one in (source, target):
        with contextlib.suppress(OSError):
            one.shutdown(socket.SHUT_RDWR)
