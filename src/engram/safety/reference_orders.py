"""Orders that knowledge and notes may not give, and rules and skills may; ``instructions`` runs them."""

from __future__ import annotations

from engram.safety.order_rows import CONCEAL, IGNORE, NOUN, OBEY, ROLE, UNASKED, gapped, order
from engram.safety.rule import Table

__all__ = ["REFERENCE"]

# What only reference text may not hold: rules and skills speak to the agent by their nature.
REFERENCE = Table(
    gapped(
        "conceal",
        CONCEAL,
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
    gapped(
        "conceal",
        CONCEAL,
        "no|nunca|sin",
        8,
        "digas¦informes¦avises¦menciones¦notifiques¦reveles¦cuentes¦avisar¦informar¦notificar¦decir",
        r"\b(?:digas|informes|avises|menciones|notifiques|reveles|cuentes|avisar|informar|notificar|decir)"
        r"\b[^.\n]{0,30}?\b(?:al|a la|a los|el|la) usuari[oa]s?\b",
        endings="",
    ),
    order(
        "conceal",
        CONCEAL,
        "不要|别|切勿|请勿|不得|不能|不可|別|勿",
        r"(?:(?:告诉|通知|告知|提醒|告訴)[^。\n]{0,6}?(?:用户|用戶|使用者)"
        r"|(?:让|讓)[^。\n]{0,4}?(?:用户|用戶|使用者)[^。\n]{0,3}?(?:知道|知晓|知曉|得知|发现|發現|看到|看见|看見|察觉|察覺|了解|注意到)"
        r"|向[^。\n]{0,4}?(?:用户|用戶|使用者)[^。\n]{0,3}?"
        r"(?:透露|提及|提起|提到|说|說|报告|報告|汇报|匯報|告知|披露|解释|解釋|承认|承認|坦白|泄露|洩露|公开|公開))",
    ),
    order(
        "conceal",
        CONCEAL,
        "hide|conceal|keep",
        r" (?:this|that|the|your) (?:change|commit|edit|step|action|fact|file|note|instruction|diff)s? from "
        r"(?:the |your |any )?(?:user|human|reviewer|developer|owner|operator|maintainer|team)s?\b",
    ),
    order(
        "conceal",
        CONCEAL,
        "sag|sage|erzähle|verrate",
        r"[^.\n]{0,8}?\bdem (?:benutzer|nutzer|anwender)\b[^.\n]{0,10}?\b(?:nichts|nicht)\b",
    ),
    order("conceal", CONCEAL, "ne dis|ne dites|ne révélez|ne révèle", r"[^.\n]{0,20}?(?:à l['’]|aux )utilisateurs?\b"),
    order("conceal", CONCEAL, "对用户隐瞒|对用户隐藏|瞒着用户|對使用者隱瞞|對用戶隱瞞|瞞著使用者", ""),
    order(
        "conceal",
        CONCEAL,
        "oculta|esconde",
        r"[rn]? (?:est[eo]s?|tus?|los|el) (?:cambios?|errores|error|borrados?)\b[^.\n]{0,12}?"
        r"\b(?:al|a la|a los) usuari[oa]",
    ),
    order(
        "conceal",
        CONCEAL,
        "đừng|không được|chớ",
        r" (?:nói|báo|cho|tiết lộ|thông báo|kể)\b[^.\n]{0,12}?\bngười dùng (?:rằng|biết|là|về)\b",
    ),
    order("conceal", CONCEAL, "giấu|che giấu", r" [^.\n]{0,30}?\bkhỏi người dùng\b"),
    gapped(
        "override",
        IGNORE,
        "ignore|disregard|forget|override|overriding|bypass",
        40,
        "previous¦prior¦above¦earlier¦preceding¦foregoing¦initial¦original¦your¦system¦all ¦any ¦every¦these¦those"
        "¦the ",
        r"\b(?:(?:previous|prior|above|earlier|preceding|foregoing|initial|original|your|system)\b"
        rf"[^.\n]{{0,30}}?\b{NOUN}|(?:all|any|every|these|those|the) (?:of )?(?:the |your )?"
        r"(?:instructions|directives|orders)\b|(?:everything|all) (?:above|before|you)\b)",
    ),
    gapped(
        "override",
        IGNORE,
        "ignora|olvida|descarta|omite|desatiende",
        30,
        "todas¦tus",
        r"\b(?:todas (?:las|tus)|tus) (?:instrucciones|órdenes|reglas)\b",
        endings="|r|d",
    ),
    order(
        "override",
        IGNORE,
        "忽略|无视|忘记|忘掉|不要理会|抛开|無視|忘記|不要理會",
        r"[^。\n]{0,8}?(?:之前|以前|以上|前面|先前|上述|所有|一切|全部|系统|系統|你的)"
        r"[^。\n]{0,8}?(?:指令|指示|提示|规则|命令|要求|規則|说明|說明)",
    ),
    order(
        "override",
        IGNORE,
        "new instructions|updated instructions|your new task|your real task|your new goal",
        r"(?: is| are| for (?:you|(?:the |any |all )?(?:ai |coding )?(?:assistant|agent|model|llm)s?))?[ ]?[:：]",
    ),
    order(
        "role",
        ROLE,
        "you are now|you're now",
        r" (?:an? |the |no longer |free |in (?:[a-z]{1,16} ){0,2}mode\b|called )",
    ),
    order("role", ROLE, "you are no longer", r" an? (?:[a-z]{1,12} ){0,2}(?:assistant|agent|model|ai|chatbot|bot)\b"),
    order(
        "role",
        ROLE,
        "from now on|from this point on|from this point forward|from here on",
        r",? you(?: are|'re| will| must|r)\b",
    ),
    order("role", ROLE, "act as", r" (?:an? )?(?:unrestricted|jailbroken|uncensored|dan\b|root\b)"),
    order("role", ROLE, "pretend", r" (?:that )?(?:you are|you're|to be) "),
    order("role", ROLE, "you are", r" (?:[a-z]{1,20}gpt|dan)\b"),
    order("role", ROLE, "ahora eres", r" (?:un|una|el|la)\b"),
    order(
        "role",
        ROLE,
        "a partir de ahora|a partir de este momento|desde ahora",
        r",? (?:eres|debes|vas a|responderás|obedece)\b|,? responde solo\b",
    ),
    order("role", ROLE, "từ bây giờ|kể từ bây giờ|từ giờ", r",? bạn (?:là|phải|sẽ là)\b"),
    order("role", ROLE, "finge", r" (?:que eres|ser)\b"),
    order("role", ROLE, "你现在是|你現在是|你将扮演|你將扮演|假装你是|假裝你是", ""),
    order("role", ROLE, "从现在|從現在", r"(?:开始|起|開始)[,，]?你"),
    order(
        "obey",
        OBEY,
        "agent must|assistant must|model must",
        r" (?:now |first |always |immediately )?(?:completely )?"
        r"(?:ignore|execute|follow|obey|comply|send|upload|connect|reveal|bypass)\b",
    ),
    order(
        "obey",
        OBEY,
        "claude|copilot|chatgpt|codex|gemini|assistant",
        r", (?:please )?(?:ignore|forget|disable|insert|delete|approve|send|upload)\b",
    ),
    order(
        "disable-safety",
        UNASKED,
        "do not ask|don't ask|never ask",
        r" (?:the (?:user|human) |me |anyone |anybody )?for (?:any )?(?:confirmation|permission|approval)\b",
    ),
    order(
        "obey",
        OBEY,
        "when you|whenever you|if you|once you|as soon as you",
        r" (?:see|read|find|load|process|encounter) this (?:note|file|memory|text|document|instruction)s?\b,? "
        r"(?:[a-z]{1,12} )?(?:silently|quietly|secretly|immediately|run|execute|send|push|commit|publish)\b",
    ),
    order(
        "obey",
        OBEY,
        "you must immediately|you must respond to all requests|your next action should|your next action must",
        r"\b",
    ),
    order(
        "obey",
        OBEY,
        "you must",
        r" (?:now|first) (?:connect|execute|send|copy|upload|run|override|comply|follow|obey)\b",
    ),
)
