"""Words and fields by which machines give themselves away: reports, automatic answers, receipts, lists."""

from __future__ import annotations

import re

from pbm.mail.phrases import word_set

DAEMON = re.compile(
    r"(mail(er|delivery)?[-_. ]?daemon|post[-_. ]?master|mail\.?delivery\.?(sub)?system|mdaemon|mmdf|"
    r"mailsweeper|"
    r"bounces?|(mail)?(delivery|bounce)[-_.](system|report|failure|notification|status)s?)",
    re.IGNORECASE,
)
CERTAIN_DAEMON = re.compile(r"mail(er)?[-_.]?daemon|mail\.?delivery\.?(sub)?system|mdaemon", re.IGNORECASE)
DAEMON_NAME = re.compile(
    r"mail(er)?[- ]?daemon|mail delivery (sub)?system|delivery (sub)?system|mail administrator|"
    r"system administrator|"
    r"postmaster|microsoft exchange|internet mail delivery|mail transport|email? system|メール配信システム",
    re.IGNORECASE,
)
ROBOT = re.compile(r"(no|not|dont|do[-_.]?not|do[-_.]?n.?t)[-_.]?(reply|respond|answer)\b|notifications?|"
                   r"auto-?responder|vacation",
                    re.IGNORECASE)  # fmt: skip
FAILED = re.compile(
    r"undeliver|not delivered|non[- ]?deliver|delivery (status|fail|problem|report|error|has|notif|incomplete|"
    r"delayed|"
    r"unsuccess|expired|attempt|warning)|deliver(y|ing)? (of|to) .{0,60}(fail|delay)|returned (mail|e-?mail|"
    r"to sender|message)|"
    r"returning message|return(ing|ed)? (to )?sender|failure (notice|delivery)|fail(ed|ure)( |:).{0,30}deliver|"
    r"mail (delivery )?(fail|error|system error|could not)|message (delivery|could not|you sent|not sent|"
    r"undeliver|delayed|bounced)|"
    r"(could|can|was) ?n[o'’]?t (be )?(been )?(deliver|sent)|unable to deliver|delayed mail|"
    r"delay(ed)?[: ].{0,30}(mail|message|delivery)|"
    r"warning: could not send|postmaster notify|user unknown|loop alert|mailbox (is )?(full|unavailable)|"
    r"bounced? (mail|message)|mail blocked|message blocked|blocked by our|\bdsn\b|\bndr\b|"
    r"unzustellbar|nicht zugestellt|nicht zustellbar|zustellung.{0,30}(fehl|verzög)|unzustellbarkeit|"
    r"non (remis|distribu|délivr)|échec (de|d.)|non livré|remise (du message )?(retard|impossible)|"
    r"no (se )?(ha )?(podido|puede|pudo|se pudo)?.{0,12}entreg|no entregad|error (de|en la) entrega|"
    r"imposible entregar|"
    r"non (è stato )?(recapit|consegn)|mancat[oa] (recapito|consegna)|impossibile recapitare|"
    r"não (é possível |foi |pôde |pode )?(ser )?entreg|falha (na|de) entrega|"
    r"onbestelbaar|niet (te )?(bezorg|afgelever)|kan inte levereras|kunde inte levereras|olevererbart|"
    r"ikke (kunne )?lever|kan ikke leveres|toimittamattom|ei voitu toimittaa|niedostarcz|nie (można|"
    r"udało się) dostarczyć|zwrot wiadomości|"
    r"nedoručiteln|nedoručen|не ?доставл|недоставлен|не удается доставить|невозможно доставить|"
    r"не може бути доставлен|"
    r"teslim edileme|kézbesíthetetlen|sikertelen kézbesítés|nelivrat|nu a putut fi livrat|αδύνατη η παράδοση|"
    r"δεν παραδόθηκε|"
    r"配信不能|配信エラー|配信できません|送信できません|送信エラー|未配達|不達|退信|未送达|未傳遞|无法送达|"
    r"無法傳遞|无法投递|投递失败|系统退信|"
    r"배달되지|전송 실패|반송",
    re.IGNORECASE,
)
SURELY_FAILED = re.compile(
    r"undeliver(ed|able)|delivery (status notification|failure|has failed|notification: ?delivery)|"
    r"returned mail|"
    r"mail delivery (failed|failure|system)|failure notice|mail system error|non[- ]?deliver|nicht zustellbar|"
    r"unzustellbar|"
    r"message delivery has failed|there was an error sending your mail|returned to sender",
    re.IGNORECASE,
)
AUTOMATIC = re.compile(
    r"(auto(matic)?[- ]?(response|reply)?\s?: |.{1,60} (is|am) (currently )?out of (the )?office|.{1,60} (ist|"
    r"bin) (derzeit )?(nicht im (büro|haus)|abwesend)|"
    r"auto(matic|mated)?[- ]?(re(ply|sponse|sponder)|answer)|out[- ]of[- ](the[- ])?office|ooo\b|"
    r"away from (the|my) (office|mail)|"
    r"vacation (reply|response|message|notice)|on vacation|i am (currently )?away|autoreply|autoresponder|"
    r"(automatische|autom\.) (antwort|abwesenheit)|abwesenheit|abwesend\b|nicht im (büro|haus)|außer haus|"
    r"urlaubsbenachrichtigung|"
    r"réponse automatique|absence du bureau|absent du bureau|message d.absence|je suis absent|"
    r"respuesta autom|fuera de (la )?oficina|contestación autom|risposta automatica|fuori (sede|ufficio)|"
    r"assente dall|"
    r"resposta autom|ausência temporária|fora do escritório|ausente do escritório|automatisch antwoord|"
    r"afwezigheid|niet aanwezig|"
    r"autosvar|automatiskt? svar|frånvar|fravær|ikke til stede|automaattinen vastaus|poissa|poissaolo|"
    r"autoodpowiedź|odpowiedź automatyczna|automatyczna odpowiedź|poza biurem|nieobecno|automatická odpov|"
    r"mimo kancelář|"
    r"автоответ|автоматический ответ|автоматична відповідь|нет на месте|нет в офисе|αυτόματη απάντηση|"
    r"εκτός γραφείου|"
    r"otomatik yan[ıi]t|automatikus válasz|házon kívül|răspuns automat|automatski odgovor|samodejni odgovor|"
    r"automaatvastus|"
    r"自動返信|自動応答|自動回覆|自动回复|自動回復|不在通知|不在のお知らせ|休假|부재중|자동 ?응답|"
    r"자동 ?회신|הודעה אוטומטית|תשובה אוטומטית|رد تلقائي|"
    r"الرد التلقائي|"
    r"ตอบกลับอัตโนมัติ|trả lời tự động|balasan otomatis)",
    re.IGNORECASE,
)
RECEIPT = re.compile(
    r"(read|gelesen|lu|leído|leido|letto|lido|gelezen|läst|læst|lest|luettu|odczytano|przeczytano|přečteno|"
    r"прочитано|прочтено|"
    r"okundu|return receipt|read receipt|lesebestätigung|empfangsbestätigung|accusé de (lecture|réception)|"
    r"confirmación de lectura|"
    r"conferma di lettura|confirmação de leitura|開封済み|開封確認|已读|已讀|읽음)\s*(:|：|\(|$)",
    re.IGNORECASE,
)
RSVP = re.compile(
    r"(accepted|declined|tentative(ly accepted)?|new time proposed|zugesagt|abgesagt|abgelehnt|mit vorbehalt|"
    r"accepté|refusé|"
    r"provisoire|aceptad[oa]|rechazad[oa]|accettat[oa]|rifiutat[oa]|aceit[eo]|recusad[oa]|geaccepteerd|"
    r"geweigerd|accepterat|avböjt)\s*:",
    re.IGNORECASE,
)
REPLIED = re.compile(r"(re|aw|sv|vs|antw|odp|rv|ref|回复|回覆|答复|ответ)\s*(\[\d+\])?\s*[:：]", re.IGNORECASE)
AUTO_FIELDS = word_set(
    "x-autoreply x-autorespond x-autoresponder x-auto-reply x-autoreply-from x-auto-reply-from "
    "x-mail-autoreply "
    "x-mail-autoresponder x-autogenerated x-auto-response-from x-autosent x-vacation "
    "x-ms-exchange-inbox-rules-loop "
    "x-fc-machinegenerated x-autoresponse x-auto-responded x-mailer-autoreply x-out-of-office "
    "x-amazon-auto-reply "
    "x-zendesk-from-account-id x-jira-fingerprint x-github-reason x-cron-env x-mlserver x-amz-sns-message-id "
    "x-ebay-autoreply x-list-autoresponder x-challenge x-spamarrest-autoresponse x-boxtrapper "
    "x-hmxmroriginalrecipient"
)
LIST_FIELDS = word_set(
    "list-id list-post list-archive list-owner mailing-list x-mailing-list x-mailinglist x-beenthere "
    "x-mailman-version "
    "x-google-group-id x-listserver x-list x-ml-name x-ml-count x-sympa-to x-groupsio-msgnum x-yahoo-newman-id"
)
TRANSCRIPT = re.compile(r"\b5\d\d[ -]#?5\.\d{1,3}\.\d{1,3}\b|\b55\d[ -]|user unknown|"
                        r"\"notificationType\":\"(Bounce|Complaint|Delivery)\"|"
                         r"mailbox (is )?full|no such user|undeliverable", re.IGNORECASE)  # fmt: skip
