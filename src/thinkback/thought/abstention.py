"""How eleven languages say "this cannot be answered from what was given": patterns over one sentence.

A pattern names the thing that is missing (an answer, information, a mention in the given text) together with its
denial. A denial alone ("the drug does not work") is content, and no pattern matches it.
"""

from __future__ import annotations

import re

__all__ = ["CLOSERS", "PATTERNS", "SHORT"]

_GIVEN = (
    r"(?:(?:the|this|these|those|that|any|my|your|our|either|neither|none|above|following|given|provided|supplied|available|"
    r"retrieved|present|current|of|single|two|three|one|all)\s+){0,5}"
    r"(?:contexts?|passages?|documents?|texts?|excerpts?|information|sources?|items?|snippets?|chunks?|materials?|"
    r"paragraphs?|evidence|papers?|articles?|notes?|conversations?|dialogues?|transcripts?|data|content|records?|"
    r"memor(?:y|ies)|thoughts?|sections?|abstracts?|pages?|reports?|files?|references?|results?|manuals?|messages?|minutes|"
    r"e-?mails?|guides?|logs?)"
    r"(?:\s+(?:you|that|which|i|we)?\s*(?:was|were|is|are|have|has|had|been|gave|shown|given|provided|supplied|available|"
    r"retrieved|above|here|below|at hand|to me|in question))*"
)
_TELL = (
    r"(?:mention|say|state|specif(?:y|ied|ies)|contain|provide|include|give|indicate|disclose|discuss|describe|address|"
    r"answer|tell|reveal|explain|report|list|name|cover|clarify|identify|offer|touch on|refer to|talk about|allow|"
    r"support an answer|make clear)s?"
)
_TOLD = (
    r"(?:mentioned|said|stated|specified|contained|provided|included|given|indicated|disclosed|discussed|described|"
    r"addressed|answered|revealed|explained|reported|listed|named|covered|clarified|identified|available|present|found|"
    r"known|clear)"
)
_NOT = r"(?:not|n['\u2019]t|never|nowhere)"
_ADVERB = r"(?:\s+(?:explicitly|directly|clearly|actually|specifically|really|currently|anywhere|yet|possible|be))*"

_ENGLISH = (
    # the given text does not say
    rf"\b{_GIVEN}\s+(?:do|does|did)(?:\s+not|n['\u2019]t){_ADVERB}\s+(?:seem to\s+|appear to\s+)?{_TELL}\b",
    rf"\b{_GIVEN}\s+(?:says?|said|gives?|contains?|provides?|offers?|includes?|has|have|had|makes?)\s+"
    r"(?:nothing|no (?:information|mention|answer|details?|evidence|indication|data|reference|clue|hint|relevant))\b",
    rf"\b(?:none|neither|nothing|no (?:part|passage|sentence|item|source|document))\s+(?:of|in)\s+{_GIVEN}\s+{_TELL}\b",
    rf"\bno\s+(?:item|source|document|passage|excerpt|text|snippet)s?\s+{_TELL}\b",
    rf"\b{_GIVEN}\s+(?:is|are|was|were)(?:\s+not|n['\u2019]t)\s+(?:enough|sufficient|adequate)\b",
    rf"\b{_GIVEN}\s+(?:is|are|was|were|seems?|appears?)\s+(?:silent|insufficient|inadequate|unrelated|irrelevant|too (?:limited|vague|short))\b",
    rf"\b{_GIVEN}\s+(?:fail|fails|failed|lack|lacks|lacked)\s+(?:to\s+{_TELL}\b|(?:any|the|enough|sufficient)\b)",
    # there is no information
    r"\bthere(?:\s+is|\s+are|['\u2019]s|\s+was|\s+were|\s+seems? to be)\s+(?:simply\s+)?"
    r"(?:no|not (?:enough|sufficient|any)|n['\u2019]t (?:enough|sufficient|any)|insufficient|nothing|too little)\s*"
    r"(?:\w+\s+){0,2}(?:information|mention|answer|evidence|details?|data|indication|reference|context|in)\b",
    r"^(?:sorry,?\s+|unfortunately,?\s+)?(?:no|not enough|insufficient|too little)\s+(?:\w+\s+){0,2}"
    r"(?:information|mention|answer|evidence|details?|data|indication|context|reference)\b",
    r"\bnothing\s+(?:is|was|has been)\s+(?:said|mentioned|stated|written|reported|known)\b",
    r"\bnothing\s+(?:here|above|in here|in it|in them|about \w+|relevant)\b.{0,40}\b(?:answers?|says?|tells?|helps?)\b",
    # I cannot
    r"\b(?:i|we|one|it|you)(?:\s+am|\s+are|['\u2019]m|['\u2019]re|\s+is|\s+was)?\s+(?:sorry,?\s+(?:but\s+)?(?:i\s+)?)?"
    r"(?:can\s?not|can['\u2019]t|could not|couldn['\u2019]t|am unable to|['\u2019]m unable to|unable to|are unable to|not able to|was unable to|"
    r"were unable to|am not able to|do not see|don['\u2019]t see|did not find|didn['\u2019]t find|do not find|don['\u2019]t find|not possible to|impossible to)"
    r"\s*(?:be\s+|possibly\s+|reliably\s+|really\s+|actually\s+|safely\s+)*"
    r"(?:answer|determin|find|tell|say|provide|locate|infer|conclud|confirm|establish|identify|deduce|give (?:you\s+)?an answer|an answer|any|"
    r"verify|know|help|derive|see|specify)\w*",
    r"\b(?:question|this|that|it|answer|which|what|who|when|where|why|how|reason|name|date|number|\w+)\b.{0,60}?"
    r"\b(?:can\s?not|can['\u2019]t|could not|couldn['\u2019]t)\s+be\s+(?:reliably\s+|safely\s+|directly\s+)?"
    r"(?:answered|determined|found|inferred|derived|established|concluded|deduced|identified|confirmed|verified|known|told)\b",
    r"\b(?:i|we)\s+(?:do not|don['\u2019]t|did not|didn['\u2019]t)\s+(?:really\s+|actually\s+)?(?:know|have (?:enough|any|the|that|sufficient|access))\b",
    r"\b(?:i|we)\s+have\s+(?:no (?:idea|information|way|data|answer|knowledge)|insufficient|not enough|too little)\b",
    r"\b(?:is|are|was|were|remains?|stays?)\s+(?:unanswerable|unknown|unclear|unspecified|undetermined|not determinable)\s*"
    rf"(?:$|[.!]|(?:from|based on|in|on the basis of|given|with)\s+{_GIVEN})",
    rf"\b(?:is|are|was|were|has|have)(?:\s+been)?(?:\s+not|n['\u2019]t|\s+never|\s+nowhere)(?:\s+been)?{_ADVERB}\s+{_TOLD}\s*"
    rf"(?:$|[.!,;]|(?:explicitly\s+)?(?:in|by|from|within|anywhere)\s+(?:any of\s+)?{_GIVEN}|here\b|anywhere\b|above\b)",
    rf"^(?:it|this|that|which|the (?:answer|information|name|date|reason|number|value|year|exact \w+))\s+(?:is|was)(?:\s+not|n['\u2019]t){_ADVERB}\s+{_TOLD}\b",
    r"^(?:not|nowhere)\s+(?:explicitly\s+|directly\s+)?(?:mentioned|stated|specified|given|provided|answerable|available|found|known|disclosed|reported|enough|sufficient)\b",
    r"\bthe (?:question|answer)\s+(?:is|cannot|can['\u2019]t|could not)\s+(?:be\s+)?(?:not\s+)?(?:unanswerable|answerable|answered|found|determined|known|unknown|unclear|in\b)",
    rf"\b(?:without|need|needs|would need|require|requires)\s+(?:more|further|additional)\s+(?:information|context|details?|data)\b.{{0,60}}",
    r"\b(?:beyond|outside)\s+(?:the\s+)?(?:scope|range)\s+of\s+" + _GIVEN,
    r"^as an? (?:ai|language model|assistant)\b.{0,80}\b(?:can\s?not|can['\u2019]t|unable|do not|don['\u2019]t)\b",
    r"^i(?:['\u2019]m| am) (?:sorry|afraid)\b.{0,20}\b(?:can\s?not|can['\u2019]t|unable|do not|don['\u2019]t|no|not)\b",
)

_CHINESE = (
    r"(?:\u65e0\u6cd5|\u4e0d\u80fd|\u96be\u4ee5|\u7121\u6cd5|\u96e3\u4ee5|\u4e0d\u53ef\u80fd|\u6c92\u8fa6\u6cd5|\u6ca1\u529e\u6cd5|\u6ca1\u6cd5)"
    r"[^\u3002\uff0c,]{0,20}(?:\u56de\u7b54|\u786e\u5b9a|\u5224\u65ad|\u5f97\u77e5|\u5f97\u51fa|\u627e\u5230|\u63a8\u65ad|\u77e5\u9053|\u4f5c\u7b54|\u7b54\u590d|"
    r"\u78ba\u5b9a|\u5224\u65b7|\u63a8\u65b7|\u7372\u77e5|\u83b7\u77e5|\u786e\u8ba4|\u78ba\u8a8d|\u89e3\u7b54|\u63d0\u4f9b\u7b54\u6848)",
    r"(?:\u6ca1\u6709|\u672a|\u5e76\u672a|\u6c92\u6709|\u4e26\u672a|\u672a\u66fe|\u5e76\u6ca1\u6709|\u6ca1)[^\u3002\uff0c,]{0,8}"
    r"(?:\u63d0\u5230|\u63d0\u53ca|\u8bf4\u660e|\u63d0\u4f9b|\u5305\u542b|\u6d89\u53ca|\u7ed9\u51fa|\u8aaa\u660e|\u8bb2|\u8bf4|\u8aaa|\u5199\u660e|\u7d66\u51fa|\u6307\u51fa|\u4ea4\u4ee3|\u8bb0\u8f7d|"
    r"\u8a18\u8f09|\u76f8\u5173\u4fe1\u606f|\u76f8\u95dc\u8cc7\u8a0a|\u8db3\u591f|\u4efb\u4f55\u4fe1\u606f|\u6709\u5173|\u7b54\u6848)",
    r"(?:\u4fe1\u606f|\u8d44\u6599|\u8cc7\u8a0a|\u8cc7\u6599|\u4f9d\u636e|\u8bc1\u636e)[^\u3002\uff0c,]{0,6}\u4e0d\u8db3",
    r"(?:\u6211|\u6211\u4eec|\u6211\u5011)?\u4e0d(?:\u77e5\u9053|\u6e05\u695a|\u786e\u5b9a|\u78ba\u5b9a)(?:[\u3002\uff0c,!]|$|\u7b54\u6848)",
    r"^(?:\u672a\u77e5|\u4e0d\u660e|\u4e0d\u8be6|\u4e0d\u8a73|\u65e0\u7b54\u6848|\u6ca1\u6709\u7b54\u6848)",
)

_FRENCH = (
    r"\b(?:contextes?|textes?|documents?|passages?|extraits?|informations?|sources?|\u00e9l\u00e9ments?|donn\u00e9es|article|rapport|"
    r"notes?|transcription|proc\u00e8s-verbal|manuel|courriel)\b.{0,40}?\b(?:ne|n['\u2019])\s*.{0,25}?\b(?:pas|rien|aucun\w*|nullement)\b.{0,30}?"
    r"(?:mention|pr\u00e9cis|indiqu|dit|dire|dis|contien|fourni|permet|donn|r\u00e9pon|suffi|explique|parle|\u00e9voqu|abord|information|inclu)",
    r"\b(?:ne|n['\u2019])\s*(?:peut|peux|pouvons|puis|est|sont|sait|sais|dispose|ai|avons|trouve|figure|a|ont)\b.{0,40}?\b(?:pas|aucun\w*|rien)\b"
    r".{0,50}?(?:r\u00e9pon|d\u00e9termin|mention|pr\u00e9cis|indiqu|\u00e9tabli|d\u00e9dui|inform|suffi|possible|sav|tranch|conclu|savoir|fourni|donn\u00e9|trouv|dit)",
    r"\b(?:aucune?|pas d['\u2019e]\s?|pas assez d['\u2019e]\s?)\s*(?:information|mention|r\u00e9ponse|pr\u00e9cision|indication|donn\u00e9e|\u00e9l\u00e9ment)",
    r"\b(?:impossible|incapable)\s+(?:de|d['\u2019])\s*.{0,15}?(?:r\u00e9pon|d\u00e9termin|savoir|dire|conclu|\u00e9tabli|trouv|pr\u00e9cis)",
    r"^(?:je|nous)\s+(?:ne\s+)?(?:(?:l['\u2019]\s?)?ignor\w+|sais\s+pas|sait\s+pas|savons\s+pas)\b|^je l['\u2019]ignore",
    r"\binformations?\b.{0,25}\b(?:insuffisant\w*|manqu\w+)",
)

_GERMAN = (
    r"\b(?:kontext\w*|text\w*|dokument\w*|passage\w*|auszug\w*|ausz\u00fcge\w*|information\w*|quelle\w*|unterlage\w*|angabe\w*|material\w*|"
    r"artikel\w*|bericht\w*|abschnitt\w*|protokoll\w*|handbuch\w*|notiz\w*|daten|textstelle\w*|textausz\w*|ausschnitt\w*)\b"
    r".{0,60}?\b(?:nicht|kein\w*|nichts|nirgend\w*)\b",
    r"\b(?:l\u00e4sst|l\u00e4\u00dft|lassen|kann|k\u00f6nnen|konnte)\b.{0,80}?\b(?:nicht|kein\w*)\b.{0,40}?"
    r"(?:beantwort\w*|bestimm\w*|entnehm\w*|entnommen|ableit\w*|feststell\w*|ermittel\w*|sagen|herausfinden|finden|erkennen|kl\u00e4ren|schlie\u00dfen|angeben)",
    r"\b(?:wird|werden|ist|sind|wurde|wurden|geht|steht)\b.{0,60}?\b(?:nicht|nirgend\w*|kein\w*)\b.{0,30}?"
    r"(?:erw\u00e4hnt|genannt|angegeben|beschrieben|beantwortet|m\u00f6glich|bekannt|enthalten|hervor|ersichtlich|dar\u00fcber|dazu|aufgef\u00fchrt|vorhanden|thematisiert)",
    r"^(?:nicht|nirgends)\s+(?:angegeben|erw\u00e4hnt|genannt|bekannt|beantwortbar|enthalten)",
    r"\b(?:es gibt|es liegen|es finden sich|ich habe|mir liegen|dazu gibt es|dazu liegen)\b.{0,40}?\bkeine\w*\b.{0,30}?(?:information\w*|angabe\w*|hinweis\w*|antwort\w*|daten)",
    r"^(?:dazu|dar\u00fcber|hierzu|leider)?\s*(?:liegen|gibt es|finden sich|habe ich)?\s*keine\s+(?:ausreichenden\s+|weiteren\s+|n\u00e4heren\s+)?(?:information\w*|angabe\w*|hinweis\w*|antwort)",
    r"\b(?:ich|wir)\s+(?:wei\u00df|wissen|weiss)\b.{0,20}?\bnicht\b|\b(?:das|es)\s+wei\u00df\s+ich\b.{0,10}\bnicht\b",
    r"\bunzureichend\w*\b|\breich(?:t|en)\b.{0,40}?\bnicht\b",
)

_SPANISH = (
    r"\b(?:contextos?|textos?|documentos?|pasajes?|fragmentos?|informaci\u00f3n|fuentes?|datos|art\u00edculo|informe|notas?|extractos?|"
    r"acta|manual|transcripci\u00f3n)\b.{0,50}?\b(?:no|nada|ning\u00fan\w*)\b.{0,40}?"
    r"(?:mencion|indic|dice|dicen|especific|contien|proporcion|permit|responde|sufici|ofrec|detall|aclar|incluy|habla|inform|explic|da\b|precis|revel)",
    r"\bno\s+(?:se\s+|es\s+|lo\s+|la\s+|me\s+|nos\s+)*(?:puede|puedo|podemos|pued\w+|sabe|s\u00e9|sabemos|posible|hay|dispongo|tengo|tenemos|mencion\w*|especific\w*|indic\w*|"
    r"encuentr\w*|consta|aparece|dice|menciona|proporciona|figura|precisa|menciona)\b.{0,60}?"
    r"(?:respond|respuesta|determin|mencion|informaci|sab|inferir|deduc|conclu|datos|texto|contexto|documento|fuente|fragmento|pasaje|en\s+(?:el|la|los|las|ning)|establec|averig|$)",
    r"\b(?:imposible|incapaz de)\b.{0,20}?(?:respond|determin|sab|conclu|deduc|establec)",
    r"^(?:sin|falta|faltan|ninguna)\s+(?:suficiente\s+)?(?:informaci\u00f3n|datos|respuesta|menci\u00f3n)",
    r"\b(?:informaci\u00f3n|datos)\b.{0,20}\binsuficiente\w*|\b(?:lo\s+)?desconozco\b|^no\s+lo\s+s\u00e9",
)

_PORTUGUESE = (
    r"\b(?:contexto|textos?|documentos?|passage[mn]s?|trechos?|informa\u00e7\u00f5es|informa\u00e7\u00e3o|fontes?|dados|artigo|relat\u00f3rio|ata|manual)\b.{0,50}?\b(?:n\u00e3o|nada|nenhum\w*)\b.{0,30}?"
    r"(?:mencion|indic|diz|dizem|especific|cont|forne|permit|respond|sufici|oferec|detalh|esclare|informa|explic|revel)",
    r"\bn\u00e3o\s+(?:se\s+|\u00e9\s+|h\u00e1\s+|foi\s+|me\s+)*(?:pode|posso|podemos|sabe|sei|sabemos|poss\u00edvel|h\u00e1|tenho|temos|mencion\w*|especific\w*|encontr\w*|consta|informa\w*|existe\w*)?\b.{0,50}?"
    r"(?:respond|resposta|determin|mencionad|informa\u00e7|saber|inferir|deduz|conclu|$)",
    r"\b(?:imposs\u00edvel)\b.{0,20}?(?:respond|determin|sab|conclu)|\bn\u00e3o\s+sei\b",
)

_ITALIAN = (
    r"\b(?:contesto|test[oi]|document[oi]|pass[oi]|bran[oi]|informazion[ei]|font[ei]|dati|articolo|rapporto|estratt[oi]|verbale|manuale)\b.{0,50}?\b(?:non|nulla|nessun\w*)\b.{0,30}?"
    r"(?:menzion|indic|dic|specific|contien|contengono|forni|permett|consent|rispon|suffic|offr|chiari|riport|spieg|parla)",
    r"\bnon\s+(?:si\s+|\u00e8\s+|lo\s+|ci\s+|vi\s+|viene\s+)*(?:pu\u00f2|posso|possiamo|sa|so|sappiamo|possibile|sono|ho|abbiamo|menzion\w*|specific\w*|trov\w*|risulta|indicat\w*)\b.{0,50}?"
    r"(?:rispon|rispost|determin|menzion|informazion|sapere|dedurre|conclu|dati|stabilire|test|document|contest|$)",
    r"\bimpossibile\b.{0,20}?(?:rispon|determin|sap|stabil|conclu)|\b(?:nessuna|mancano)\s+(?:le\s+)?(?:informazion[ei]|risposta|menzione)",
)

_JAPANESE = (
    r"(?:\u8a18\u8f09|\u8a00\u53ca|\u8a18\u8ff0|\u60c5\u5831|\u8aac\u660e|\u7b54\u3048|\u56de\u7b54|\u624b\u304c\u304b\u308a|\u8a3c\u62e0|\u660e\u8a18|\u63b2\u8f09|\u30c7\u30fc\u30bf)"
    r"[^\u3002]{0,16}?(?:\u306a\u3044|\u3042\u308a\u307e\u305b\u3093|\u306a\u304f|\u3055\u308c\u3066\u3044\u306a|\u3055\u308c\u3066\u3044\u307e\u305b\u3093|\u3067\u304d\u307e\u305b\u3093|\u3067\u304d\u306a\u3044|\u4e0d\u8db3|\u898b\u5f53\u305f\u3089|\u3044\u307e\u305b\u3093|\u306f\u306a\u304b\u3063\u305f)",
    r"(?:\u56de\u7b54|\u7b54\u3048|\u5224\u65ad|\u7279\u5b9a|\u78ba\u8a8d|\u63a8\u6e2c|\u65ad\u5b9a|\u8aad\u307f\u53d6|\u5224\u5225)[^\u3002]{0,16}?(?:\u3067\u304d\u307e\u305b\u3093|\u3067\u304d\u306a\u3044|\u4e0d\u53ef\u80fd|\u56f0\u96e3|\u3089\u308c\u307e\u305b\u3093|\u3089\u308c\u306a\u3044|\u308c\u307e\u305b\u3093|\u308c\u306a\u3044|\u304b\u306d\u307e\u3059)",
    r"(?:\u308f\u304b\u308a\u307e\u305b\u3093|\u5206\u304b\u308a\u307e\u305b\u3093|\u308f\u304b\u3089\u306a\u3044|\u5206\u304b\u3089\u306a\u3044|\u4e0d\u660e\u3067\u3059|\u4e0d\u660e\u3067\u3042\u308b|\u4e0d\u660e$|\u5b58\u3058\u307e\u305b\u3093)",
    r"(?:\u66f8\u304b\u308c\u3066|\u8ff0\u3079\u3089\u308c\u3066|\u89e6\u308c\u3089\u308c\u3066|\u793a\u3055\u308c\u3066|\u542b\u307e\u308c\u3066|\u8f09\u3063\u3066)\u3044?(?:\u307e\u305b\u3093|\u306a\u3044|\u306a\u304b\u3063\u305f)",
)

_KOREAN = (
    r"(?:\uc815\ubcf4|\uc5b8\uae09|\ub0b4\uc6a9|\ub2f5|\ub2f5\ubcc0|\uadfc\uac70|\uc124\uba85|\uc790\ub8cc|\uae30\uc7ac)[^.]{0,20}?(?:\uc5c6|\ubd80\uc871|\uc54a|\ubabb)",
    r"(?:\ub2f5\ubcc0|\ub300\ub2f5|\ud655\uc778|\ud310\ub2e8|\uc54c|\ucc3e\uc744|\ud30c\uc545|\uacb0\uc815|\ucd94\ub860|\ub2f5)[^.]{0,8}?(?:\uc218\s*\uc5c6|\ubabb)",
    r"(?:\ubaa8\ub974\uaca0|\ubaa8\ub985\ub2c8\ub2e4|\uc54c\uc9c0 \ubabb|\uc54c\ub824\uc838 \uc788\uc9c0 \uc54a)",
)

_RUSSIAN = (
    r"\b(?:\u043a\u043e\u043d\u0442\u0435\u043a\u0441\u0442\w*|\u0442\u0435\u043a\u0441\u0442\w*|\u0434\u043e\u043a\u0443\u043c\u0435\u043d\u0442\w*|\u0438\u043d\u0444\u043e\u0440\u043c\u0430\u0446\w*|\u0438\u0441\u0442\u043e\u0447\u043d\u0438\w*|\u0434\u0430\u043d\u043d\w*|\u043e\u0442\u0440\u044b\u0432\w*|\u0444\u0440\u0430\u0433\u043c\u0435\u043d\u0442\w*|\u0441\u0442\u0430\u0442\u044c\w*|\u043e\u0442\u0447\u0451?\u0435?\u0442\w*|\u043c\u0430\u0442\u0435\u0440\u0438\u0430\u043b\w*)\b.{0,40}?"
    r"(?:\b\u043d\u0435\b|\b\u043d\u0435\u0442\b|\b\u043d\u0438\u0447\u0435\u0433\u043e\b|\u043d\u0435\u0434\u043e\u0441\u0442\u0430\u0442\u043e\u0447\u043d\w*|\u043e\u0442\u0441\u0443\u0442\u0441\u0442\u0432\w*)",
    r"(?:\b\u043d\u0435\u0442\b|\u043e\u0442\u0441\u0443\u0442\u0441\u0442\u0432\w*|\u043d\u0435\u0434\u043e\u0441\u0442\u0430\u0442\u043e\u0447\u043d\u043e).{0,30}?(?:\u0438\u043d\u0444\u043e\u0440\u043c\u0430\u0446\w*|\u043e\u0442\u0432\u0435\u0442\w*|\u0434\u0430\u043d\u043d\u044b\u0445|\u0443\u043f\u043e\u043c\u0438\u043d\u0430\u043d\w*|\u0441\u0432\u0435\u0434\u0435\u043d\u0438\u0439)",
    r"(?:\u043d\u0435\u0432\u043e\u0437\u043c\u043e\u0436\u043d\u043e|\u043d\u0435\u043b\u044c\u0437\u044f|\u043d\u0435 \u043c\u043e\u0433\u0443|\u043d\u0435 \u043c\u043e\u0436\u0435\u043c|\u043d\u0435 \u0443\u0434\u0430[\u0451\u0435]\u0442\u0441\u044f|\u043d\u0435 \u0443\u0434\u0430\u043b\u043e\u0441\u044c).{0,30}?(?:\u043e\u0442\u0432\u0435\u0442\w*|\u043e\u043f\u0440\u0435\u0434\u0435\u043b\w*|\u0443\u0441\u0442\u0430\u043d\u043e\u0432\w*|\u0443\u0437\u043d\u0430\u0442\w*|\u0441\u043a\u0430\u0437\u0430\u0442\w*|\u043d\u0430\u0439\u0442\u0438)",
    r"\b\u043d\u0435 (?:\u0443\u043a\u0430\u0437\u0430\u043d\w*|\u0443\u043f\u043e\u043c\u0438\u043d\u0430\w*|\u0443\u043f\u043e\u043c\u044f\u043d\u0443\u0442\w*|\u0441\u043e\u043e\u0431\u0449\u0430\w*|\u0433\u043e\u0432\u043e\u0440\u0438\u0442\u0441\u044f|\u0438\u0437\u0432\u0435\u0441\u0442\u043d\w*|\u0437\u043d\u0430\u044e)",
)

PATTERNS: tuple[re.Pattern[str], ...] = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        *_ENGLISH,
        *_CHINESE,
        *_FRENCH,
        *_GERMAN,
        *_SPANISH,
        *_PORTUGUESE,
        *_ITALIAN,
        *_JAPANESE,
        *_KOREAN,
        *_RUSSIAN,
    )
)
"""A sentence in which one of them is found abstains, unless it then turns to giving something."""

SHORT = re.compile(
    r"(?:i\s?d\s?k|idk|n/?a|none|unknown|unanswerable|not (?:known|found|answerable|available|stated|given|sure)|no (?:answer|idea|information|info)|"
    r"not enough (?:info|information|context|evidence)|insufficient (?:information|evidence|context)|unclear|cannot (?:say|tell|answer)|can['\u2019]t (?:say|tell)|no|null|nil|"
    r"(?:i )?(?:do not|don['\u2019]t) know|dunno|unbekannt|keine angabe|keine ahnung|wei\u00df nicht|inconnu|aucune id\u00e9e|sans r\u00e9ponse|"
    r"desconocido|ni idea|desconhecido|sconosciuto|\u043d\u0435\u0438\u0437\u0432\u0435\u0441\u0442\u043d\u043e|"
    r"\u672a\u77e5|\u4e0d\u77e5\u9053|\u4e0d\u660e|\u4e0d\u8be6|\u65e0|\u4e0d\u6e05\u695a|\u308f\u304b\u3089\u306a\u3044|\ubaa8\ub984|\uc54c \uc218 \uc5c6\uc74c)",
    re.IGNORECASE,
)
"""A whole answer that is one of these abstains."""

CLOSERS = re.compile(
    r"^(?:(?:if|should) you\b|please\b|let me know\b|could you\b|can you\b|would you\b|feel free\b|you (?:may|might|could|can) (?:want|wish|need|try|also|check|consult|ask)|"
    r"(?:more|further|additional) (?:information|context|details?|documents?)\b|(?:i|we)(?:['\u2019]d| would| will|['\u2019]ll|['\u2019]m| am)? (?:happy|glad|recommend|suggest|need|be able|be happy)\b|"
    r"(?:it|they|this|these|the \w+(?: \w+)?) (?:only|merely|just|mainly|mostly|instead)\s+(?:discuss|mention|describe|cover|talk|deal|focus|concern|contain|address)|"
    r"(?:sorry|unfortunately|i apologi[sz]e|apologies|hello|hi|thanks|thank you|i see|understood|ok|okay)\W*$|"
    r"bitte\b|falls (?:sie|du|ihr)\b|wenn (?:sie|du)\b.{0,40}(?:helfe|teilen|nennen|angeben)|s['\u2019]il (?:te|vous)\b|veuillez\b|n['\u2019]h\u00e9sitez\b|si (?:vous|tu)\b.{0,40}(?:fourni|donn|partag|pouve)|"
    r"por favor\b|si (?:usted|me|puede|tienes|tiene)\b|se (?:pu\u00f2|vuoi|voc\u00ea|puder)|per favore\b|"
    r"\u8bf7|\u8acb|\u5982\u679c\u60a8|\u5982\u679c\u4f60|\u5982\u9700|\u62b1\u6b49|\u5f88\u62b1\u6b49|\u5bf9\u4e0d\u8d77|\u7533\u3057\u8a33|\u3059\u307f\u307e\u305b\u3093|\u6050\u308c\u5165\u308a|\u3082\u3057|\u8a73\u3057\u304f|\uc8c4\uc1a1|\ud639\uc2dc|\ub354 \uc790\uc138\ud55c|"
    r"\u043f\u043e\u0436\u0430\u043b\u0443\u0439\u0441\u0442\u0430|\u0435\u0441\u043b\u0438 (?:\u0432\u044b|\u0442\u044b)|\u0438\u0437\u0432\u0438\u043d\u0438\u0442\u0435|\u043a \u0441\u043e\u0436\u0430\u043b\u0435\u043d\u0438\u044e\W*$)",
    re.IGNORECASE,
)
"""A sentence that begins so adds nothing: an apology, an offer, a request for more."""
