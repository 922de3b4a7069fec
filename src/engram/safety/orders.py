"""The orders that a text can give to an agent, in several languages; ``instructions`` runs them."""

from __future__ import annotations

from engram.safety.order_rows import (
    GUARD,
    IGNORE,
    LOOT,
    LOOT_ES,
    LOOT_ZH,
    OBEY,
    OUT,
    PROMPT,
    SENDS_OUT,
    THINGS,
    THINGS_ES,
    UNASKED,
    UNSAFE,
    gapped,
    order,
)
from engram.safety.rule import Table

__all__ = ["ADDRESSED", "WORDED"]

# What nobody may write into any memory. A prohibition directly before it takes it out.
WORDED = Table(
    gapped(
        "exfiltration",
        SENDS_OUT,
        "send|upload|post|transmit|exfiltrate|e-mail|email|forward|leak|copy|sending|uploading|posting",
        60,
        THINGS,
        rf"{LOOT}(?>[^\n]{{0,80}}?\b(?:to|at)\b)[^\n]{{0,60}}?{OUT}",
    ),
    gapped(
        "exfiltration",
        SENDS_OUT,
        "envía|envia|manda|sube|subir|filtra|copia|publica",
        60,
        THINGS_ES,
        rf"{LOOT_ES}(?>[^\n]{{0,60}}?\b(?:a|al|en)\b)[^\n]{{0,60}}?"
        r"(?:https?://|servidor|correo|direcci[oó]n|[a-z0-9._-]{1,40}@)",
        endings="|r|n",
    ),
    gapped(
        "exfiltration",
        SENDS_OUT,
        "paste|post|attach|upload|send|copy",
        40,
        "~/.ssh¦id_rsa¦id_ed25519¦~/.aws¦/etc/shadow",
        r"(?:~/\.ssh/[a-z0-9_]{1,30}|id_rsa|id_ed25519|~/\.aws/credentials|/etc/shadow)[^.\n]{0,20}?"
        r"\b(?:into|in|to|on) (?:the |an? |this |your )?"
        r"(?:issue|chat|comment|pull request|pr|gist|message|reply|prompt|ticket|channel|https?://|[a-z0-9._-]{1,40}@)"
        r"\b",
    ),
    gapped(
        "exfiltration",
        SENDS_OUT,
        "read|open|take|encode",
        30,
        THINGS,
        rf"{LOOT}[^.\n]{{0,30}}?\b(?:include|paste|put|repeat|append|add|attach|post) "
        r"(?:it|them|(?:its|their|the) (?:contents?|values?)) (?:in|into|to) (?:your|the|an?) (?:next )?"
        r"(?:reply|answer|response|comment|issue|url|query string|image)\b",
    ),
    order(
        "exfiltration",
        SENDS_OUT,
        "reply with|respond with|answer with",
        r" (?:(?:the|all|any|every|your|each|its|full|contents?|values?|of|list) ){1,5}"
        r"(?:environment variables?|\.env\b|(?:private|ssh) keys?|credentials|passwords|secrets)\b",
    ),
    gapped(
        "exfiltration",
        SENDS_OUT,
        "append|add|put|include|embed|encode|insert|post|paste|attach|write|copy",
        40,
        THINGS,
        rf"{LOOT}[^.\n]{{0,30}}?\b(?:in|into|to|as) (?:(?:every|each|any|all) (?:[a-z]{{1,12}} ){{0,2}}"
        r"(?:urls?|links?|images?|messages?|comments?|repl(?:y|ies)|answers?)"
        r"|(?:the|an?|your) (?:image (?:url|link|tag)s?|comment|issue|commit message|branch name|pull request|pr"
        r"|(?:next )?(?:reply|answer)))\b",
    ),
    order(
        "exfiltration",
        SENDS_OUT,
        "gửi|tải lên|sao chép",
        r"[^.\n]{0,20}?(?:khóa (?:ssh|api|riêng)|mật khẩu|biến môi trường|thông tin đăng nhập|token|\.env\b|id_rsa)"
        r"[^.\n]{0,30}?\b(?:tới|đến|lên|cho)\b[^.\n]{0,20}?(?:https?://|máy chủ|địa chỉ|[a-z0-9._-]{1,40}@)",
    ),
    order(
        "exfiltration",
        SENDS_OUT,
        "把|将|將",
        rf"(?>[^。\n]{{0,20}}?{LOOT_ZH})[^。\n]{{0,15}}?(?:发送|上传|发到|传到|泄露|發送|上傳|傳到|發到|洩露)",
    ),
    order(
        "exfiltration",
        SENDS_OUT,
        "把|将|將|发送|上传|發送|上傳",
        r"[^。\n]{0,12}?(?:\.env\b(?!\.)|id_rsa|~/\.(?:ssh|aws))[^。\n]{0,15}?(?:到|给|給|至)[^。\n]{0,10}?https?://",
    ),
    order(
        "exfiltration",
        SENDS_OUT,
        "发送|上传|泄露|發送|上傳|洩露",
        rf"(?>[^。\n]{{0,12}}?{LOOT_ZH})[^。\n]{{0,10}}?[到至给給]",
    ),
    # To address the model's own system is nobody's business, a rule's neither.
    gapped(
        "override",
        IGNORE,
        "ignore|disregard|forget|override|overriding|bypass|discard|do not follow|don't follow|stop following|abandon"
        "|pay no attention to|take no notice of|do not obey|don't obey",
        32,
        "previous¦prior¦above¦earlier¦preceding¦foregoing¦initial¦original¦your¦system",
        r"\b(?:previous|prior|above|earlier|preceding|foregoing|initial|original|system"
        r"|your(?: own| previous| system)?)(?: (?:or|and) (?:prior|earlier|system))? (?:[a-z]{1,12} )?"
        r"(?:instructions?|prompts?|directives?|guidelines|programming|orders|system message)\b",
    ),
    order("override", IGNORE, "suspend normal operations", ""),
    order(
        "override",
        IGNORE,
        "your previous|your prior|your original|your earlier|all previous|all prior",
        r" (?:rules|instructions|guidelines|orders|directives|polic(?:y|ies)) (?:are|is|were) (?:now |hereby )?"
        r"(?:void|null|cancell?ed|suspended|revoked|fake|a test|no longer (?:valid|in force))\b",
    ),
    order(
        "override",
        IGNORE,
        "instructions above",
        r" (?:were|are|was) (?:only |just )?(?:a test|fake|wrong|void|not real|no longer valid)\b",
    ),
    order(
        "override",
        IGNORE,
        "ignoriere|ignorieren|vergiss|missachte",
        r"[^.\n]{0,20}?(?:vorherigen|vorigen|bisherigen|obigen|früheren|ursprünglichen)[^.\n]{0,10}?"
        r"(?:anweisung|instruktion|befehl|regel|anordnung)",
    ),
    order(
        "override",
        IGNORE,
        "ignorez|ignore|oubliez|oublie",
        r"[^.\n]{0,20}?(?:instructions|consignes|directives|règles)[^.\n]{0,6}?"
        r"(?:précédentes|antérieures|ci-dessus|initiales|du système)",
    ),
    order(
        "override",
        IGNORE,
        "ignore|ignora|esqueça|desconsidere",
        r"[^.\n]{0,12}?(?:instruções|ordens|regras|diretrizes)[^.\n]{0,6}?"
        r"(?:anteriores|prévias|acima|do sistema|iniciais)",
    ),
    order(
        "override",
        IGNORE,
        "以前の|これまでの|上記の|今までの",
        r"[^。\n]{0,4}?(?:指示|命令|ルール|指令|プロンプト)[^。\n]{0,8}?(?:無視|忘れ)",
    ),
    order(
        "override",
        IGNORE,
        "이전|위의|지금까지의|앞선",
        r"[^.\n]{0,6}?(?:지시|명령|규칙|지침|프롬프트)[^.\n]{0,10}?(?:무시|잊)",
    ),
    order(
        "override",
        IGNORE,
        "игнорируй|забудь|не обращай внимания на|не обращайте внимания на",
        r"(?:те)?[^.\n]{0,12}?(?:предыдущ|прежн|вышеуказанн|системн)[а-я]{0,6}[^.\n]{0,3}?(?:инструкци|указани|правил|команд)",
    ),
    order(
        "override",
        IGNORE,
        "ignore|disregard|forget",
        r" (?:everything|anything|all|what|whatever)(?: that)? (?:(?:the (?:developer|user|human|system|owner)|i|we)"
        r"(?: has| have)? (?:said|told|wrote|instructed)"
        r"|you(?: were|'ve been| have been) (?:told|instructed|taught))\b",
    ),
    order(
        "override",
        IGNORE,
        "ignora|olvida|descarta",
        r"r? (?:todo )?lo (?:que (?:se )?te (?:dij|han dicho|hayan dicho|ordenaron|indicaron)"
        r"|(?:anterior|de arriba)\b)",
    ),
    gapped(
        "override",
        IGNORE,
        "ignora|olvida|descarta|omite|omitir|desatiende|haz caso omiso de",
        30,
        "instrucciones¦órdenes¦ordenes¦reglas¦indicaciones¦directrices",
        r"\b(?:instrucciones|órdenes|ordenes|reglas|indicaciones|directrices)\b[^.\n]{0,20}?"
        r"\b(?:anteriores|previas|del sistema|iniciales|originales|precedentes|recibidas)\b",
        endings="|r|d",
    ),
    order(
        "override",
        IGNORE,
        "忽略|无视|忘记|忘掉|不要理会|抛开|無視|忘記|不要理會",
        r"[^。\n]{0,8}?(?:之前|以前|以上|前面|先前|上述|系统|系統|你的)[^。\n]{0,8}?(?:指令|指示|提示)",
    ),
    order(
        "override",
        IGNORE,
        "bỏ qua|phớt lờ|hãy quên",
        r"[^.\n]{0,20}?(?:hướng dẫn|chỉ dẫn|chỉ thị|mệnh lệnh|quy tắc)[^.\n]{0,12}?(?:trước|ở trên|hệ thống|ban đầu)",
    ),
    gapped(
        "system-prompt",
        PROMPT,
        "reveal|print|show|repeat|output|leak|display|dump|disclose|recite|give me|tell me",
        30,
        "system prompt¦your",
        r"\b(?:system prompt|your (?:system message|(?:initial |original |hidden |full )?(?:instructions|prompt)))\b",
    ),
    order(
        "system-prompt",
        PROMPT,
        "repeat|recite|print|output",
        r" (?:back )?(?:everything|all(?: the)? text|the (?:text|words)) (?:above|before)"
        r"(?: this(?: line| message| prompt)?)?,? (?:verbatim|word for word|exactly)\b",
    ),
    order("system-prompt", PROMPT, "new system prompt|updated system prompt|real system prompt", r"\b"),
    gapped(
        "system-prompt",
        PROMPT,
        "revela|muestra|imprime|repite|enséñame|dime",
        30,
        "prompt del¦instrucciones del",
        r"\b(?:prompt|instrucciones) del sistema\b",
    ),
    order(
        "system-prompt",
        PROMPT,
        "输出|显示|泄露|透露|打印|告诉我|重复|顯示|洩露|告訴我|輸出",
        r"[^。\n]{0,10}?(?:系统|系統)提示",
    ),
    gapped(
        "disable-safety",
        UNSAFE,
        "ignore|disregard|override|bypass|disable|circumvent|forget|turn off|switch off|skip",
        30,
        "safety¦security¦ethical¦agent¦guardrail",
        rf"(?:{GUARD}|\bguardrails\b)",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "ignore|disregard|override|bypass|disable|circumvent|forget|turn off|switch off|skip",
        r"s? (?:all |any |the |your )?(?:(?:user|human) )?(?:confirmation|approval) (?:checks?|prompts?|dialogs?)\b",
    ),
    gapped(
        "disable-safety",
        UNSAFE,
        "disable|bypass|escape|turn off|switch off|leave",
        12,
        "sandbox",
        r"\bsandbox(?:ing)?\b[^.\n]{0,20}?\byou (?:run|execute|start|install|build|use)\b",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "set|switch|change",
        r" (?:the |your )?approval (?:mode|policy) to [\"'`]?(?:never|auto|none|yolo|full)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "you do not need|you don't need|you need no",
        r" (?:any |the |explicit |further )?(?:permission|approval|confirmation|consent|authori[sz]ation)"
        r" (?:from|of|by) (?:the |your |a )?(?:user|human|developer|owner|operator)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "approve|accept|allow|confirm",
        r" (?:every|all|any) (?:of the )?(?:tool (?:calls?|uses?)|(?:permission|approval) (?:prompts?|requests?))\b",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "ignore|disregard|override|bypass|forget",
        r" (?:all )?(?:of )?your (?:own )?(?:safety|security|ethical) rules\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "aprueba|acepta|autoriza",
        r"[rn]? (?:todas las|cualquier) (?:llamadas?|solicitud(?:es)?|petici(?:ón|ones))\b[^.\n]{0,24}?"
        r"\bsin (?:preguntar|confirmar|pedir|consultar)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "自动批准|自动同意|自动接受|自動批准|自動同意|自動接受",
        r"(?:所有|一切|全部|任何)(?:的)?(?:工具调用|权限请求|工具呼叫|權限請求)",
    ),
    order(
        "disable-safety",
        UNASKED,
        "tự động chấp nhận|tự động phê duyệt|tự động đồng ý",
        r" (?:mọi|tất cả|tất cả các|các) (?:lệnh gọi công cụ|lời gọi công cụ|yêu cầu quyền)",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "tắt|bỏ qua|vô hiệu hóa",
        r" (?:mọi |tất cả |tất cả các |các )?(?:kiểm tra|biện pháp|hạn chế|cơ chế|bộ lọc) (?:an toàn|bảo mật)\b",
    ),
    order("disable-safety", UNSAFE, "bash(*)", ""),
    order("disable-safety", UNSAFE, "dangerouslydisablesandbox", r"[\"'`]?[ ]?[:=][ ]?true\b"),
    order(
        "disable-safety",
        UNSAFE,
        "--no-verify",
        r"[`\"']?,? (?:so that|so|to (?:skip|avoid|bypass|get around))\b[^.\n]{0,20}?"
        r"\b(?:secrets?|security|scan(?:ner)?)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "the user|the human|the developer|the owner",
        r" (?:has |have )?(?:already )?(?:pre-?)?(?:approved|authori[sz]ed) (?:all|every|any|this|these|each)\b"
        r"[^.\n]{0,20}?\b(?:commands?|commits?|edits?|changes|actions?|tool calls?|writes)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "执行|运行|提交|删除|執行|刪除",
        r"[^。\n]{0,8}?(?:不需要|无需|不用|不必|不要|無需)(?:询问|征求|詢問|徵求)[^。\n]{0,3}?(?:用户|用戶|使用者)",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox",
        r"\b",
    ),
    gapped(
        "disable-safety",
        UNASKED,
        "execute|run|install|upload|forward|delete|send|transfer|modify",
        120,
        "without",
        r"\bwithout (?:any |the |further )?(?:(?:user|human)(?:'s)? (?:confirmation|approval|permission"
        r"|consent)|(?:asking|notifying|telling) (?:the (?:user|human|developer)|any(?:body|one)))\b",
    ),
    gapped(
        "disable-safety",
        UNASKED,
        "execute|run|install",
        60,
        "without",
        r"\bwithout (?:any |further |asking for |requiring )?"
        r"(?:confirmation|approval|permission|consent|verification)\b",
        between=("command", "script", "package"),
    ),
    gapped(
        "disable-safety",
        UNSAFE,
        "desactiva|deshabilita|ignora|omite|omitir|salta|anula",
        30,
        "medidas¦protocolo¦controles¦filtros¦comprobaciones¦restricciones",
        r"\b(?:medidas|protocolos?|controles|filtros|comprobaciones|restricciones) de seguridad\b",
        endings="|r|d",
    ),
    gapped(
        "disable-safety",
        UNASKED,
        "ejecuta|instala|borra|aprueba",
        60,
        "sin ",
        r"\bsin (?:pedir )?(?:la )?(?:confirmación|aprobación|permiso) (?:del|de la|al|a la) usuari[oa]\b",
        endings="|r|n",
    ),
    order(
        "disable-safety",
        UNSAFE,
        "忽略|绕过|关闭|禁用|跳过|无视|繞過|關閉|跳過|無視",
        r"[^。\n]{0,10}?安全(?:检查|限制|措施|协议|机制|策略|檢查|協議|機制)",
    ),
    order(
        "disable-safety",
        UNASKED,
        "无需|不用|不需要|不必|無需",
        r"(?:经过|經過)?(?:用户|人工|用戶|使用者)(?:的)?(?:确认|批准|同意|許可|確認)[^。\n]{0,4}?(?:执行|运行|執行)",
    ),
)


# What turns a comment, which a reader of the page does not see, into a message to an agent.
ADDRESSED = Table(
    order(
        "obey",
        OBEY,
        "ai|llm|llms|assistant|assistants|agent|agents|claude|copilot|chatgpt|codex|gemini|cursor",
        r"(?: agents?| assistants?| models?| code)?[ ]?(?:[:：,]|must\b|should\b)",
    ),
)
