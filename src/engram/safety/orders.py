"""The tables of orders that a text can give to an agent, in several languages; ``instructions`` runs them.

A row with words between its verb and its object is anchored at the object: it is the rarer of the two, so no text makes
the rows slow.
"""

from __future__ import annotations

from engram.safety.rule import Rule, Table

__all__ = ["ADDRESSED", "LITERAL", "REFERENCE", "WORDED"]

_SENDS_OUT = "text that tells an agent to send data out"
_UNSAFE = "text that tells an agent to switch a safety measure off"
_UNASKED = "text that tells an agent to act without its human"
_UNSEEN_CODE = "a download that is run unseen"
_VOICE = "text that speaks as the model's system"
_IGNORE = "text that tells an agent to ignore its instructions"
_ROLE = "text that gives an agent another role"
_CONCEAL = "text that tells an agent to hide something from its human"
_PROMPT = "text that is after the agent's own prompt"
_OBEY = "text that orders an agent about"


def _order(kind: str, label: str, starts: str, rest: str) -> Rule:
    """Build a row whose matches begin with one of the words of ``starts``, separated by bars; case does not matter."""
    return Rule(kind, label, tuple(starts.split("|")), rest, fold=True)


def _gapped(  # noqa: PLR0917 (a row of a table reads best without names)
    kind: str,
    label: str,
    starts: str,
    gap: int,
    needs: str,
    rest: str,
    *,
    between: tuple[str, ...] = (),
    endings: str = "|s",
    stops: str = ".\n",
) -> Rule:
    """Build a row of a word of ``starts``, a gap, and ``rest``, which begins with one of ``needs``; see ``Rule``."""
    return Rule(
        kind,
        label,
        tuple(starts.split("|")),
        rest,
        needs=tuple(needs.split("¦")),
        gap=gap,
        between=between,
        endings=tuple(endings.split("|")),
        stops=stops,
        fold=True,
    )


_THINGS = (
    "api¦access¦ssh¦private¦credential¦password¦secrets¦cookies¦auth¦environment¦env¦.env¦id_rsa¦/etc/¦user¦browsing"
    "¦conversation¦chat¦system¦~/.aws¦~/.ssh¦$¦whole¦entire¦source code"
)
_THINGS_ES = ".env¦~/.ssh¦~/.aws¦id_rsa¦contraseña¦credenciales¦clave¦token¦secretos¦cookies¦variables"
_NOUN = (
    r"(?:instructions?|prompts?|directives?|guidelines?|rules|commands?|orders|directions|constraints?|programming"
    r"|training|(?:search )?goals?|context)\b"
)
_GUARD = (
    r"\b(?<!-)(?:safety|security|ethical|agent)[ -](?:[a-z]{1,20} ){0,2}(?:protocols?|guidelines?|polic(?:y|ies)"
    r"|constraints?|restrictions?|filters?|checks?|protections?|measures?|guardrails?)\b"
)
_LOOT = (
    r"(?:api[ _-]?keys?|access keys?|ssh keys?|private keys?|credentials?|passwords?|secrets\b|access tokens?|cookies"
    r"|auth(?:entication)? tokens?|environment variables?|env vars|\.env\b|id_rsa|/etc/(?:passwd|shadow)"
    r"|user(?:'s)? data|browsing history|conversation history|chat history|system files?"
    r"|(?:whole|entire) (?:repository|repo|codebase|source(?: code| tree))|source code"
    # A file of keys, and a variable of the environment that by its name holds one.
    r"|~/\.(?:ssh|aws)\b(?:/[a-z0-9_]{1,30})?|\$\{?[a-z0-9_]{0,30}(?:token|secret|key|password|credentials)\b\}?)"
)
_LOOT_ES = (
    r"(?:contraseñas?|credenciales|claves? (?:api|privadas?|ssh|de acceso|de (?:la carpeta )?\.ssh)|tokens?|secretos"
    r"|cookies|variables de entorno|\.env\b|~/\.(?:ssh|aws)\b|id_rsa)"
)
_LOOT_ZH = r"(?:密钥|密码|凭证|凭据|令牌|私钥|环境变量|密鑰|密碼|憑證|權杖|私鑰|環境變數|cookie|token|api ?key|ssh)"
_OUT = (
    r"(?:https?://|ftp://|[a-z0-9._-]{1,40}@|webhook|(?:external|remote|attacker|third[- ]party|our|this|my)[ -]"
    r"(?:[a-z]{1,20} ){0,2}(?:server|address|host|endpoint|url|email|site|domain|location))"
)
_SHELL = r"(?:/(?:usr/)?bin/)?(?:(?:ba|z|da|k|fi|a)?sh|python[0-9.]{0,4}|perl|ruby|node|php)\b"
_PRECIOUS = r"(?:\.env\b|id_rsa|\.ssh\b|/etc/passwd|/etc/shadow|\.aws/|credentials)"

# What nobody may write into any memory. A prohibition directly before it takes it out.
WORDED = Table(
    _gapped(
        "exfiltration",
        _SENDS_OUT,
        "send|upload|post|transmit|exfiltrate|e-mail|email|forward|leak|copy|sending|uploading|posting",
        60,
        _THINGS,
        rf"{_LOOT}(?>[^\n]{{0,80}}?\b(?:to|at)\b)[^\n]{{0,60}}?{_OUT}",
    ),
    _gapped(
        "exfiltration",
        _SENDS_OUT,
        "envía|envia|manda|sube|subir|filtra|copia|publica",
        60,
        _THINGS_ES,
        rf"{_LOOT_ES}(?>[^\n]{{0,60}}?\b(?:a|al|en)\b)[^\n]{{0,60}}?"
        r"(?:https?://|servidor|correo|direcci[oó]n|[a-z0-9._-]{1,40}@)",
        endings="|r|n",
    ),
    _gapped(
        "exfiltration",
        _SENDS_OUT,
        "paste|post|attach|upload|send|copy",
        40,
        "~/.ssh¦id_rsa¦id_ed25519¦~/.aws¦/etc/shadow",
        r"(?:~/\.ssh/[a-z0-9_]{1,30}|id_rsa|id_ed25519|~/\.aws/credentials|/etc/shadow)[^.\n]{0,20}?"
        r"\b(?:into|in|to|on) (?:the |an? |this |your )?"
        r"(?:issue|chat|comment|pull request|pr|gist|message|reply|prompt|ticket|channel|https?://|[a-z0-9._-]{1,40}@)"
        r"\b",
    ),
    _gapped(
        "exfiltration",
        _SENDS_OUT,
        "read|open|take|encode",
        30,
        _THINGS,
        rf"{_LOOT}[^.\n]{{0,30}}?\b(?:include|paste|put|repeat|append|add|attach|post) "
        r"(?:it|them|(?:its|their|the) (?:contents?|values?)) (?:in|into|to) (?:your|the|an?) (?:next )?"
        r"(?:reply|answer|response|comment|issue|url|query string|image)\b",
    ),
    _order(
        "exfiltration",
        _SENDS_OUT,
        "reply with|respond with|answer with",
        r" (?:(?:the|all|any|every|your|each|its|full|contents?|values?|of|list) ){1,5}"
        r"(?:environment variables?|\.env\b|(?:private|ssh) keys?|credentials|passwords|secrets)\b",
    ),
    _gapped(
        "exfiltration",
        _SENDS_OUT,
        "append|add|put|include|embed|encode|insert|post|paste|attach|write|copy",
        40,
        _THINGS,
        rf"{_LOOT}[^.\n]{{0,30}}?\b(?:in|into|to|as) (?:(?:every|each|any|all) (?:[a-z]{{1,12}} ){{0,2}}"
        r"(?:urls?|links?|images?|messages?|comments?|repl(?:y|ies)|answers?)"
        r"|(?:the|an?|your) (?:image (?:url|link|tag)s?|comment|issue|commit message|branch name|pull request|pr"
        r"|(?:next )?(?:reply|answer)))\b",
    ),
    _order(
        "exfiltration",
        _SENDS_OUT,
        "gửi|tải lên|sao chép",
        r"[^.\n]{0,20}?(?:khóa (?:ssh|api|riêng)|mật khẩu|biến môi trường|thông tin đăng nhập|token|\.env\b|id_rsa)"
        r"[^.\n]{0,30}?\b(?:tới|đến|lên|cho)\b[^.\n]{0,20}?(?:https?://|máy chủ|địa chỉ|[a-z0-9._-]{1,40}@)",
    ),
    _order(
        "exfiltration",
        _SENDS_OUT,
        "把|将|將",
        rf"(?>[^。\n]{{0,20}}?{_LOOT_ZH})[^。\n]{{0,15}}?(?:发送|上传|发到|传到|泄露|發送|上傳|傳到|發到|洩露)",
    ),
    _order(
        "exfiltration",
        _SENDS_OUT,
        "把|将|將|发送|上传|發送|上傳",
        r"[^。\n]{0,12}?(?:\.env\b(?!\.)|id_rsa|~/\.(?:ssh|aws))[^。\n]{0,15}?(?:到|给|給|至)[^。\n]{0,10}?https?://",
    ),
    _order(
        "exfiltration",
        _SENDS_OUT,
        "发送|上传|泄露|發送|上傳|洩露",
        rf"(?>[^。\n]{{0,12}}?{_LOOT_ZH})[^。\n]{{0,10}}?[到至给給]",
    ),
    # To address the model's own system is nobody's business, a rule's neither.
    _gapped(
        "override",
        _IGNORE,
        "ignore|disregard|forget|override|overriding|bypass|discard|do not follow|don't follow|stop following|abandon"
        "|pay no attention to|take no notice of|do not obey|don't obey",
        32,
        "previous¦prior¦above¦earlier¦preceding¦foregoing¦initial¦original¦your¦system",
        r"\b(?:previous|prior|above|earlier|preceding|foregoing|initial|original|system"
        r"|your(?: own| previous| system)?)(?: (?:or|and) (?:prior|earlier|system))? (?:[a-z]{1,12} )?"
        r"(?:instructions?|prompts?|directives?|guidelines|programming|orders|system message)\b",
    ),
    _order("override", _IGNORE, "suspend normal operations", ""),
    _order(
        "override",
        _IGNORE,
        "your previous|your prior|your original|your earlier|all previous|all prior",
        r" (?:rules|instructions|guidelines|orders|directives|polic(?:y|ies)) (?:are|is|were) (?:now |hereby )?"
        r"(?:void|null|cancell?ed|suspended|revoked|fake|a test|no longer (?:valid|in force))\b",
    ),
    _order(
        "override",
        _IGNORE,
        "instructions above",
        r" (?:were|are|was) (?:only |just )?(?:a test|fake|wrong|void|not real|no longer valid)\b",
    ),
    _order(
        "override",
        _IGNORE,
        "ignoriere|ignorieren|vergiss|missachte",
        r"[^.\n]{0,20}?(?:vorherigen|vorigen|bisherigen|obigen|früheren|ursprünglichen)[^.\n]{0,10}?"
        r"(?:anweisung|instruktion|befehl|regel|anordnung)",
    ),
    _order(
        "override",
        _IGNORE,
        "ignorez|ignore|oubliez|oublie",
        r"[^.\n]{0,20}?(?:instructions|consignes|directives|règles)[^.\n]{0,6}?"
        r"(?:précédentes|antérieures|ci-dessus|initiales|du système)",
    ),
    _order(
        "override",
        _IGNORE,
        "ignore|ignora|esqueça|desconsidere",
        r"[^.\n]{0,12}?(?:instruções|ordens|regras|diretrizes)[^.\n]{0,6}?"
        r"(?:anteriores|prévias|acima|do sistema|iniciais)",
    ),
    _order(
        "override",
        _IGNORE,
        "以前の|これまでの|上記の|今までの",
        r"[^。\n]{0,4}?(?:指示|命令|ルール|指令|プロンプト)[^。\n]{0,8}?(?:無視|忘れ)",
    ),
    _order(
        "override",
        _IGNORE,
        "이전|위의|지금까지의|앞선",
        r"[^.\n]{0,6}?(?:지시|명령|규칙|지침|프롬프트)[^.\n]{0,10}?(?:무시|잊)",
    ),
    _order(
        "override",
        _IGNORE,
        "игнорируй|забудь|не обращай внимания на|не обращайте внимания на",
        r"(?:те)?[^.\n]{0,12}?(?:предыдущ|прежн|вышеуказанн|системн)[а-я]{0,6}[^.\n]{0,3}?(?:инструкци|указани|правил|команд)",
    ),
    _order(
        "override",
        _IGNORE,
        "ignore|disregard|forget",
        r" (?:everything|anything|all|what|whatever)(?: that)? (?:(?:the (?:developer|user|human|system|owner)|i|we)"
        r"(?: has| have)? (?:said|told|wrote|instructed)"
        r"|you(?: were|'ve been| have been) (?:told|instructed|taught))\b",
    ),
    _order(
        "override",
        _IGNORE,
        "ignora|olvida|descarta",
        r"r? (?:todo )?lo (?:que (?:se )?te (?:dij|han dicho|hayan dicho|ordenaron|indicaron)"
        r"|(?:anterior|de arriba)\b)",
    ),
    _gapped(
        "override",
        _IGNORE,
        "ignora|olvida|descarta|omite|omitir|desatiende|haz caso omiso de",
        30,
        "instrucciones¦órdenes¦ordenes¦reglas¦indicaciones¦directrices",
        r"\b(?:instrucciones|órdenes|ordenes|reglas|indicaciones|directrices)\b[^.\n]{0,20}?"
        r"\b(?:anteriores|previas|del sistema|iniciales|originales|precedentes|recibidas)\b",
        endings="|r|d",
    ),
    _order(
        "override",
        _IGNORE,
        "忽略|无视|忘记|忘掉|不要理会|抛开|無視|忘記|不要理會",
        r"[^。\n]{0,8}?(?:之前|以前|以上|前面|先前|上述|系统|系統|你的)[^。\n]{0,8}?(?:指令|指示|提示)",
    ),
    _order(
        "override",
        _IGNORE,
        "bỏ qua|phớt lờ|hãy quên",
        r"[^.\n]{0,20}?(?:hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh|quy tắc)[^.\n]{0,12}?(?:trước|ở trên|hệ thống|ban đầu)",
    ),
    _gapped(
        "system-prompt",
        _PROMPT,
        "reveal|print|show|repeat|output|leak|display|dump|disclose|recite|give me|tell me",
        30,
        "system prompt¦your",
        r"\b(?:system prompt|your (?:system message|(?:initial |original |hidden |full )?(?:instructions|prompt)))\b",
    ),
    _order(
        "system-prompt",
        _PROMPT,
        "repeat|recite|print|output",
        r" (?:back )?(?:everything|all(?: the)? text|the (?:text|words)) (?:above|before)"
        r"(?: this(?: line| message| prompt)?)?,? (?:verbatim|word for word|exactly)\b",
    ),
    _order("system-prompt", _PROMPT, "new system prompt|updated system prompt|real system prompt", r"\b"),
    _gapped(
        "system-prompt",
        _PROMPT,
        "revela|muestra|imprime|repite|enséñame|dime",
        30,
        "prompt del¦instrucciones del",
        r"\b(?:prompt|instrucciones) del sistema\b",
    ),
    _order(
        "system-prompt",
        _PROMPT,
        "输出|显示|泄露|透露|打印|告诉我|重复|顯示|洩露|告訴我|輸出",
        r"[^。\n]{0,10}?(?:系统|系統)提示",
    ),
    _gapped(
        "disable-safety",
        _UNSAFE,
        "ignore|disregard|override|bypass|disable|circumvent|forget|turn off|switch off|skip",
        30,
        "safety¦security¦ethical¦agent¦guardrail",
        rf"(?:{_GUARD}|\bguardrails\b)",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "ignore|disregard|override|bypass|disable|circumvent|forget|turn off|switch off|skip",
        r"s? (?:all |any |the |your )?(?:(?:user|human) )?(?:confirmation|approval) (?:checks?|prompts?|dialogs?)\b",
    ),
    _gapped(
        "disable-safety",
        _UNSAFE,
        "disable|bypass|escape|turn off|switch off|leave",
        12,
        "sandbox",
        r"\bsandbox(?:ing)?\b[^.\n]{0,20}?\byou (?:run|execute|start|install|build|use)\b",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "set|switch|change",
        r" (?:the |your )?approval (?:mode|policy) to [\"'`]?(?:never|auto|none|yolo|full)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "you do not need|you don't need|you need no",
        r" (?:any |the |explicit |further )?(?:permission|approval|confirmation|consent|authori[sz]ation)"
        r" (?:from|of|by) (?:the |your |a )?(?:user|human|developer|owner|operator)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "approve|accept|allow|confirm",
        r" (?:every|all|any) (?:of the )?(?:tool (?:calls?|uses?)|(?:permission|approval) (?:prompts?|requests?))\b",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "ignore|disregard|override|bypass|forget",
        r" (?:all )?(?:of )?your (?:own )?(?:safety|security|ethical) rules\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "aprueba|acepta|autoriza",
        r"[rn]? (?:todas las|cualquier) (?:llamadas?|solicitud(?:es)?|petici(?:ón|ones))\b[^.\n]{0,24}?"
        r"\bsin (?:preguntar|confirmar|pedir|consultar)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "自动批准|自动同意|自动接受|自動批准|自動同意|自動接受",
        r"(?:所有|一切|全部|任何)(?:的)?(?:工具调用|权限请求|工具呼叫|權限請求)",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "tự động chấp nhận|tự động phê duyệt|tự động đồng ý",
        r" (?:mọi|tất cả|tất cả các|các) (?:lệnh gọi công cụ|lời gọi công cụ|yêu cầu quyền)",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "tắt|bỏ qua|vô hiệu hóa",
        r" (?:mọi |tất cả |tất cả các |các )?(?:kiểm tra|biện pháp|hạn chế|cơ chế|bộ lọc) (?:an toàn|bảo mật)\b",
    ),
    _order("disable-safety", _UNSAFE, "bash(*)", ""),
    _order("disable-safety", _UNSAFE, "dangerouslydisablesandbox", r"[\"'`]?[ ]?[:=][ ]?true\b"),
    _order(
        "disable-safety",
        _UNSAFE,
        "--no-verify",
        r"[`\"']?,? (?:so that|so|to (?:skip|avoid|bypass|get around))\b[^.\n]{0,20}?"
        r"\b(?:secrets?|security|scan(?:ner)?)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "the user|the human|the developer|the owner",
        r" (?:has |have )?(?:already )?(?:pre-?)?(?:approved|authori[sz]ed) (?:all|every|any|this|these|each)\b"
        r"[^.\n]{0,20}?\b(?:commands?|commits?|edits?|changes|actions?|tool calls?|writes)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "执行|运行|提交|删除|執行|刪除",
        r"[^。\n]{0,8}?(?:不需要|无需|不用|不必|不要|無需)(?:询问|征求|詢問|徵求)[^。\n]{0,3}?(?:用户|用戶|使用者)",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox",
        r"\b",
    ),
    _gapped(
        "disable-safety",
        _UNASKED,
        "execute|run|install|upload|forward|delete|send|transfer|modify",
        120,
        "without",
        r"\bwithout (?:any |the |further )?(?:(?:user|human)(?:'s)? (?:confirmation|approval|permission"
        r"|consent)|(?:asking|notifying|telling) (?:the (?:user|human|developer)|any(?:body|one)))\b",
    ),
    _gapped(
        "disable-safety",
        _UNASKED,
        "execute|run|install",
        60,
        "without",
        r"\bwithout (?:any |further |asking for |requiring )?"
        r"(?:confirmation|approval|permission|consent|verification)\b",
        between=("command", "script", "package"),
    ),
    _gapped(
        "disable-safety",
        _UNSAFE,
        "desactiva|deshabilita|ignora|omite|omitir|salta|anula",
        30,
        "medidas¦protocolo¦controles¦filtros¦comprobaciones¦restricciones",
        r"\b(?:medidas|protocolos?|controles|filtros|comprobaciones|restricciones) de seguridad\b",
        endings="|r|d",
    ),
    _gapped(
        "disable-safety",
        _UNASKED,
        "ejecuta|instala|borra|aprueba",
        60,
        "sin ",
        r"\bsin (?:pedir )?(?:la )?(?:confirmación|aprobación|permiso) (?:del|de la|al|a la) usuari[oa]\b",
        endings="|r|n",
    ),
    _order(
        "disable-safety",
        _UNSAFE,
        "忽略|绕过|关闭|禁用|跳过|无视|繞過|關閉|跳過|無視",
        r"[^。\n]{0,10}?安全(?:检查|限制|措施|协议|机制|策略|檢查|協議|機制)",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "无需|不用|不需要|不必|無需",
        r"(?:经过|經過)?(?:用户|人工|用戶|使用者)(?:的)?(?:确认|批准|同意|許可|確認)[^。\n]{0,4}?(?:执行|运行|執行)",
    ),
)

# Literal command lines and the marks of a chat's roles: no prohibition excuses them.
LITERAL = Table(
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "curl|wget|fetch",
        400,
        "|",
        r"\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:-[a-z]{1,4}[ \t]{1,4})?"
        r"(?:env[ \t]{1,4})?" + _SHELL,
        stops="\n;",
    ),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "curl|wget",
        360,
        "&&¦;",
        r"(?:&&|;)[ \t]{0,4}(?:sudo[ \t]{1,4})?"
        r"(?:chmod[ \t]{1,4}(?:\+x|[0-7]{3,4})|(?:ba|z|da)?sh|python[0-9.]{0,4})[ \t]",
        between=("-o", "so ", "lo ", "--output"),
        stops="\n",
    ),
    # It saves what it gets under its own name.
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "wget",
        200,
        "&&¦;",
        r"(?:&&|;)[ \t]{0,4}(?:sudo[ \t]{1,4})?"
        r"(?:chmod[ \t]{1,4}(?:\+x|[0-7]{3,4})|(?:ba|z|da)?sh|python[0-9.]{0,4})[ \t]",
        stops="\n;",
    ),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "curl|wget",
        200,
        "|",
        r"\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tar\b[^\n&;|]{0,60}+(?:&&|;)[ \t]{0,4}"
        r"(?:cd [^\n&;|]{1,60}+(?:&&|;)[ \t]{0,4})?"
        r"(?:sudo[ \t]{1,4})?(?:\./|bash[ \t]|sh[ \t]|make[ \t]{1,4}install)",
        stops="\n;",
    ),
    _order("remote-code", _UNSEEN_CODE, "npx|bunx", r"[ ](?:-{1,2}[a-z]{1,8} ){0,2}https?://"),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "sh|bash|zsh|dash|ksh|eval|source|python|python3",
        12,
        "<(¦$(¦`",
        r"(?:<\(|\$\(|`)[ \t]{0,4}(?:curl|wget)\b",
        endings="",
        stops="\n.",
    ),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "node|ruby|perl|php",
        12,
        "$(",
        r"\$\([ \t]{0,4}(?:curl|wget)\b",
        endings="",
        stops="\n.",
    ),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "python|python3",
        160,
        "exec(¦eval(",
        r"(?:exec|eval)\([^\n]{0,60}?(?:urlopen|urlretrieve|requests\.get|https?://)",
        between=("-c",),
        endings="",
        stops="\n",
    ),
    _gapped(
        "remote-code",
        _UNSEEN_CODE,
        "iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring",
        200,
        "|",
        r"\|[ \t]{0,4}(?:iex|invoke-expression)\b",
        stops="\n",
    ),
    _order(
        "remote-code",
        _UNSEEN_CODE,
        "iex|invoke-expression",
        r"[ \t]{0,4}[(&\"'$\[]{1,4}[^\n]{0,80}?(?:\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring)",
    ),
    _order(
        "remote-code",
        "hidden code that is run",
        "base64",
        r"[ \t]{1,4}(?:-d|--decode)\b[^\n|]{0,80}+\|[ \t]{0,4}(?:sudo[ \t]{1,4})?" + _SHELL,
    ),
    _gapped(
        "remote-code",
        "text that tells an agent to run what it finds on the network",
        "download|navigate to|fetch|open|visit",
        120,
        "and¦then",
        r"\b(?:and|then)\b[^.\n]{0,20}?\b(?:run|execute) (?:it|the (?:script|code|file|payload|command)"
        r"|whatever|any(?:thing)?)\b",
        stops="\n",
    ),
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "curl|wget",
        200,
        " -d¦ --data¦ -f¦ --form¦ -t¦ --upload-file¦ --post-file",
        r"[ ](?:-d|--data(?:-binary|-raw)?|-f|--form|-t|--upload-file|--post-file)[ =]?[\"']?"
        rf"[^\s\"']{{0,104}}?{_PRECIOUS}",
        stops="\n|;",
    ),
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "cat|xargs|printenv|env|tar|zip|find|base64|gzip|xxd",
        200,
        "|",
        r"\|[ \t]{0,4}(?:(?:curl|wget)\b[^\n]{0,80}?(?:@-|-d|-t|--data)|(?:nc|ncat|netcat)\b)",
        stops="\n",
    ),
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "curl|wget",
        200,
        "$(¦`",
        r"(?:\$\(|`)[ ]?(?:(?:cat|base64|head|tail|xxd|gzip|tar)\b|<)[^)\n]{0,60}?"
        r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc\b|/etc/(?:passwd|shadow))",
        stops="\n;",
    ),
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "nc|ncat|netcat|curl|telnet",
        80,
        "<",
        r"<[ \t]?[^\s<>|;]{0,60}?(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc\b|/etc/(?:passwd|shadow))",
        stops="\n;|",
    ),
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "echo|printf|gh|aws|gcloud|az|kubectl|security|pass",
        160,
        "|",
        r"\|[ \t]{0,4}(?:base64[^\n|]{0,12}\|[ \t]{0,4})?(?:xargs\b[^\n|]{0,20}?)?(?:curl|wget|nc|ncat)\b",
        between=("auth token", "secret", "_key", "_token", "password", "access-token"),
        stops="\n;",
    ),
    _order(
        "exfiltration",
        "a command that sends files out",
        "credential.helper",
        r"[^\n!]{0,40}![^\n]{0,120}?\b(?:curl|wget|nc)\b",
    ),
    # A public key may go, and `-i` names the key to come in with.
    _gapped(
        "exfiltration",
        "a command that sends files out",
        "scp|rsync|aws|gsutil|rclone",
        60,
        "~/.ssh¦~/.aws",
        r"(?<!-i )~/\.(?:ssh|aws)(?:/(?![^\s]{0,40}\.pub\b)[^\s]{0,40})?[ \t]{1,4}[^\s:]{1,80}:",
        stops="\n|;",
    ),
    Rule(
        "system-voice",
        _VOICE,
        ("human:",),
        r"[^\n]{1,400}\n{1,3}assistant:",
        fold=True,
    ),
    Rule(
        "system-voice",
        _VOICE,
        ("[system]",),
        r":?[ \t]{1,4}(?:the user|you|all|ignore|new|from)\b",
        before="",
        fold=True,
    ),
    Rule(
        "system-voice",
        _VOICE,
        (
            "<system",
            "</system",
            "<sys",
            "</sys",
            "<assistant",
            "</assistant",
            "<im_start",
            "<im_end",
            "</im_",
            "<|im_start|>",
            "<|im_end|>",
            "<|system|>",
            "<|user|>",
            "<|assistant|>",
            "<|endoftext|>",
            "<<sys>>",
            "<</sys>>",
            "<tool_result",
            "</tool_result",
            "<function_result",
            "</function_result",
            "<hidden ",
            "[inst]",
            "[/inst]",
            "{_system",
            "### system:",
            "###system:",
        ),
        r"(?:(?<=[a-z])(?:[: -][^<>\n]{0,80})?>|(?<=hidden )[^<>\n]{1,200}>|(?<=[>\]:])|(?<=\{_system)_?\b)",
        before="",
        fold=True,
    ),
    _order(
        "system-voice",
        _VOICE,
        "ai |agent |agent_|system |system_|assistant |automated |llm ",
        r"(?:agents?[ _-])?(?:override|directive)s?(?:[ _-](?:override|instruction)s?)?[ \t]{0,2}[:\]]",
    ),
    _order("system-voice", _VOICE, "begin system|end system|begin new system", r" (?:prompt|message|instructions?)\b"),
    _order(
        "system-voice",
        _VOICE,
        "assistant note|ai note|llm note|note to ai|note to the ai|note to assistant|note to the assistant|dear ai"
        "|dear llm|dear assistant|dear agent|dear copilot|dear claude|dear chatgpt|dear codex|dear gemini|dear cursor",
        r"(?: (?:agent|assistant|model)s?)?[ ]?[:,]",
    ),
    _order(
        "system-voice",
        _VOICE,
        "attention|notice|note|message|warning|important",
        r"[:,]?[ \t](?:to |for )?(?:any |all )?(?:ai|llm|automated|language model)s?\b[ \t]?(?:[a-z]{1,12}[ \t]){0,2}?"
        r"(?:agents?|assistants?|systems?|models?|processors?|readers?|bots?)\b",
    ),
    _order(
        "system-voice",
        _VOICE,
        "automated processors|override_instruction|system-directive|system_directive",
        r"s?[ :=\n]",
    ),
    _order(
        "system-voice",
        _VOICE,
        "treat|consider|regard|interpret",
        r" (?:this|these|the following)\b[^.\n]{0,30}? as (?:an? |the |your |my )?(?:new )?"
        r"(?:system (?:message|prompt|instruction)|(?:user|developer)(?:'s)? instruction)s?\b",
    ),
    _order(
        "system-voice",
        _VOICE,
        "ai |assistant |agent |model |llm |assistants |agents |models |llms ",
        r"(?:agents? |assistants? |models? )?(?:that reads?|who reads?|reading|processing|parsing) "
        r"this (?:file|note|document|text|memory|message|page)?\b",
    ),
    _order("system-voice", _VOICE, "instructions", r":[ \t]?[\"']?override\b"),
    _order(
        "system-voice",
        _VOICE,
        "system:",
        r" ?(?:the |all )?(?:previous|prior|earlier|above) (?:rules|instructions|guidelines|restrictions) "
        r"(?:no longer|do not|don't) apply\b",
    ),
)

# What only reference text may not hold: rules and skills speak to the agent by their nature.
REFERENCE = Table(
    _gapped(
        "conceal",
        _CONCEAL,
        "do not tell|do not inform|do not notify|do not mention|do not alert|do not reveal|don't tell|don't inform"
        "|don't notify|don't mention|don't alert|don't reveal|never tell|never inform|never notify|never mention"
        "|never alert|never reveal|must not tell|must not mention|without telling|without informing|without notifying"
        "|without alerting",
        44,
        "user¦human¦owner¦developer¦operator",
        # What belongs to a user is private, and what an application does not tell its users is no secret of an agent:
        # "do not reveal the user's address", "never tell users which accounts exist".
        r"\b(?:user|human|owner|developer|operator)s?\b(?!['’]"
        r"| (?:interface|input|agent|ids?|tables?|names?|e-?mails?|addresses|data|passwords?|by (?:name|id))\b)"
        # What a program does not say to those who use it.
        r"(?! in (?:production|the ui|error|log)|s? to\b)"
        r"(?!(?<=users) (?:their|which|whether|how many|about (?!this|that|these|those|it\b|the|your|any|what|our|my))"
        r"\b)",
        endings="",
    ),
    _gapped(
        "conceal",
        _CONCEAL,
        "no|nunca|sin",
        8,
        "digas¦informes¦avises¦menciones¦notifiques¦reveles¦cuentes¦avisar¦informar¦notificar¦decir",
        r"\b(?:digas|informes|avises|menciones|notifiques|reveles|cuentes|avisar|informar|notificar|decir)"
        r"\b[^.\n]{0,30}?\b(?:al|a la|a los|el|la) usuari[oa]s?\b",
        endings="",
    ),
    _order(
        "conceal",
        _CONCEAL,
        "不要|别|切勿|请勿|不得|不能|不可|別|勿",
        r"(?:(?:告诉|通知|告知|提醒|告訴)[^。\n]{0,6}?(?:用户|用戶|使用者)"
        r"|(?:让|讓)[^。\n]{0,4}?(?:用户|用戶|使用者)[^。\n]{0,3}?(?:知道|知晓|知曉|得知|发现|發現|看到|看见|看見|察觉|察覺|了解|注意到)"
        r"|向[^。\n]{0,4}?(?:用户|用戶|使用者)[^。\n]{0,3}?"
        r"(?:透露|提及|提起|提到|说|說|报告|報告|汇报|匯報|告知|披露|解释|解釋|承认|承認|坦白|泄露|洩露|公开|公開))",
    ),
    _order(
        "conceal",
        _CONCEAL,
        "hide|conceal|keep",
        r" (?:this|that|the|your) (?:change|commit|edit|step|action|fact|file|note|instruction|diff)s? from "
        r"(?:the |your |any )?(?:user|human|reviewer|developer|owner|operator|maintainer|team)s?\b",
    ),
    _order(
        "conceal",
        _CONCEAL,
        "sag|sage|erzähle|verrate",
        r"[^.\n]{0,8}?\bdem (?:benutzer|nutzer|anwender)\b[^.\n]{0,10}?\b(?:nichts|nicht)\b",
    ),
    _order(
        "conceal", _CONCEAL, "ne dis|ne dites|ne révélez|ne révèle", r"[^.\n]{0,20}?(?:à l['’]|aux )utilisateurs?\b"
    ),
    _order("conceal", _CONCEAL, "对用户隐瞒|对用户隐藏|瞒着用户|對使用者隱瞞|對用戶隱瞞|瞞著使用者", ""),
    _order(
        "conceal",
        _CONCEAL,
        "oculta|esconde",
        r"[rn]? (?:est[eo]s?|tus?|los|el) (?:cambios?|errores|error|borrados?)\b[^.\n]{0,12}?"
        r"\b(?:al|a la|a los) usuari[oa]",
    ),
    _order(
        "conceal",
        _CONCEAL,
        "đừng|không được|chớ",
        r" (?:nói|báo|cho|tiết lộ|thông báo|kể)\b[^.\n]{0,12}?\bngười dùng (?:rằng|biết|là|về)\b",
    ),
    _order("conceal", _CONCEAL, "giấu|che giấu", r" [^.\n]{0,30}?\bkhỏi người dùng\b"),
    _gapped(
        "override",
        _IGNORE,
        "ignore|disregard|forget|override|overriding|bypass",
        40,
        "previous¦prior¦above¦earlier¦preceding¦foregoing¦initial¦original¦your¦system¦all ¦any ¦every¦these¦those"
        "¦the ",
        r"\b(?:(?:previous|prior|above|earlier|preceding|foregoing|initial|original|your|system)\b"
        rf"[^.\n]{{0,30}}?\b{_NOUN}|(?:all|any|every|these|those|the) (?:of )?(?:the |your )?"
        r"(?:instructions|directives|orders)\b|(?:everything|all) (?:above|before|you)\b)",
    ),
    _gapped(
        "override",
        _IGNORE,
        "ignora|olvida|descarta|omite|desatiende",
        30,
        "todas¦tus",
        r"\b(?:todas (?:las|tus)|tus) (?:instrucciones|órdenes|reglas)\b",
        endings="|r|d",
    ),
    _order(
        "override",
        _IGNORE,
        "忽略|无视|忘记|忘掉|不要理会|抛开|無視|忘記|不要理會",
        r"[^。\n]{0,8}?(?:之前|以前|以上|前面|先前|上述|所有|一切|全部|系统|系統|你的)"
        r"[^。\n]{0,8}?(?:指令|指示|提示|规则|命令|要求|規則|说明|說明)",
    ),
    _order(
        "override",
        _IGNORE,
        "new instructions|updated instructions|your new task|your real task|your new goal",
        r"(?: is| are| for (?:you|(?:the |any |all )?(?:ai |coding )?(?:assistant|agent|model|llm)s?))?[ ]?[:：]",
    ),
    _order(
        "role",
        _ROLE,
        "you are now|you're now",
        r" (?:an? |the |no longer |free |in (?:[a-z]{1,16} ){0,2}mode\b|called )",
    ),
    _order("role", _ROLE, "you are no longer", r" an? (?:[a-z]{1,12} ){0,2}(?:assistant|agent|model|ai|chatbot|bot)\b"),
    _order(
        "role",
        _ROLE,
        "from now on|from this point on|from this point forward|from here on",
        r",? you(?: are|'re| will| must|r)\b",
    ),
    _order("role", _ROLE, "act as", r" (?:an? )?(?:unrestricted|jailbroken|uncensored|dan\b|root\b)"),
    _order("role", _ROLE, "pretend", r" (?:that )?(?:you are|you're|to be) "),
    _order("role", _ROLE, "you are", r" (?:[a-z]{1,20}gpt|dan)\b"),
    _order("role", _ROLE, "ahora eres", r" (?:un|una|el|la)\b"),
    _order(
        "role",
        _ROLE,
        "a partir de ahora|a partir de este momento|desde ahora",
        r",? (?:eres|debes|vas a|responderás|obedece)\b|,? responde solo\b",
    ),
    _order("role", _ROLE, "từ bây giờ|kể từ bây giờ|từ giờ", r",? bạn (?:là|phải|sẽ là)\b"),
    _order("role", _ROLE, "finge", r" (?:que eres|ser)\b"),
    _order("role", _ROLE, "你现在是|你現在是|你将扮演|你將扮演|假装你是|假裝你是", ""),
    _order("role", _ROLE, "从现在|從現在", r"(?:开始|起|開始)[,，]?你"),
    _order(
        "obey",
        _OBEY,
        "agent must|assistant must|model must",
        r" (?:now |first |always |immediately )?(?:completely )?"
        r"(?:ignore|execute|follow|obey|comply|send|upload|connect|reveal|bypass)\b",
    ),
    _order(
        "obey",
        _OBEY,
        "claude|copilot|chatgpt|codex|gemini|assistant",
        r", (?:please )?(?:ignore|forget|disable|insert|delete|approve|send|upload)\b",
    ),
    _order(
        "disable-safety",
        _UNASKED,
        "do not ask|don't ask|never ask",
        r" (?:the (?:user|human) |me |anyone |anybody )?for (?:any )?(?:confirmation|permission|approval)\b",
    ),
    _order(
        "obey",
        _OBEY,
        "when you|whenever you|if you|once you|as soon as you",
        r" (?:see|read|find|load|process|encounter) this (?:note|file|memory|text|document|instruction)s?\b,? "
        r"(?:[a-z]{1,12} )?(?:silently|quietly|secretly|immediately|run|execute|send|push|commit|publish)\b",
    ),
    _order(
        "obey",
        _OBEY,
        "you must immediately|you must respond to all requests|your next action should|your next action must",
        r"\b",
    ),
    _order(
        "obey",
        _OBEY,
        "you must",
        r" (?:now|first) (?:connect|execute|send|copy|upload|run|override|comply|follow|obey)\b",
    ),
)

# What turns a comment, which a reader of the page does not see, into a message to an agent.
ADDRESSED = Table(
    _order(
        "obey",
        _OBEY,
        "ai|llm|llms|assistant|assistants|agent|agents|claude|copilot|chatgpt|codex|gemini|cursor",
        r"(?: agents?| assistants?| models?| code)?[ ]?(?:[:：,]|must\b|should\b)",
    ),
)
