"""Words that mail programs write around a quote, in the languages they speak: "wrote", header labels, separators.

They are evidence, never a place to cut by themselves: `pbm.mail.attributions` and `pbm.mail.headblocks` weigh them
with dates, addresses and marks.
"""

from __future__ import annotations

import re


def word_set(words: str) -> frozenset[str]:
    """The words of a table that is written as text."""
    return frozenset(words.split())


_WROTE = """
wrote|writes|said|replied|responded|posted|has written|schrieb|schreibt|hat geschrieben|geschrieben|
a écrit|écrit|a ecrit|écrivait|escribió|escribio|escribiste|ha escrito|escribía|va escriure|ha escrit|escreveu|
escreveu-me|
ha scritto|scrisse|scritto|scrive|schreef|geschreven|heeft geschreven|skrev|skrifaði|ritaði|kirjoitti|kirjutas|
napisał|napisała|napisał\\(a\\)|napisali|pisze|napsal|napsala|napsal\\(a\\)|napísal|napísala|napísal\\(a\\)|
píše|
написал|написала|написал\\(а\\)|написали|пишет|писал|писала|написав|написала|пише|пишаў|напісаў|написа|
je napisao|je napisala|je napisao/la|napisao|napisala|piše|je pisal|je pisala|je pisal/-a|je napisal|
napisa|írta|ezt írta|írt|a scris|a trimis|scrie|parašė|rašė|rakstīja|shkroi|yazdı|şunu yazdı|şunları yazdı|
yazmış|tarihinde|
έγραψε|έγραψαν|γράφει|כתב|כתבה|כתב/ה|כתבו|מאת|كتب|كتبت|كتب/ت|نوشت|نوشته است|लिखा|ने लिखा|লিখেছেন|
เขียนว่า|เขียน|đã viết|viết|menulis|menulis|sumulat|tulis|sumulat si|skryf|het geskryf|idatzi du|escribiu|
scríobh|ysgrifennodd|
写道|寫道|写|寫|写了|的邮件|さんは書きました|さんが書きました|書きました|のメッセージ|のメール|
さんからのメール|のメッセージから|メールを書きました|
wrote the following|님이 작성|님이 작성한 글|작성|님의 말|님이 쓴 글|님이 다음을 작성함|님이 보낸 메시지|
a írt|schreef het volgende|
het volgende geschreven|schrieb folgendes|skrev följande|skrev følgende|skrev den
"""
_verbs = sorted({verb.strip() for verb in _WROTE.replace("\n", "").split("|") if verb.strip()}, key=len, reverse=True)
_latin = "|".join(verb for verb in _verbs if re.match(r"[a-zà-žα-ωа-яёіїўćčšžđ]", verb))
_other = "|".join(verb for verb in _verbs if not re.match(r"[a-zà-žα-ωа-яёіїўćčšžđ]", verb))
WROTE = re.compile(rf"(?<!\w)(?:{_latin})(?!\w)|{_other}", re.IGNORECASE)

DATE = re.compile(
    r"\d{4}\s?[年년./-]\s?\d{1,2}|\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}|\b\d{1,2}\s?[:.h]\s?\d{2}\b|"
    r"(?<!\d)(?:19|20|25)\d{2}(?!\d)|"
    r"\d{1,2}月\s?\d{1,2}日|\d{1,2}월\s?\d{1,2}일|\b\d{1,2}(?:st|nd|rd|th|\.|er)? [^\W\d]{3,12}\.?\b|"
    r"\b[^\W\d]{3,12}\.? \d{1,2}\b"
)
"""Something like a date or a time of day."""
FULL_DATE = re.compile(
    r"\d{4}\s?[年년./-]\s?\d{1,2}\s?[月월./-]\s?\d{1,2}|\d{1,2}\s?[./-]\s?\d{1,2}\s?[./-]\s?\d{2,4}|"
    r"[^\W\d]{3,12}\.?,? (?:de )?(?:19|20)\d{2}|(?:19|20|25)\d{2}.{0,20}\d{1,2}[:.h]\d{2}|"
    r"\d{1,2}[:.h]\d{2}.{0,25}(?:19|20|25)\d{2}"
)
"""A date with its year."""
CLEAR_DATE = re.compile(
    rf"{FULL_DATE.pattern}|\d{{1,2}}[:.h]\d{{2}}|\d{{1,2}}[./-]\d{{1,2}}|(?<!\d)(?:19|20|25)\d{{2}}(?!\d)|\d月|\d월"
)
"""A date or a time that nothing else is likely to be."""
DASHES = tuple("-_=*~‐‑‒–—―")
ADDRESS = re.compile(r"[\w.+%'=-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,6}|mailto:")

_LABELS = {
    "from": """from von de da van från fra frá lähettäjä od от від от кого kimden gönderen gönderici feladó από
    αποστολέας מאת من
        发件人 發件人 寄件者 寄件人 差出人 送信者 送信元 보낸사람 보낸 사람 발신 จาก từ dari de la
        expéditeur remitente mittente remetente
        afzender avsändare avsender afsender saatja odesílatel odosielateľ pošiljatelj nuo no nga sender
        absender feladta expeditor
        von: ad адрес отправитель відправник od koga az از प्रेषक""",
    "date": """sent date gesendet datum envoyé envoye enviado fecha enviado el enviado em enviada enviada em
    inviato data verzonden
        skickat sendt dato lähetetty päivämäärä päiväys pvm wysłano odesláno odoslané dátum отправлено дата
        надіслано изпратено
        gönderildi gönderme tarihi tarih elküldve küldve στάλθηκε ημερομηνία εστάλη נשלח תאריך تاريخ الإرسال
        تاريخ التاريخ أرسلت
        发送时间 發送時間 日期 时间 時間 寄件日期 傳送時間 送信日時 日時 日付 受信日時 보낸날짜 보낸 날짜
        날짜 보낸 시간 วันที่ ส่งเมื่อ ngày đã gửi gửi
        tanggal dikirim trimis poslano poslato saadetud kuupäev išsiųsta nosūtīts datums créé date d'envoi data
        invio sendt dato sent on
        dagsetning sent: sendet am geschickt fecha de envío envoyé le envoyé: вiдправлено dërguar تم الإرسال
        ارسال شده""",
    "to": """to an à a para pour destinataire aan til till vastaanottaja do komu pro кому до kime alıcı címzett
    προς אל إلى ل
        收件人 收件者 宛先 받는사람 받는 사람 수신 ถึง đến tới kepada către za prima kam kellele
        destinatario destinatário
        empfänger mottagare
        per ontvanger mottaker modtager adresat για të به naar ke gavėjas 致""",
    "subject": """subject betreff betrifft objet asunto oggetto assunto onderwerp ämne emne efni aihe temat
    předmět predmet тема
        konu tárgy θέμα נושא الموضوع 主题 主旨 主題 件名 题目 제목 เรื่อง chủ đề tiêu đề subiect teema tema
        judul perihal
        perkara tēma
        zadeva naslov sujet re vedrør vedr относно subjek موضوع""",
    "other": """cc bcc kopie copie kopia kopi copia cópia копия копія másolat κοιν κοινοποίηση bilgi עותק نسخة
    抄送 副本 참조 สำเนา
        đồng gửi reply-to antwort an antworten an répondre à responder a rispondi a importance priority
        wichtigkeit priorität
        attachments anlagen pièces jointes organization newsgroups message-id in-reply-to mailed-by resent-from
        kopio cc: tembusan
        sender-ip priorité prioridad importancia anhänge vedhæftede filer bijlagen bilagor вложения 附件
        添付ファイル 첨부""",
}
_PHRASES = """
de la|от кого|보낸 사람|받는 사람|보낸 날짜|보낸 시간|enviado el|enviado em|enviada em|gönderme tarihi|
تاريخ الإرسال|تم الإرسال|ارسال شده|đã gửi|chủ đề|tiêu đề|đồng gửi|date d'envoi|data invio|sent on|sendet am|
fecha de envío|envoyé le|antwort an|antworten an|répondre à|responder a|rispondi a|pièces jointes|
vedhæftede filer|od koga|sendt dato
"""


def _labels() -> dict[str, str]:
    """Label → what it labels. Earlier groups win: "de" and "no" are senders before they are anything else."""
    out: dict[str, str] = {}
    for group, words in _LABELS.items():
        text = " ".join(words.split())
        for phrase in _PHRASES.replace("\n", "").split("|"):
            if phrase in text:
                out.setdefault(phrase.casefold(), group)
        for word in text.split():
            out.setdefault(word.strip(":").casefold(), group)
    return out


LABELS = _labels()

_ORIGINAL = """original message|original e-?mail|original mail|original appointment|ursprüngliche nachricht|
originalnachricht|
original-nachricht|message d.origine|message original|message initial|mensaje original|mensaje de origen|
messaggio originale|mensagem original|
missatge original|oorspronkelijk(?:e)? bericht|origineel bericht|ursprungligt meddelande|originalmeddelande|
oprindelig (?:meddelelse|besked)|
opprinnelig melding|original melding|upprunaleg skilaboð|alkuperäinen viesti|wiadomość oryginalna|
oryginalna wiadomość|pierwotna wiadomość|
původní (?:zpráva|e-mail)|pôvodná správa|исходное сообщение|оригинальное сообщение|первоначальное сообщение|
оригінальне повідомлення|
оригинално съобщение|orijinal mesaj|özgün ileti|özgün mesaj|eredeti üzenet|αρχικό μήνυμα|הודעה מקורית|
الرسالة الأصلية|پیام اصلی|
原始邮件|原始郵件|原始信件|原邮件|邮件原件|元のメッセージ|オリジナルメッセージ|元のメール|원본 메시지|
원본 메일|원본메일|ข้อความต้นฉบับ|thư gốc|tin nhắn gốc|
pesan asli|mesaj asal|mesajul (?:original|inițial)|mesaj original|izvorna poruka|originalna poruka|
izvirno sporočilo|algne (?:kiri|sõnum)|
pirminis laiškas|oriģinālais ziņojums|sākotnējais ziņojums|reply message|reply separator|original"""
_FORWARDED = """forwarded (?:message|mail|by)|begin forwarded message|weitergeleitete (?:nachricht|e-?mail|
mail)|anfang der weitergeleiteten (?:nachricht|e-?mail)|
message (?:transféré|réexpédié|suivi)|début du message (?:réexpédié|transféré)|mensaje reenviado|
inicio del mensaje reenviado|
messaggio inoltrato|inizio messaggio inoltrato|mensagem (?:encaminhada|reencaminhada)|
início da mensagem (?:encaminhada|reencaminhada)|
doorgestuurd bericht|begin doorgestuurd bericht|vidarebefordrat (?:meddelande|mejl|brev)|vidarebefordrat mejl|
videresendt (?:meddelelse|melding|e-?mail|besked)|
start på videresendt|välitetty viesti|przekazana wiadomość|początek przekazanej|wiadomość przekazana|
přeposlaná zpráva|preposlaná správa|
пересылаемое (?:сообщение|письмо)|пересланное (?:сообщение|письмо)|начало переадресованного|
переслане повідомлення|
iletilen (?:mesaj|ileti)|yönlendirilen|továbbított (?:üzenet|levél)|προωθημένο μήνυμα|הודעה שהועברה|
رسالة معاد توجيهها|
转发(?:的)?(?:邮件|信息|消息)|轉寄(?:的)?(?:郵件|信件|訊息)|转发邮件信息|転送(?:された)?(?:メッセージ|
メール)|전달된 (?:메시지|메일)|전달 메시지|
ข้อความที่ส่งต่อ|thư được chuyển tiếp|pesan terusan|mesaj redirecționat|proslijeđena poruka|prosleđena poruka"""


def _alternatives(text: str) -> str:
    return "|".join(part.strip() for part in text.replace("\n", "").split("|"))


ORIGINAL = re.compile(rf"(?:{_alternatives(_ORIGINAL)})", re.IGNORECASE)
FORWARDED = re.compile(rf"(?:{_alternatives(_FORWARDED)})", re.IGNORECASE)
