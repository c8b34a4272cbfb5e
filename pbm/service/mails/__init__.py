"""Every mail that the service sends, by what it tells: each function makes the pages and queues them.

All run inside the caller's transaction. Of each close the public mails are queued first, then the private ones in seat
order, then the moderator's (MAIL.md, *What is sent*).
"""

from pbm.service.mails.answers import catch_up, join_answer, join_question, question, receipt, stranger, which_game
from pbm.service.mails.course import cancel_for, remind, reminded, started, supersede, turned
from pbm.service.mails.desk import asked_next, clock, held, shunted, summary, trouble, unreachable
from pbm.service.mails.moderator import called_off, desk
from pbm.service.mails.opening import invited, let_go, welcome
from pbm.service.mails.public import acted, away, notice, said, told, voted

__all__ = [
    "acted",
    "asked_next",
    "away",
    "called_off",
    "cancel_for",
    "catch_up",
    "clock",
    "desk",
    "held",
    "invited",
    "join_answer",
    "join_question",
    "let_go",
    "notice",
    "question",
    "receipt",
    "remind",
    "reminded",
    "said",
    "shunted",
    "started",
    "stranger",
    "summary",
    "supersede",
    "told",
    "trouble",
    "turned",
    "unreachable",
    "voted",
    "welcome",
    "which_game",
]
