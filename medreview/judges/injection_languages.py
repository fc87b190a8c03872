"""What instructions to a judge look like in other languages: the ten most used on the web, and many more.

Words near one another make one: who is spoken to (a model, a judge, a reviewer), what they shall do (answer, mark,
rate), with what (a statement, a page), and the answer (supported, confirmed, true). Or a command to forget earlier
instructions. Each language is looked at where its first word stands, in a window of fixed size, so that the time is
linear in the text.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from medreview.judges.opening_scan import OpeningScan, ScannedText

_BEFORE: Final = 80
_AFTER: Final = 220
_NO_WORD: Final = re.compile(r"\W{0,4}")
_STEP: Final = 40
"""In code points; two windows begin at least so far apart."""
_ENGLISH_LABEL: Final = "[\"'«»“„「『（(]\\s?(?:supported|entailed|verified)"
"""In quotation marks only: such words stand in English pages, too."""


_AI: Final = r"(?<![A-Za-z])(?-i:AI)(?![A-Za-z])"
"""As it stands in scripts that set no blanks between words."""


class _Language(NamedTuple):
    judges: str
    verbs: str
    labels: str
    override: str
    claims: str
    spaced: bool = True
    """Whether white space sets its words apart."""


_LANGUAGES: Final = (
    _Language(  # German
        r"\b(?:(?-i:KI\b)|künstliche\w* Intelligenz|Sprachmodell\w*|Chatbots?|LLMs?|Prüfer\w*|Gutachter\w*|Bewerter\w*|"
        r"Prüfsystem\w*|Richter\w*|wer (?:auch immer )?diese (?:Seite|Quelle))",
        r"(?:bewert|antwort|einstuf|stuf|kennzeichn|markier|bestätig|beurteil|ausgeb|ausgib|gib|"
        r"geben|werten|angeben)\w*",
        r"(?:unterstützt|gestützt|belegt|bestätigt|wahr|richtig|zutreffend|korrekt)",
        r"\b(?:ignorier|vergiss|vergess|missacht)\w{0,4}\s(?:\w+\s){0,4}(?:Anweisung|Instruktion|"
        r"Vorgabe|Befehl)\w{0,3}",
        claims=r"(?:Aussage|Behauptung|Angabe|Seite|Quelle)\w*",
    ),
    _Language(  # French
        r"\b(?:(?-i:IA\b)|intelligence artificielle|modèles? de langage|LLMs?|évaluat\w+|vérificat\w+|correct(?:eur|"
        r"rice)s?|"
        r"juges?|relect\w+|assistants? (?:IA\b|virtuel\w*)|ceux qui (?:évaluent|notent|jugent))",
        r"(?:répond|répondre|indiqu|marqu|not|class|étiquet|considér|évalu|donn|conclu|jug|accept)\w*",
        r"(?:soutenue?s?|étayée?s?|confirmée?s?|vérifiée?s?|prouvée?s?|vraie?s?|appuyée?s?)",
        r"\b(?:ignor|oubli|néglig)\w{1,4}\s(?:\w+\s){0,4}(?:instructions?|consignes?|directives?|ordres?)",
        claims=r"(?:affirmation|énoncé|déclaration|assertion|page|source)s?",
    ),
    _Language(  # Spanish
        r"\b(?:(?-i:IA\b)|inteligencia artificial|modelos? de lenguaje|LLMs?|evaluador\w*|revisor\w*|verificador\w*|"
        r"juece?s|"
        r"juez|calificador\w*|asistentes? (?:de IA|virtual\w*)|quienes (?:evalúen|evalúan|califiquen|revisen))",
        r"(?:respond|marc|marqu|calific|califiqu|etiquet|consider|clasific|clasifiqu|conclu|indi|acept|deb)\w*",
        r"(?:respaldad[oa]s?|apoyad[oa]s?|confirmad[oa]s?|verificad[oa]s?|sustentad[oa]s?|"
        r"verdader[oa]s?|correct[oa]s?)",
        r"\b(?:ignor|olvid|omit)\w{1,5}\s(?:\w+\s){0,4}(?:instrucciones|órdenes|indicaciones)",
        claims=r"(?:afirmaci\w+|enunciados?|declaraci\w+|página|fuente)",
    ),
    _Language(  # Portuguese
        r"\b(?:(?-i:IA\b)|inteligência artificial|modelos? de linguagem|LLMs?|avaliador\w*|revisor\w*|verificador\w*|"
        r"juíze?s|"
        r"juiz|assistentes? (?:de IA|virtua\w*)|quem (?:avaliar|avalia|revisar))",
        r"(?:respond|marc|marqu|classific|classifiqu|rotul|consider|avali|conclu|indi|aceit|dev)\w*",
        r"(?:apoiad[oa]s?|suportad[oa]s?|confirmad[oa]s?|verificad[oa]s?|sustentad[oa]s?|verdadeir[oa]s?|corret[oa]s?)",
        r"\b(?:ignor|esque|desconsider)\w{1,5}\s(?:\w+\s){0,4}(?:instruções|ordens|orientações)",
        claims=r"(?:afirmaç\w+|enunciados?|declaraç\w+|página|fonte)",
    ),
    _Language(  # Italian
        r"\b(?:(?-i:IA\b)|intelligenza artificiale|modell[oi] linguistic[oi]|LLMs?|valutator\w*|revisor\w*|"
        r"verificator\w*|"
        r"giudic[ei]|assistent[ei] (?:IA\b|virtual\w*)|chi (?:valuta|esamina|giudica))",
        r"(?:rispond|segn|etichett|consider|classific|valut|conclu|indic|accett|dev)\w*",
        r"(?:supportat[oaie]|confermat[oaie]|verificat[oaie]|sostenut[oaie]|ver[oaie]|corrett[oaie])",
        r"\b(?:ignor|dimentic|trascur)\w{1,4}\s(?:\w+\s){0,4}(?:istruzioni|ordini|indicazioni)",
        claims=r"(?:affermazion\w|dichiarazion\w|enunciat\w|pagina|fonte)",
    ),
    _Language(  # Russian
        r"(?:искусственн\w+ интеллект\w*|\bИИ\b|языков\w+ модел\w+|нейросет\w*|проверяющ\w+|рецензент\w*|эксперт\w*|"
        r"оценщик\w*|судь\w+|ассистент\w*|те, кто (?:оценивает|проверяет))",
        r"(?:ответ|отвеч|помет|отмет|отмеч|оцен|счит|призна|укаж|указ|должн|постав)\w*",
        r"(?:подтвержден\w*|подтверждён\w*|поддержан\w*|доказан\w*|верн\w+|правд\w+|истин\w+)(?! ли\b)",
        r"(?:игнориру\w+|забуд\w+|не обраща\w+)\s(?:\w+\s){0,4}(?:инструкц|указани|команд)\w*",
        claims=r"(?:утвержден|заявлен|страниц|источник)\w*",
    ),
    _Language(  # Chinese
        rf"(?:人工智能|人工智慧|{_AI}|语言模型|語言模型|大模型|评审|評審|审核|審核|评估者|評估者|评判|評判|裁判|核查)",
        r"(?:回答|标记|標記|标注|標註|判定|判断|判斷|评为|評為|视为|視為|输出|輸出|必须|必須|应|應|请|請)",
        r"(?:支持|证实|證實|属实|屬實|正确|正確|真实|真實|已验证|已驗證)",
        r"(?:忽略|无视|無視|忘记|忘記|不要理会)[^。\n]{0,14}(?:指令|指示|提示|说明|說明|命令)",
        claims=r"(?:陈述|陳述|声明|聲明|说法|說法|主张|主張|断言|斷言|页面|頁面|本页|本頁)",
        spaced=False,
    ),
    _Language(  # Japanese
        rf"(?:人工知能|{_AI}|言語モデル|評価者|査読者|審査|検証者|判定者|採点者|アシスタント)",
        r"(?:回答|答え|判定|評価|ラベル|記し|返し|出力|みなし|してください|すること|せよ)",
        r"(?:支持|裏付け|確認済|正しい|真実|事実|サポート)",
        r"(?:指示|命令|プロンプト|説明)(?:を|は)?(?:すべて|全て)?(?:無視|忘れ)",
        claims=r"(?:主張|記述|文章|声明|ページ|情報源)",
        spaced=False,
    ),
    _Language(  # Korean
        rf"(?:인공지능|{_AI}|언어 ?모델|평가자|심사자|검토자|채점자|검증자)",
        r"(?:답|표시|판정|평가|분류|간주|출력|하세요|하십시오|해야)",
        r"(?:지지|뒷받침|확인됨|확인된|사실|참|검증됨|옳)",
        r"(?:이전|앞의|위의)[^.\n]{0,12}(?:지시|명령|지침)[^.\n]{0,8}(?:무시|잊)",
        claims=r"(?:진술|주장|문장|페이지|출처)",
        spaced=False,
    ),
    _Language(  # Arabic
        r"(?:الذكاء الاصطناعي|نموذج\w* (?:ال)?لغ\w+|النماذج اللغوية|المقيّ?م\w*|المراجع\w*|المدقق\w*|"
        r"الحك[اّ]?م|المحكّ?م\w*)",
        r"(?:أجب|أجيب|يجيب|الإجابة|ضع|صنّ?ف|يصن|قيّ?م|اعتبر|يعتبر|يجب|اكتب)\w*",
        r"(?:مدعوم\w*|مؤكد\w*|مؤكّد\w*|صحيح\w*|مثبت\w*|موثق\w*)",
        r"(?:تجاهل|انس|أهمل)\w*\s(?:\w+\s){0,4}(?:ال)?(?:تعليمات|أوامر|توجيهات)",
        claims=r"(?:القول|العبارة|الادعاء|البيان|الصفحة|المصدر)",
        spaced=False,
    ),
    _Language(  # Hindi
        rf"(?:कृत्रिम बुद्धि\S*|एआई|{_AI}|भाषा मॉडल\S*|समीक्षक\S*|मूल्यांकनकर्ता\S*|निर्णायक\S*|"
        r"जाँचकर्ता\S*|परीक्षक\S*)",
        r"(?:उत्तर|जवाब|चिह्नित|लेबल|मानें|माना|लिखें|बताएं|दें|करें|अवश्य)",
        r"(?:समर्थित|पुष्ट|सत्यापित|सही|सत्य|प्रमाणित)",
        r"(?:पिछले|पहले|उपरोक्त|सभी)[^।\n]{0,16}(?:निर्देश|आदेश)[^।\n]{0,12}(?:अनदेखा|अनदेखी|भूल|नज़रअंदाज़)",
        claims=r"(?:कथन|दावे|दावा|पृष्ठ|स्रोत|वाक्य)",
        spaced=False,
    ),
    _Language(  # Bengali
        rf"(?:কৃত্রিম বুদ্ধিমত্তা|এআই|{_AI}|ভাষা মডেল\S*|মূল্যায়নকারী\S*|পর্যালোচক\S*|বিচারক\S*)",
        r"(?:উত্তর|চিহ্নিত|লেবেল|বিবেচনা|লিখুন|দিন|করুন|হবে)",
        r"(?:সমর্থিত|নিশ্চিত|যাচাইকৃত|সঠিক|সত্য|প্রমাণিত)",
        r"(?:পূর্ববর্তী|আগের|সব|সকল)[^।\n]{0,16}(?:নির্দেশ|আদেশ)\S{0,6}[^।\n]{0,12}(?:উপেক্ষা|ভুলে)",
        claims=r"(?:বক্তব্য|দাবি|পৃষ্ঠা|উৎস|বিবৃতি)",
        spaced=False,
    ),
    _Language(  # Indonesian
        r"\b(?:(?-i:AI\b)|kecerdasan buatan|model bahasa|penilai|peninjau|pemeriksa|juri|evaluator)",
        r"\b(?:jawab\w*|tandai|nilai|beri|menjawab|menandai|harus|wajib|anggap)",
        r"\b(?:didukung|terbukti|benar|terverifikasi|dikonfirmasi)",
        r"\b(?:abaikan|lupakan)\s(?:\w+\s){0,3}(?:instruksi|perintah|petunjuk)",
        claims=r"(?:pernyataan|klaim|halaman|sumber)",
    ),
    _Language(  # Turkish
        r"\b(?:yapay zek[aâ]\w*|dil model\w*|değerlendirici\w*|hakem\w*|denetçi\w*|inceleyen\w*|(?-i:YZ\b))",
        r"(?:cevap|yanıt|işaretle|değerlendir|etiketle|kabul|vermeli|malı|meli|say)\w*",
        r"(?:destekleniyor|desteklen\w*|doğrulan\w*|doğru|kanıtlan\w*|onaylan\w*)",
        r"(?:önceki|yukarıdaki|tüm)\s(?:\w+\s){0,3}(?:talimat|yönerge|komut)\w*\s(?:\w+\s){0,2}"
        r"(?:yok say|unut|görmezden)\w*",
        claims=r"(?:ifade|iddia|beyan|sayfa|kaynak)\w*",
    ),
    _Language(  # Dutch
        r"\b(?:(?-i:AI\b)|kunstmatige intelligentie|taalmodel\w*|beoordelaar\w*|controleur\w*|rechters?)",
        r"\b(?:antwoord|beoordel|markeer|geef|beschouw|moet)\w*",
        r"\b(?:ondersteund|bevestigd|bewezen|juist|waar|geverifieerd)",
        r"\b(?:negeer|vergeet)\s(?:\w+\s){0,4}(?:instructies|opdrachten|aanwijzingen)",
        claims=r"(?:bewering|uitspraak|stelling|pagina|bron)\w*",
    ),
    _Language(  # Polish
        r"\b(?:(?-i:AI|SI)\b|sztuczn\w+ inteligencj\w+|model\w* językow\w+|oceniając\w+|recenzen\w+|"
        r"weryfikator\w*|sędzi\w+)",
        r"(?:odpowied|oznacz|oceń|oceni|uzna|wpisz|powinn|musi|muszą)\w*",
        r"(?:popart\w+|potwierdzon\w+|zweryfikowan\w+|prawdziw\w+|poprawn\w+|udowodnion\w+)",
        r"(?:zignoruj|ignoruj|zapomnij)\w*\s(?:\w+\s){0,4}(?:instrukcj|polece)\w*",
        claims=r"(?:stwierdzeni|twierdzeni|stron|źródł)\w*",
    ),
    _Language(  # Swedish, Danish, Norwegian
        r"\b(?:(?-i:AI|KI)\b|språkmodell\w*|sprogmodel\w*|granskare\w*|bedömare\w*|bedømmer\w*|vurderer\w*|"
        r"(?:den|de|dem|alla|alle) (?:som|der) (?:bedömer|granskar|bedømmer|vurderer|kontrollerar|kontrollerer))",
        r"(?:svar|märk|mærk|merk|ange|angiv|anse|betrakt|bedöm|bedøm|vurder|ska|skal|måste|må|bör)\w*",
        r"(?:stöds|stödd?s?|støttes|støttet|bekräfta\w*|bekræfte\w*|bekrefte\w*|verifiera\w*|sann?t?|sandt?|korrekt\w?)",
        r"\b(?:ignorer\w*|glöm|glem|bortse från)\s(?:\w+\s){0,4}(?:instruktion|anvisning)\w*",
        claims=r"(?:påstående|påstand|uttalande|udsagn|utsagn|sida|side|källa|kilde)\w*",
    ),
    _Language(  # Greek
        r"\b(?:τεχνητή\w? νοημοσύνη\w?|γλωσσικ\w+ μοντέλ\w+|αξιολογητ\w+|κριτ(?:ές|ής|ών)|ελεγκτ\w+|βαθμολογητ\w+)",
        r"(?:πρέπει|απαντ\w+|σημει\w+|βαθμολογ\w+|θεωρ\w+|χαρακτηρ\w+|επισημ\w+|δηλώ\w+)",
        r"(?:υποστηρ\w+|επιβεβαι\w+|τεκμηρι\w+|αληθ\w+|σωστ\w+|επαληθ\w+)",
        r"(?:αγνο\w+|ξέχασ\w+|ξεχάσ\w+)\s(?:\w+\s){0,4}(?:οδηγίες|εντολές)",
        claims=r"(?:ισχυρισμ|δήλωσ|πρότασ|σελίδ|πηγή)\w*",
    ),
    _Language(  # Vietnamese
        r"\b(?:(?-i:AI)\b|trí tuệ nhân tạo|mô hình ngôn ngữ|(?:người|hệ thống) (?:đánh giá|kiểm tra|chấm|thẩm định)|"
        r"giám khảo)",
        r"(?:phải|hãy|trả lời|đánh dấu|xếp|coi|kết luận)",
        r"(?:được hỗ trợ|được xác nhận|được chứng minh|đúng|chính xác|đã xác minh)",
        r"(?:bỏ qua|quên)\s(?:\w+\s){0,4}(?:hướng dẫn|chỉ dẫn|lệnh)",
        claims=r"(?:tuyên bố|khẳng định|phát biểu|trang|nguồn|câu)",
    ),
    _Language(  # Ukrainian
        r"(?:штучн\w+ інтелект\w*|\bШІ\b|мовн\w+ модел\w+|нейромереж\w*|рецензент\w*|оцінювач\w*|перевіряюч\w+|"
        r"судд\w+)",
        r"(?:відпов|позначи|позначт|оцін|вважа|визна|вкаж|вказ|повинн|мають|постав)\w*",
        r"(?:підтвердж\w+|підтриман\w*|доведен\w*|вірн\w+|правд\w+|істин\w+)(?! чи\b)",
        r"(?:ігнору\w+|забуд\w+)\s(?:\w+\s){0,4}(?:інструкц|вказівк|команд)\w*",
        claims=r"(?:твердженн|заяв|сторінк|джерел)\w*",
    ),
    _Language(  # Persian
        r"(?:هوش مصنوعی|مدل(?:‌| )?(?:های|هاى)? ?زبانی|ارزیاب\w*|داور\w*|بازبین\w*|بررسی‌?کننده\w*)",
        r"(?:باید|پاسخ|علامت|برچسب|بدانند|بگویند|بدهید|بزنند|بزنید|تلقی|اعلام)",
        r"(?:تأیید|تایید|پشتیبانی|درست|صحیح|اثبات)",
        r"(?:نادیده|فراموش)[^.\n]{0,20}(?:دستور|راهنما)|(?:دستور|راهنما)\w*[^.\n]{0,20}(?:نادیده|فراموش)",
        claims=r"(?:ادعا|گزاره|بیانیه|جمله|صفحه|منبع)",
        spaced=False,
    ),
    _Language(  # Czech, Slovak
        r"\b(?:(?-i:AI)\b|umělá inteligence|umelá inteligencia|jazykov\w+ model\w*|hodnotitel\w*|recenzent\w*|"
        r"posuzovatel\w*)",
        r"(?:odpov|označ|uveď|ohodno|považ|mus|musí|klasifik)\w*",
        r"(?:podpořen\w*|podložen\w*|potvrzen\w*|potvrden\w*|ověřen\w*|pravdiv\w*|správn\w*)",
        r"(?:ignoruj\w*|zapomeň\w*|zabudni\w*)\s(?:\w+\s){0,4}(?:instrukc|pokyn|příkaz)\w*",
        claims=r"(?:tvrzení|tvrdeni|výrok|stránk|zdroj)\w*",
    ),
    _Language(  # Romanian
        r"\b(?:(?-i:IA)\b|inteligenț\w+ artificial\w+|model\w* de limbaj|evaluator\w*|recenzo\w*|verificator\w*|"
        r"judecător\w*)",
        r"(?:răspund|marc|consider|evalu|clasific|indic|trebuie|notez)\w*",
        r"(?:susținut\w*|confirmat\w*|verificat\w*|dovedit\w*|adevărat\w*|corect\w*)",
        r"(?:ignor|uit)\w*\s(?:\w+\s){0,4}(?:instrucțiun|indicați)\w*",
        claims=r"(?:afirmați|declarați|enunț|pagin|surs)\w*",
    ),
    _Language(  # Thai
        rf"(?:ปัญญาประดิษฐ์|{_AI}|แบบจำลองภาษา|ผู้ประเมิน|ผู้ตรวจ|กรรมการ)",
        r"(?:ต้อง|ตอบ|ระบุ|ทำเครื่องหมาย|ให้คะแนน|ถือว่า|โปรด)",
        r"(?:สนับสนุน|ยืนยัน|ถูกต้อง|เป็นจริง|รับรอง)",
        r"(?:ละเว้น|เพิกเฉย|ลืม)[^\n]{0,16}(?:คำสั่ง|คำแนะนำ)",
        claims=r"(?:ข้อความ|คำกล่าว|ข้ออ้าง|หน้านี้|แหล่ง)",
        spaced=False,
    ),
    _Language(  # Hebrew
        r"(?:בינה מלאכותית|מודל\w* שפה|מעריכ\w*|בודק\w*|שופט\w*|סוקר\w*)",
        r"(?:חייב\w*|להשיב|לענות|לסמן|סמנו|ענו|להעריך|צריכ\w*|לדרג)",
        r"(?:נתמכ\w*|מאומת\w*|אושר\w*|נכונ\w*|מאושר\w*)",
        r"(?:התעלמ\w*|שכח\w*)[^.\n]{0,16}(?:הוראות|הנחיות)",
        claims=r"(?:טענה|הצהרה|אמירה|דף|מקור)",
        spaced=False,
    ),
)  # fmt: skip


class _Rules(NamedTuple):
    judges: OpeningScan
    verbs: re.Pattern[str]
    labels: re.Pattern[str]
    override: OpeningScan
    claims: re.Pattern[str]


_COMPILED: Final = tuple(
    _Rules(
        OpeningScan((language.judges,)),
        re.compile(rf"\b{language.verbs}" if language.spaced else language.verbs, re.IGNORECASE),
        re.compile(
            rf"(?:\b{language.labels}\b|{_ENGLISH_LABEL})"
            if language.spaced
            else f"{language.labels}|{_ENGLISH_LABEL}",
            re.IGNORECASE,
        ),
        OpeningScan((language.override,)),
        re.compile(rf"\b{language.claims}" if language.spaced else language.claims, re.IGNORECASE),
    )
    for language in _LANGUAGES
)


def in_other_languages(scanned: ScannedText) -> Iterator[str]:
    """The parts of a text, with collapsed white space, that read like instructions in one of these languages."""
    text = scanned.text
    for rules in _COMPILED:
        for match in rules.override.finditer(scanned):
            yield match[0]
        last = -1
        for match in rules.judges.finditer(scanned):
            if match.start() < last:
                continue
            start = max(text.rfind("\n", 0, match.start()) + 1, match.start() - _BEFORE)
            stop = text.find("\n", match.end(), match.end() + _AFTER)
            last = min(match.end() + _STEP, stop if stop >= 0 else len(text))
            window = text[start : stop if stop >= 0 else match.end() + _AFTER]
            rest = window[: match.start() - start] + " " + window[match.end() - start :]
            if any(_dictates(rules, rest, label) for label in rules.labels.finditer(rest)):
                last = match.end() + _AFTER
                yield window.strip()


def _dictates(rules: _Rules, text: str, label: re.Match[str]) -> bool:
    """Whether a label is to be given: by a verb right before it, or by one elsewhere in a text on what was claimed."""
    others = text[: label.start()] + " " * len(label[0]) + text[label.end() :]
    verbs = list(rules.verbs.finditer(others))
    right_before = any(
        _NO_WORD.fullmatch(text, verb.end(), label.start()) for verb in verbs if verb.end() <= label.start()
    )
    return right_before or (bool(verbs) and rules.claims.search(others) is not None)
