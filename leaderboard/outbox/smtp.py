"""Django's way to a mail server, of which nothing takes longer than it may."""

import smtplib
import socket
from contextlib import suppress
from threading import Timer
from typing import Any

from django.core.mail.backends.smtp import EmailBackend

# However slowly the server speaks: each byte may come within the time-out, and the answer never.
# Longer than a turn is, shorter than the lease of a message (`outbox.sending`).
CONNECTION_SECONDS = 60


class _BoundedSMTP(smtplib.SMTP):
    """A connection that is cut from outside when its time is over."""

    _cut: Timer | None = None
    _line: socket.socket | None = None

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        made: socket.socket = super()._get_socket(host, port, timeout)  # type: ignore[misc]
        # Another name of the same connection: TLS takes this socket over.
        self._line = made.dup()
        self._cut = Timer(CONNECTION_SECONDS, _shut, [self._line])
        self._cut.daemon = True
        self._cut.start()
        return made

    def close(self) -> None:
        super().close()
        if self._cut is not None and self._line is not None:
            self._cut.cancel()
            self._line.close()


class _BoundedTLS(smtplib.SMTP_SSL, _BoundedSMTP):
    """The same, of which every word is encrypted."""


def _shut(line: socket.socket) -> None:
    with suppress(OSError):  # it has just ended
        line.shutdown(socket.SHUT_RDWR)


class Backend(EmailBackend):
    @property
    def connection_class(self) -> Any:
        return _BoundedTLS if self.use_ssl else _BoundedSMTP
