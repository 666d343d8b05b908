"""Text in sources that tries to steer the model or the memory. It stays readable; it never becomes a thought.

Patterns over the text as a model would read it: invisible characters are dropped, look-alike letters and spaced-out
letters put back.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["plain", "steers"]

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]"
)
_LOOKALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0406\u0408\u0405"
    "\u03bf\u03b1\u03b5\u03b9\u03c1\u03c5\u03bd\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a7\u03a5\u0131",
    "aeopcyxijshdwABEKMHOPCTXIJSoaeipuvABEZHIKMNOPTXYi",
)
_MIXED = re.compile(r"\w*(?:[A-Za-z][\u0370-\u03ff\u0400-\u052f]|[\u0370-\u03ff\u0400-\u052f][A-Za-z])\w*")
_SPACED = re.compile(r"\b(?:[A-Za-z][ .\-_*]){4,}[A-Za-z]\b")

_PREVIOUS = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|existing|former|other|your|any|all|system|initial|original)"
)
_ORDERS = r"(?:instructions?|prompts?|rules?|directions?|commands?|guidelines?|orders?|constraints?|context|messages?|conversation|system prompt|training|policies|safety)"
_RULES: tuple[tuple[str, str], ...] = (
    (
        "asks to ignore instructions",
        rf"\b(?:ignore|disregard|forget|override|overrule|bypass|discard|do not (?:follow|obey)|don['\u2019]t (?:follow|obey)|stop following|neglect)\s+"
        rf"(?:(?:all|any|of|the|every|everything|these|those|my|{_PREVIOUS})\s+){{1,6}}{_ORDERS}\b"
        r"|\b(?:ignore|disregard|forget)\s+(?:everything|anything|all|what)\s+(?:(?:that|you|i|we|was|were|is|has|have|been)\s+){0,4}(?:above|before|said|told|previously|instructed|learned|know)\b"
        r"|\bnew (?:system )?(?:instructions?|orders|directives?)\s*:"
        r"|\bignorier\w*\s+(?:\w+\s+){0,3}(?:vorherigen|bisherigen|obigen|fr\u00fcheren)\b|\bvergiss\s+(?:alle|alles|die)\b.{0,30}\b(?:anweisung|instruktion|bisher|regeln)"
        r"|\bignore[rz]?\s+(?:\w+\s+){0,3}(?:instructions?|consignes?)\s+(?:pr\u00e9c\u00e9dentes?|ant\u00e9rieures?|ci-dessus)|\boublie[rz]?\s+(?:toutes?\s+)?(?:les|tes|vos)\s+(?:instructions?|consignes?)"
        r"|\bignora\w*\s+(?:\w+\s+){0,3}(?:instrucciones|istruzioni|instru\u00e7\u00f5es)|\bolvida\w*\s+(?:\w+\s+){0,2}(?:instrucciones|todo lo anterior)|\bdimentica\w*\s+(?:\w+\s+){0,2}istruzioni"
        r"|(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996|\u4e0d\u8981\u7406\u4f1a|\u5fd8\u8bb0|\u5fd8\u6389)[^\u3002]{0,12}(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a|\u89c4\u5219|\u4e4b\u524d|\u4ee5\u4e0a|\u5185\u5bb9)"
        r"|(?:\u4ee5\u524d|\u524d|\u4e0a\u8a18|\u3053\u308c\u307e\u3067|\u4e0a)\u306e?[^\u3002]{0,10}(?:\u6307\u793a|\u547d\u4ee4|\u30d7\u30ed\u30f3\u30d7\u30c8|\u30eb\u30fc\u30eb)[^\u3002]{0,6}(?:\u7121\u8996|\u5fd8\u308c)"
        r"|(?:\uc774\uc804|\uc704\uc758|\uc55e\uc758)[^.]{0,10}(?:\uc9c0\uc2dc|\uba85\ub839|\uc9c0\uce68)[^.]{0,8}\ubb34\uc2dc"
        r"|(?:\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439\w*|\u0437\u0430\u0431\u0443\u0434\u044c\w*|\u043d\u0435 \u043e\u0431\u0440\u0430\u0449\u0430\u0439\w*)\s+(?:\w+\s+){0,4}(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446\w*|\u0443\u043a\u0430\u0437\u0430\u043d\w*|\u043f\u0440\u0430\u0432\u0438\u043b\w*)",
    ),
    (
        "asks to be remembered",
        r"(?:^|[.!?:;\n*\"'(>]\s*|\bplease\s+|\balways\s+|\bmust\s+|\bassistant[,:]?\s+|\band\s+)(?:remember|memori[sz]e|note|keep in mind)\s*(?:,|:|this\b|the following\b|that (?!time\b|day\b|night\b|trip\b|when\b|one\b|summer\b|weekend\b))"
        r"(?=.)(?P<remember>)"
        r"|\b(?:store|save|add|write|record|commit|put|persist|keep)\s+(?:\w+\s+){0,5}(?:to|in|into)\s+(?:your |the |its |long-term |permanent |persistent )*(?:memory|memories|knowledge base|long-term memory)\b(?P<store>)"
        r"|\bfrom now on,?\s+(?:you|always|never|every|all|answer|respond|reply|treat|assume|the assistant)\b"
        r"|\b(?:in|for) (?:all|every) (?:future|subsequent|later) (?:answers?|conversations?|sessions?|responses?|questions?|chats?|repl(?:y|ies))\b"
        r"|\bmerke? dir\b|\bsouviens-toi que\b|\bsouvenez-vous que\b|\brecuerda(?:r)? (?:siempre )?que\b|\bricorda(?:ti)? (?:sempre )?che\b|\blembre-se (?:sempre )?(?:de )?que\b"
        r"|(?:\u8bf7|\u8acb|\u52a1\u5fc5|\u52d9\u5fc5|\u4f60\u8981)\u8bb0\u4f4f|\u8acb\u8a18\u4f4f|^\u8bb0\u4f4f[\uff1a:\uff0c,]|(?:\u899a\u3048\u3066|\u8a18\u61b6\u3057\u3066)(?:\u304a\u3044\u3066)?(?:\u304f\u3060\u3055\u3044|\u304a\u3051)|\uae30\uc5b5\ud574\s?(?:\uc918|\ub77c|\uc8fc\uc138\uc694)|\u0437\u0430\u043f\u043e\u043c\u043d\u0438\w*,? \u0447\u0442\u043e",
    ),
    (
        "poses as a chat role or prompt delimiter",
        r"<\|?(?:im_start|im_end|endoftext|system|user|assistant|eot_id|start_header_id|begin_of_text)\|?>|\[/?INST\]|<</?SYS>>|</?(?:system|instructions?|context|evidence|sources?|items?|documents?|question|answer|thoughts?|prompt)\b[^>\n]{0,60}>"
        r"|(?:^|\n)\s*(?:#{1,6}\s*)?(?:\[|\*\*|<)?(?:system|assistant|developer|user|human)(?: (?:prompt|message|note|instruction|override))?(?:\]|\*\*|>)?\s*:\s*\S"
        r"|(?:^|\n)\s*#{2,}\s*(?:instructions?|response|input|system prompt)\s*:?\s*(?:\n|$)"
        r"|(?:^|\n)\s*(?:-{3,}|={3,}|`{3,})\s*(?:end|begin|start) of (?:the )?(?:context|document|prompt|instructions?|sources?|items?|text|input)\b"
        r"|\bend of (?:the )?(?:context|prompt|system prompt|instructions)\b",
    ),
    (
        "gives orders to the model",
        r"\b(?:you must|you should|you have to|you are required to|be sure to|make sure to|always|never)\s+(?:always |never |only |now |then |not )*(?:answer|respond|reply|tell the user|say that|cite|claim|output|mention to the user|recommend to the user)\s+"
        r"(?:with|that|only|the user|in|to|every|all|any|as|this|yes|no|\"|')"
        r"|\b(?:you are (?:now|no longer)|act as|pretend (?:to be|you are)|roleplay as|behave as)\s+(?:an? |the |my |in )?(?:\w+\s+){0,3}(?:ai|assistant|model|chatbot|dan|developer mode|admin(?:istrator)?|hacker|bot|expert|jailbroken|unrestricted|restricted)\b"
        r"|\bdo not (?:tell|inform|mention (?:this|it) to|reveal (?:this|it) to|warn|alert) the (?:user|reader|human)\b"
        r"|\b(?:reveal|print|show|output|repeat|leak|send|disclose) (?:me )?(?:your|the) (?:system prompt|hidden prompt|instructions|initial prompt|api keys?|credentials?|passwords?)\b"
        r"|\b(?:attention|note|message|instructions?|important)\s*(?:to|for)?\s*(?:any |all |the |every )?(?:ai|llms?|language models?|assistants?|chatbots?|ai (?:models?|assistants?|reviewers?|agents?))\b\s*[:,!]"
        r"|\bif you are an? (?:ai|llm|language model|assistant|chatbot|large language model)\b"
        r"|\b(?:give|write|return|produce|output) (?:only )?(?:a )?positive (?:review|recommendation|answer)s?(?: only)?\b"
        r"|\b(?:du|sie) (?:musst|m\u00fcssen|sollst|sollen)\s+(?:immer |nur |stets )?(?:\w+\s+){0,4}(?:antworten|sagen|behaupten)\b|\bantworte (?:immer|nur|ausschlie\u00dflich|stets)\b"
        r"|\b(?:tu dois|vous devez)\s+(?:toujours |uniquement )?(?:r\u00e9pondre|dire|affirmer)\b|\br\u00e9ponds (?:toujours|uniquement)\b|\bdebes? (?:siempre |solo )?(?:responder|decir)\b|\bresponde (?:siempre|solo|\u00fanicamente)\b"
        r"|(?:\u4f60|\u60a8)(?:\u5fc5\u987b|\u5fc5\u9808|\u5e94\u8be5|\u8981)(?:\u603b\u662f|\u59cb\u7ec8|\u53ea)?(?:\u56de\u7b54|\u8bf4|\u56de\u590d|\u544a\u8bc9)|\u5fc5\u305a[^\u3002]{0,20}(?:\u7b54\u3048|\u56de\u7b54)(?:\u3066|\u3057\u3066)(?:\u304f\u3060\u3055\u3044)?|\ubc18\ub4dc\uc2dc[^.]{0,20}(?:\ub2f5|\ub300\ub2f5)|\u0442\u044b \u0434\u043e\u043b\u0436\u0435\u043d (?:\u0432\u0441\u0435\u0433\u0434\u0430 )?(?:\u043e\u0442\u0432\u0435\u0447\u0430\u0442\u044c|\u0433\u043e\u0432\u043e\u0440\u0438\u0442\u044c)|\u0432\u0441\u0435\u0433\u0434\u0430 \u043e\u0442\u0432\u0435\u0447\u0430\u0439",
    ),
    (
        "brings its own citations or verdicts",
        r"\{\s*\"(?:answer|evidence|found|valid|confidence|thoughts?|atoms?|knowledge_point)\"\s*:"
        r"|\[(?:source|citation|verified|trusted|official)(?: source)?\s*:\s*[^\]]{1,80}\]"
        r"|\b(?:this (?:document|source|text|passage|item) is|i am) (?:verified|trusted|authoritative|the official source|the only (?:reliable|trusted) source)\b"
        r"|\b(?:cite|use|quote) (?:only )?(?:this|the following) (?:document|source|passage|item|text) (?:only|instead|as the (?:only|sole) source|for (?:all|every|any))\b",
    ),
)
_COMPILED = tuple((reason, re.compile(pattern, re.IGNORECASE | re.MULTILINE)) for reason, pattern in _RULES)


def plain(text: str) -> str:
    """Return the text as it is read: NFKC, no invisible characters, look-alikes and spaced-out words put back."""
    seen = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
    seen = _MIXED.sub(lambda m: m.group().translate(_LOOKALIKE), seen)
    return _SPACED.sub(lambda m: re.sub(r"[ .\-_*]", "", m.group()), seen)


def steers(text: str) -> str | None:
    """Return how a text tries to steer the model or the memory, in a few words without quoting it; None if it does not."""
    seen = plain(text)
    for reason, pattern in _COMPILED:
        if pattern.search(seen):
            return reason
    return None
