"""Lines that nobody wrote: signatures of phones, disclaimers, banners of mail gateways, footers of lists."""

from __future__ import annotations

import re
from collections.abc import Sequence

SIGNATURE_MARK = re.compile(r"\s{0,3}(?:--|—|––|–|-- ?|__|﹣﹣)\s{0,5}")
RULE = re.compile(r"\s{0,40}[-_=*~#+─━‐‑‒—–][-_=*~#+─━‐‑‒—–\s]{2,200}|\s{0,40}[.·•…]{10,200}\s{0,40}|\s{0,3}ᐧ\s{0,3}")
"""Lines that a client or a table draws."""
_PHONE = re.compile(
    r"(?:sent|send) (?:from|via|using|with|by) (?!me\b|you\b|us\b|him\b|her\b).{2,80}|(?:get|download|"
    r"try) (?:outlook|yahoo mail|mail\.ru|the new .{1,20}|bluemail|aqua mail).{0,80}|"
    r"(?:von|vom) mein\w{0,3} .{2,60}(?:gesendet|verschickt)|(?:gesendet|verschickt|geschickt) (?:von|mit|vom|"
    r"aus|über) .{2,80}|"
    r"diese (?:nachricht|e-?mail) wurde (?:von|mit) .{2,80}(?:gesendet|verschickt)\.?|(?:holen|"
    r"laden) sie (?:sich )?outlook .{0,60}|"
    r"envoyé(?:e)? (?:de|depuis|à partir|avec|via|par|du) .{2,80}|(?:obtenez|télécharger?) outlook .{0,60}|"
    r"enviado (?:desde|con|do|da|a partir|pelo|por|via|através|de mi|de meu) .{2,80}|(?:obtener|obtenga|obter|"
    r"baixe) (?:o )?outlook .{0,60}|"
    r"enviat (?:des|amb) .{2,60}|inviato (?:da|dal|con|tramite) .{2,80}|(?:ottieni|scarica) outlook .{0,60}|"
    r"(?:verzonden|verstuurd) (?:vanaf|met|via|van|vanuit) .{2,80}|outlook voor .{2,30} downloaden|"
    r"skickat? (?:från|med|via) .{2,80}|skickades från .{2,60}|(?:hämta|skaffa) outlook .{0,60}|"
    r"sent frå .{2,60}|"
    r"sendt (?:fra|med|via) .{2,80}|(?:hent|få) outlook .{0,60}|lähetetty .{2,80}|hanki outlook .{0,60}|"
    r"wysła(?:ne|no) (?:z|za|ze) .{2,80}|pobierz (?:aplikację )?outlook .{0,60}|odesláno (?:z|ze|"
    r"pomocí) .{2,60}|odoslané z .{2,60}|"
    r"отправлено (?:с|из|со|через) .{2,80}|надіслано (?:з|із|за) .{2,60}|изпратено от .{2,60}|poslano (?:s|iz|"
    r"z) .{2,60}|poslato sa .{2,60}|"
    r".{2,40}(?:['’]?(?:den|dan|umdan|ımdan|imden)) gönderildi|.{2,50}(?:ról|ről|ból|ből|mal|mel|val) küldve|"
    r"στάλθηκε από .{2,60}|εστάλη από .{2,60}|נשלח מ.{2,60}|(?:مرسل|أرسلت|تم الإرسال|أُرسلت) من .{2,60}|"
    r"(?:发自|发送自|發自|来自|來自|从|從|傳送自|通过|寄自)\s?(?:我的|my)?.{1,30}(?:发送|傳送)?|"
    r".{1,30}から送信(?:されました)?。?|.{1,20}より送信|(?:나의 |"
    r"내 )?.{1,30}에서 보[냄낸].{0,10}|"
    r"ส่งจาก.{2,40}|(?:đã |được )?gửi từ .{2,40}|dikirim (?:dari|dengan) .{2,60}|trimis (?:de pe|din|"
    r"cu) .{2,60}|saadetud .{2,40}|nosūtīts no .{2,40}|išsiųsta iš .{2,40}",
    re.IGNORECASE,
)
_PHONE_WORDS = re.compile(
    r"i-?phone?|i-?pad|i-?os|ipod|android|smartphone|handy|mobil|móvil|movil|téléphone|telefon|telefoon|phone|"
    r"puhelim|tablet|"
    r"samsung|galaxy|huawei|xiaomi|redmi|oneplus|nokia|blackberry|motorola|oppo|vivo|honor|outlook|yahoo|gmail|"
    r"gmx|web\.de|t-online|mail|"
    r"thunderbird|k-?9|spark|airmail|proton|tutanota|tuta\b|mozilla|windows|mac\b|apple|aol|bluemail|aqua|nine|"
    r"edison|posta|почт|"
    r"телефон|айфон|手机|手機|電話|휴대|스마트폰|邮箱|郵箱|アイフォン|携帯|スマ|app\b|zoho|fastmail|hey\b|"
    r"nylas|超级|qq|foxmail|网易",
    re.IGNORECASE,
)
_NOTICE = (
    r"confidentiality notice|legal(?:ly)? privileged|intended recipient|intended (?:solely|only) for|addressee|"
    r"(?:may|are|is) (?:be )?(?:strictly )?confidential|"
    r"contain[s]? (?:\w+ ){0,3}confidential|strictly prohibited|unauthori[sz]ed|notify the sender|(?:advise|"
    r"inform|contact) the sender|"
    r"(?:received|sent) (?:\w+ ){0,6}(?:in error|by mistake)|liabilit(?:y|ies)|permanently delete|privileged|"
    r"dissemination|virus",
    r"vertrauliche? |vertraulichkeit|bestimmungsgemäße|irrtümlich|unbefugt|nicht der (?:richtige|beabsichtigte|"
    r"vorgesehene)|vernichten sie|löschen sie|"
    r"informieren sie (?:bitte )?(?:sofort )?den absender|nicht gestattet|ausschließlich für den|"
    r"rechtlich geschützt",
    r"confidentiel|destinataire|par erreur|strictement interdit|avertir l.expéditeur|détruire|usage exclusif|"
    r"diffusion",
    r"confidencial|destinat[aá]ri[oa]|por error|por engano|"
    r"(?:estrictamente|terminantemente|queda|estritamente) (?:prohibid|proibid)[oa]|"
    r"notif[ií]que|elim[ií]nelo|eliminarlo|elimine|"
    r"uso exclusivo|privilegiad[oa]|remitente|remetente",
    r"riservat[oei]|destinatari|per errore|vietat[oa]|mittente|distrugger|d\.lgs|gdpr|privacy",
    r"vertrouwelijk|geadresseerde|per abuis|onbevoegd|niet toegestaan|verwijder|afzender|bestemd voor",
    r"konfidentiell|mottagare|avsändaren|obehörig|fortrolig|modtager|mottaker|afsender|avsender|ved en feil|"
    r"ved en fejl|luottamuksell|vastaanottaja|lähettäj",
    r"poufn|adresat|nadawc|zabronion|usun|důvěrn|příjemc|odesílatel|adresát|konfidencjonaln|tajn|bizalmas|"
    r"címzett|feladó|töröl|confidențial|destinatarul",
    r"конфиденциальн|получател|адресат|по ошибке|отправител|удалит|запрещ|конфіденційн|отримувач|помилк",
    r"gizli|alıcı|yanlışlıkla|gönderen|yasak|silin|εμπιστευτικ|παραλήπτ|αποστολέ|סודי|נמען|בטעות|سري|"
    r"المرسل إليه|بالخطأ",
    r"机密|保密|收件人|误收|删除|未经授权|機密|收件者|誤收|刪除|未經授權|機密情報|宛先|誤って|破棄|秘密|"
    r"기밀|수신인|잘못|삭제|발신자",
)
_NOTICES = tuple(re.compile(words, re.IGNORECASE) for words in _NOTICE)
_BANNER = re.compile(
    r"\W{0,6}(?:caution|warning|external|attention|achtung|vorsicht|notice|externe?r?)\W{0,6}.{0,40}(?:e-?mail|"
    r"mail|message|sender|nachricht|absender).{0,40}"
    r"(?:extern|outside|originated|organi[sz]ation|außerhalb).{0,200}|"
    r"\W{0,4}(?:external(?: e-?mail| sender)?|extern(?:e e-?mail)?|externe mail)\W{0,4}|"
    r".{0,60}(?:don.t often get e?-?mail from|learn why this is important|erhalten nicht (?:oft|"
    r"häufig) e-?mails von|n.obtenez pas souvent d.e-mail).{0,160}|"
    r"(?:this|diese|ce|este|questa|deze).{0,30}(?:e-?mail|mail|message|nachricht|correo|"
    r"mensaje).{0,40}(?:checked|scanned|geprüft|überprüft|vérifié|analizado|controllat|gescan).{0,40}(?:virus|"
    r"avast|avg|malware).{0,80}|"
    r"virus-?(?:free|frei)\W{1,3}.{0,60}|libre de virus.{0,60}|garanti sans virus.{0,60}|.{0,10}www\.(?:avast|"
    r"avg)\.com.{0,20}|"
    r".{0,10}(?:please )?(?:consider|think of|think about) the environment before printing.{0,80}|"
    r"(?:bitte )?(?:denken|prüfen) sie (?:bitte )?(?:an die umwelt|.{0,20}ausgedruckt).{0,80}|"
    r".{0,20}(?:pensez à|pensez avant).{0,30}(?:environnement|imprimer).{0,60}|"
    r"(?:to )?(?:unsubscribe|abmelden)(?: from this (?:list|group)| at|:| send| here|, ).{0,160}|"
    r"to unsubscribe (?:from|send|and|,).{0,160}|.{0,80}mailing list(?: --)? (?:-- )?\S{1,60}@\S{1,60}|"
    r"https?://\S{1,80}/(?:listinfo|postorius|mailman3?)/\S{0,80}|"
    r"you received this message because you are subscribed.{0,160}|"
    r"you are receiving this (?:message|e-?mail) because.{0,160}|\[?(?:cid|image):?[^\s\]]{1,80}\]?|"
    r"to view this discussion (?:on the web )?visit.{0,160}",
    re.IGNORECASE,
)
_FOOTER_MARK = re.compile(r"\s{0,3}_{20,}\s{0,3}|-~-{5,}.{0,60}|--~--~-{5,}.{0,60}|\s{0,3}-=-=.{5,80}")
_FOOTER_WORDS = re.compile(
    r"mailing list|mailinglist|unsubscribe|listinfo|subscribed|groups\.io|list archive|abmelden|désabonn|"
    r"postorius",
    re.IGNORECASE,
)


def phone_line(line: str) -> bool:
    """A line that a mail program signs with: "Sent from my iPhone"."""
    text = line.strip(" \t\u00a0*_.[]()<>|")
    if not 4 < len(text) <= 160:
        return False
    found = _PHONE.match(text)
    return bool(found) and bool(_PHONE_WORDS.search(text))


def banner(line: str) -> bool:
    """A line that a gateway, a virus scanner or a list put in."""
    text = line.strip()
    return 2 < len(text) <= 600 and bool(_BANNER.fullmatch(text))


def disclaimer(paragraph: str) -> bool:
    """A paragraph of legal boilerplate: two of its phrases in English or German, or three of its words in another
    language (players too eliminate by mistake), in more than a short sentence."""
    text = paragraph[:4000]
    wide = sum(1 for char in text[:400] if char > "\u2e7f")
    if len(text) < (30 if wide > 20 else 90):
        return False
    return any(
        len({found[0].lower() for found in words.finditer(text)}) >= (2 if number < 2 else 3)
        for number, words in enumerate(_NOTICES)
    )


def list_footer(lines: Sequence[str], start: int) -> bool:
    """Whether the rest of the mail from `start` on is a footer that a list program hung on."""
    if not _FOOTER_MARK.fullmatch(lines[start][:200]):
        return False
    rest = [line for line in lines[start + 1 : start + 12] if line.strip()]
    return bool(rest) and any(_FOOTER_WORDS.search(line[:300]) for line in rest)
