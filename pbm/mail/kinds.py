"""What sort of mail this is, by its header: a person's, automatic, a bounce, through a list, our own, or refused.

RFC 3834 for automatic mail, RFC 3464 for delivery reports, RFC 8098 for read receipts, RFC 2919 for lists; and the
marks of the products that follow none of them. `X-Auto-Response-Suppress` is no mark: people's Exchange mail has it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import StrEnum

from pbm.mail.addrlist import mailboxes
from pbm.mail.headers import Fields, decode_words, every, first, value_and_params
from pbm.mail.mime import Leaf


class Kind(StrEnum):
    """`pbm explain`'s word for a mail (MAIL.md)."""

    MAIL = "mail"
    AUTO = "auto-reply"
    BOUNCE = "bounce"
    LIST = "list"
    OWN = "own"
    REFUSED = "refused"


_DAEMON = re.compile(
    r"(mail(er|delivery)?[-_. ]?daemon|post[-_. ]?master|mail\.?delivery\.?(sub)?system|mdaemon|mmdf|mailsweeper|"
    r"bounces?|(mail)?(delivery|bounce)[-_.](system|report|failure|notification|status)s?)",
    re.IGNORECASE,
)
_CERTAIN_DAEMON = re.compile(r"mail(er)?[-_.]?daemon|mail\.?delivery\.?(sub)?system|mdaemon", re.IGNORECASE)
_DAEMON_NAME = re.compile(
    r"mail(er)?[- ]?daemon|mail delivery (sub)?system|delivery (sub)?system|mail administrator|system administrator|"
    r"postmaster|microsoft exchange|internet mail delivery|mail transport|email? system|メール配信システム",
    re.IGNORECASE,
)
_ROBOT = re.compile(r"(no|not|dont|do[-_.]?not|do[-_.]?n.?t)[-_.]?(reply|respond|answer)\b|notifications?|auto-?responder|vacation",
                    re.IGNORECASE)  # fmt: skip
_FAILED = re.compile(
    r"undeliver|not delivered|non[- ]?deliver|delivery (status|fail|problem|report|error|has|notif|incomplete|delayed|"
    r"unsuccess|expired|attempt|warning)|deliver(y|ing)? (of|to) .{0,60}(fail|delay)|returned (mail|e-?mail|to sender|message)|"
    r"returning message|return(ing|ed)? (to )?sender|failure (notice|delivery)|fail(ed|ure)( |:).{0,30}deliver|"
    r"mail (delivery )?(fail|error|system error|could not)|message (delivery|could not|you sent|not sent|undeliver|delayed|bounced)|"
    r"(could|can|was) ?n[o'’]?t (be )?(been )?(deliver|sent)|unable to deliver|delayed mail|delay(ed)?[: ].{0,30}(mail|message|delivery)|"
    r"warning: could not send|postmaster notify|user unknown|loop alert|mailbox (is )?(full|unavailable)|"
    r"bounced? (mail|message)|mail blocked|message blocked|blocked by our|\bdsn\b|\bndr\b|"
    r"unzustellbar|nicht zugestellt|nicht zustellbar|zustellung.{0,30}(fehl|verzög)|unzustellbarkeit|"
    r"non (remis|distribu|délivr)|échec (de|d.)|non livré|remise (du message )?(retard|impossible)|"
    r"no (se )?(ha )?(podido|puede|pudo|se pudo)?.{0,12}entreg|no entregad|error (de|en la) entrega|imposible entregar|"
    r"non (è stato )?(recapit|consegn)|mancat[oa] (recapito|consegna)|impossibile recapitare|"
    r"não (é possível |foi |pôde |pode )?(ser )?entreg|falha (na|de) entrega|"
    r"onbestelbaar|niet (te )?(bezorg|afgelever)|kan inte levereras|kunde inte levereras|olevererbart|"
    r"ikke (kunne )?lever|kan ikke leveres|toimittamattom|ei voitu toimittaa|niedostarcz|nie (można|udało się) dostarczyć|zwrot wiadomości|"
    r"nedoručiteln|nedoručen|не ?доставл|недоставлен|не удается доставить|невозможно доставить|не може бути доставлен|"
    r"teslim edileme|kézbesíthetetlen|sikertelen kézbesítés|nelivrat|nu a putut fi livrat|αδύνατη η παράδοση|δεν παραδόθηκε|"
    r"配信不能|配信エラー|配信できません|送信できません|送信エラー|未配達|不達|退信|未送达|未傳遞|无法送达|無法傳遞|无法投递|投递失败|系统退信|"
    r"배달되지|전송 실패|반송",
    re.IGNORECASE,
)
_AUTOMATIC = re.compile(
    r"(auto(matic|mated)?[- ]?(re(ply|sponse|sponder)|answer)|out[- ]of[- ](the[- ])?office|ooo\b|away from (the|my) (office|mail)|"
    r"vacation (reply|response|message|notice)|on vacation|i am (currently )?away|autoreply|autoresponder|"
    r"(automatische|autom\.) (antwort|abwesenheit)|abwesenheit|abwesend\b|nicht im (büro|haus)|außer haus|urlaubsbenachrichtigung|"
    r"réponse automatique|absence du bureau|absent du bureau|message d.absence|je suis absent|"
    r"respuesta autom|fuera de (la )?oficina|contestación autom|risposta automatica|fuori (sede|ufficio)|assente dall|"
    r"resposta autom|ausência temporária|fora do escritório|ausente do escritório|automatisch antwoord|afwezigheid|niet aanwezig|"
    r"autosvar|automatiskt? svar|frånvar|fravær|ikke til stede|automaattinen vastaus|poissa|poissaolo|"
    r"autoodpowiedź|odpowiedź automatyczna|automatyczna odpowiedź|poza biurem|nieobecno|automatická odpov|mimo kancelář|"
    r"автоответ|автоматический ответ|автоматична відповідь|нет на месте|нет в офисе|αυτόματη απάντηση|εκτός γραφείου|"
    r"otomatik yan[ıi]t|automatikus válasz|házon kívül|răspuns automat|automatski odgovor|samodejni odgovor|automaatvastus|"
    r"自動返信|自動応答|自動回覆|自动回复|自動回復|不在通知|不在のお知らせ|休假|부재중|자동 ?응답|자동 ?회신|הודעה אוטומטית|תשובה אוטומטית|رد تلقائي|الرد التلقائي|"
    r"ตอบกลับอัตโนมัติ|trả lời tự động|balasan otomatis)",
    re.IGNORECASE,
)
_RECEIPT = re.compile(
    r"(read|gelesen|lu|leído|leido|letto|lido|gelezen|läst|læst|lest|luettu|odczytano|przeczytano|přečteno|прочитано|прочтено|"
    r"okundu|return receipt|read receipt|lesebestätigung|empfangsbestätigung|accusé de (lecture|réception)|confirmación de lectura|"
    r"conferma di lettura|confirmação de leitura|開封済み|開封確認|已读|已讀|읽음)\s*(:|：|\(|$)",
    re.IGNORECASE,
)
_RSVP = re.compile(
    r"(accepted|declined|tentative(ly accepted)?|new time proposed|zugesagt|abgesagt|abgelehnt|mit vorbehalt|accepté|refusé|"
    r"provisoire|aceptad[oa]|rechazad[oa]|accettat[oa]|rifiutat[oa]|aceit[eo]|recusad[oa]|geaccepteerd|geweigerd|accepterat|avböjt)\s*:",
    re.IGNORECASE,
)
_REPLIED = re.compile(r"(re|aw|sv|vs|antw|odp|rv|ref|回复|回覆|答复|ответ)\s*(\[\d+\])?\s*[:：]", re.IGNORECASE)
_AUTO_FIELDS = frozenset(
    "x-autoreply x-autorespond x-autoresponder x-auto-reply x-autoreply-from x-auto-reply-from x-mail-autoreply "
    "x-mail-autoresponder x-autogenerated x-auto-response-from x-autosent x-vacation x-ms-exchange-inbox-rules-loop "
    "x-fc-machinegenerated x-autoresponse x-auto-responded x-mailer-autoreply x-out-of-office x-amazon-auto-reply "
    "x-zendesk-from-account-id x-jira-fingerprint x-github-reason x-cron-env x-mlserver x-amz-sns-message-id "
    "x-ebay-autoreply x-list-autoresponder x-challenge x-spamarrest-autoresponse x-boxtrapper".split()
)
_LIST_FIELDS = frozenset(
    "list-id list-post list-archive list-owner mailing-list x-mailing-list x-mailinglist x-beenthere x-mailman-version "
    "x-google-group-id x-listserver x-list x-ml-name x-ml-count x-sympa-to x-groupsio-msgnum x-yahoo-newman-id".split()
)
_TRANSCRIPT = re.compile(r"\b5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b|\b55\d[ -]|user unknown|\"notificationType\":\"(Bounce|Complaint|Delivery)\"|"
                         r"mailbox (is )?full|no such user|undeliverable", re.IGNORECASE)  # fmt: skip


def kind_of(fields: Fields, parts: Sequence[Leaf]) -> Kind:
    """The kind of a mail that isn't our own: BOUNCE, AUTO, LIST or MAIL, looked for in that order."""
    if _bounce(fields, parts):
        return Kind.BOUNCE
    if _automatic(fields, parts):
        return Kind.AUTO
    names = {name for name, _ in fields}
    precedence = (first(fields, "precedence") or "").strip().lower()
    if names & _LIST_FIELDS or precedence == "list":
        return Kind.LIST
    if precedence in ("bulk", "junk", "auto_reply", "auto-reply"):
        return Kind.AUTO
    return Kind.MAIL


def _subject(fields: Fields) -> str:
    subject = decode_words(first(fields, "subject") or "")[:300].strip()
    return subject.lstrip("*[( ")


def _nobody(fields: Fields) -> bool:
    """The envelope had no sender (`<>`): RFC 5321 keeps that for reports and answers of machines."""
    return any(value.replace(" ", "") in ("<>", "") for value in every(fields, "return-path"))


def _bounce(fields: Fields, parts: Sequence[Leaf]) -> bool:
    kind, params = value_and_params(first(fields, "content-type") or "")
    types = {part.type for part in parts}
    if "message/delivery-status" in types or "message/global-delivery-status" in types:
        return True
    report = params.get("report-type", "").lower()
    if kind == "multipart/report" and report not in ("disposition-notification", "feedback-report", "disposition-notifications"):
        return "message/disposition-notification" not in types and "message/feedback-report" not in types
    if first(fields, "x-failed-recipients") is not None:
        return True
    who = mailboxes(first(fields, "from") or "", limit=2)
    local = (who[0].address or who[0].name or "").partition("@")[0] if who else ""
    if not who or not local:
        raw = (first(fields, "from") or "").strip(" <>\"").partition("@")[0]
        local = raw if _DAEMON.fullmatch(raw) else ""
    subject = _subject(fields)
    failed = bool(_FAILED.search(subject)) and not _REPLIED.match(subject)
    if _CERTAIN_DAEMON.fullmatch(local):
        return True
    empty = _nobody(fields)
    if failed and (empty or _DAEMON.fullmatch(local) or (who and _DAEMON_NAME.search(who[0].name))):
        return True
    machine = empty or bool(_DAEMON.fullmatch(local)) or bool(_ROBOT.match(local)) or _auto_submitted(fields)
    if failed and (machine or any(name in ("precedence", "x-mlserver") for name, _ in fields)):
        return True
    if not machine:
        return False
    wrapped = "message/rfc822" in types or "text/rfc822-headers" in types
    if _DAEMON.fullmatch(local) and (wrapped or _transcript(parts)):
        return True
    return (empty or bool(_ROBOT.match(local))) and not _AUTOMATIC.search(subject) and _transcript(parts)


def _transcript(parts: Sequence[Leaf]) -> bool:
    return any(_TRANSCRIPT.search(part.text()[:8000]) for part in parts[:3] if part.type in ("text/plain", "text/html"))


def _auto_submitted(fields: Fields) -> bool:
    value = first(fields, "auto-submitted")
    return value is not None and value.partition("(")[0].partition(";")[0].strip().lower() not in ("no", "")


def _automatic(fields: Fields, parts: Sequence[Leaf]) -> bool:
    if _auto_submitted(fields) or any(name in _AUTO_FIELDS for name, _ in fields) or _nobody(fields):
        return True
    kind, _ = value_and_params(first(fields, "content-type") or "")
    if kind == "multipart/report" or any(_machine_part(part) for part in parts):
        return True
    if (first(fields, "precedence") or "").strip().lower() in ("auto_reply", "auto-reply", "junk"):
        return True
    special = {name: value.lower() for name, value in fields}
    if "autoresp" in special.get("x-post-messageclass", "") or "autoresp" in special.get("delivered-to", "").partition("@")[0]:
        return True
    if special.get("x-ms-exchange-generated-message-source", "").startswith(("mailbox rules", "antispam", "tenant")):
        return True
    if "vacation" in special.get("x-mailer", "") or "autorespond" in special.get("x-mailer", ""):
        return True
    if re.search(r"ipn(n?rn|ndr)|\.oof|resp\.(pos|neg|tent)", special.get("x-ms-exchange-message-class", "") + special.get("message-class", "")):
        return True
    who = mailboxes(first(fields, "from") or "", limit=2)
    if who and who[0].address and _ROBOT.match(who[0].address.partition("@")[0]):
        return True
    subject = _subject(fields)
    if _RSVP.match(subject):
        return "calendarmessage" in special.get("content-class", "") or any(p.type == "text/calendar" for p in parts)
    return bool(_AUTOMATIC.match(subject) or _RECEIPT.match(subject))


def _machine_part(part: Leaf) -> bool:
    if part.type in ("message/disposition-notification", "message/feedback-report"):
        return True
    if part.type != "text/calendar":
        return False
    method = part.params.get("method", "").upper()
    if not method:
        found = re.search(r"^METHOD:([A-Z]{1,20})", part.text()[:65536], re.MULTILINE)
        method = found[1] if found else ""
    return method in ("REPLY", "COUNTER", "DECLINECOUNTER")
