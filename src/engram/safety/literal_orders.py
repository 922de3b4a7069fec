"""Orders that are literal command lines and the marks of the roles in a chat; ``instructions`` runs them."""

from __future__ import annotations

from engram.safety.order_rows import PRECIOUS, SHELL, UNSEEN_CODE, VOICE, gapped, order
from engram.safety.rule import Rule, Table

__all__ = ["LITERAL"]

# Literal command lines and the marks of a chat's roles: no prohibition excuses them.
LITERAL = Table(
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "curl|wget|fetch",
        400,
        "|",
        r"\|[ \t]{0,4}(?:sudo[ \t]{1,4})?(?:-[a-z]{1,4}[ \t]{1,4})?"
        r"(?:env[ \t]{1,4})?" + SHELL,
        stops="\n;",
    ),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "curl|wget",
        360,
        "&&¦;",
        r"(?:&&|;)[ \t]{0,4}(?:sudo[ \t]{1,4})?"
        r"(?:chmod[ \t]{1,4}(?:\+x|[0-7]{3,4})|(?:ba|z|da)?sh|python[0-9.]{0,4})[ \t]",
        between=("-o", "so ", "lo ", "--output"),
        stops="\n",
    ),
    # It saves what it gets under its own name.
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "wget",
        200,
        "&&¦;",
        r"(?:&&|;)[ \t]{0,4}(?:sudo[ \t]{1,4})?"
        r"(?:chmod[ \t]{1,4}(?:\+x|[0-7]{3,4})|(?:ba|z|da)?sh|python[0-9.]{0,4})[ \t]",
        stops="\n;",
    ),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "curl|wget",
        200,
        "|",
        r"\|[ \t]{0,4}(?:sudo[ \t]{1,4})?tar\b[^\n&;|]{0,60}+(?:&&|;)[ \t]{0,4}"
        r"(?:cd [^\n&;|]{1,60}+(?:&&|;)[ \t]{0,4})?"
        r"(?:sudo[ \t]{1,4})?(?:\./|bash[ \t]|sh[ \t]|make[ \t]{1,4}install)",
        stops="\n;",
    ),
    order("remote-code", UNSEEN_CODE, "npx|bunx", r"[ ](?:-{1,2}[a-z]{1,8} ){0,2}https?://"),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "sh|bash|zsh|dash|ksh|eval|source|python|python3",
        12,
        "<(¦$(¦`",
        r"(?:<\(|\$\(|`)[ \t]{0,4}(?:curl|wget)\b",
        endings="",
        stops="\n.",
    ),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "node|ruby|perl|php",
        12,
        "$(",
        r"\$\([ \t]{0,4}(?:curl|wget)\b",
        endings="",
        stops="\n.",
    ),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "python|python3",
        160,
        "exec(¦eval(",
        r"(?:exec|eval)\([^\n]{0,60}?(?:urlopen|urlretrieve|requests\.get|https?://)",
        between=("-c",),
        endings="",
        stops="\n",
    ),
    gapped(
        "remote-code",
        UNSEEN_CODE,
        "iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring",
        200,
        "|",
        r"\|[ \t]{0,4}(?:iex|invoke-expression)\b",
        stops="\n",
    ),
    order(
        "remote-code",
        UNSEEN_CODE,
        "iex|invoke-expression",
        r"[ \t]{0,4}[(&\"'$\[]{1,4}[^\n]{0,80}?(?:\biwr\b|\birm\b|invoke-webrequest|invoke-restmethod|downloadstring)",
    ),
    order(
        "remote-code",
        "hidden code that is run",
        "base64",
        r"[ \t]{1,4}(?:-d|--decode)\b[^\n|]{0,80}+\|[ \t]{0,4}(?:sudo[ \t]{1,4})?" + SHELL,
    ),
    gapped(
        "remote-code",
        "text that tells an agent to run what it finds on the network",
        "download|navigate to|fetch|open|visit",
        120,
        "and¦then",
        r"\b(?:and|then)\b[^.\n]{0,20}?\b(?:run|execute) (?:it|the (?:script|code|file|payload|command)"
        r"|whatever|any(?:thing)?)\b",
        stops="\n",
    ),
    gapped(
        "exfiltration",
        "a command that sends files out",
        "curl|wget",
        200,
        " -d¦ --data¦ -f¦ --form¦ -t¦ --upload-file¦ --post-file",
        r"[ ](?:-d|--data(?:-binary|-raw)?|-f|--form|-t|--upload-file|--post-file)[ =]?[\"']?"
        rf"[^\s\"']{{0,104}}?{PRECIOUS}",
        stops="\n|;",
    ),
    gapped(
        "exfiltration",
        "a command that sends files out",
        "cat|xargs|printenv|env|tar|zip|find|base64|gzip|xxd",
        200,
        "|",
        r"\|[ \t]{0,4}(?:(?:curl|wget)\b[^\n]{0,80}?(?:@-|-d|-t|--data)|(?:nc|ncat|netcat)\b)",
        stops="\n",
    ),
    gapped(
        "exfiltration",
        "a command that sends files out",
        "curl|wget",
        200,
        "$(¦`",
        r"(?:\$\(|`)[ ]?(?:(?:cat|base64|head|tail|xxd|gzip|tar)\b|<)[^)\n]{0,60}?"
        r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc\b|/etc/(?:passwd|shadow))",
        stops="\n;",
    ),
    gapped(
        "exfiltration",
        "a command that sends files out",
        "nc|ncat|netcat|curl|telnet",
        80,
        "<",
        r"<[ \t]?[^\s<>|;]{0,60}?(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc\b|/etc/(?:passwd|shadow))",
        stops="\n;|",
    ),
    gapped(
        "exfiltration",
        "a command that sends files out",
        "echo|printf|gh|aws|gcloud|az|kubectl|security|pass",
        160,
        "|",
        r"\|[ \t]{0,4}(?:base64[^\n|]{0,12}\|[ \t]{0,4})?(?:xargs\b[^\n|]{0,20}?)?(?:curl|wget|nc|ncat)\b",
        between=("auth token", "secret", "_key", "_token", "password", "access-token"),
        stops="\n;",
    ),
    order(
        "exfiltration",
        "a command that sends files out",
        "credential.helper",
        r"[^\n!]{0,40}![^\n]{0,120}?\b(?:curl|wget|nc)\b",
    ),
    # A public key may go, and `-i` names the key to come in with.
    gapped(
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
        VOICE,
        ("human:",),
        r"[^\n]{1,400}\n{1,3}assistant:",
        fold=True,
    ),
    Rule(
        "system-voice",
        VOICE,
        ("[system]",),
        r":?[ \t]{1,4}(?:the user|you|all|ignore|new|from)\b",
        before="",
        fold=True,
    ),
    Rule(
        "system-voice",
        VOICE,
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
    order(
        "system-voice",
        VOICE,
        "ai |agent |agent_|system |system_|assistant |automated |llm ",
        r"(?:agents?[ _-])?(?:override|directive)s?(?:[ _-](?:override|instruction)s?)?[ \t]{0,2}[:\]]",
    ),
    order("system-voice", VOICE, "begin system|end system|begin new system", r" (?:prompt|message|instructions?)\b"),
    order(
        "system-voice",
        VOICE,
        "assistant note|ai note|llm note|note to ai|note to the ai|note to assistant|note to the assistant|dear ai"
        "|dear llm|dear assistant|dear agent|dear copilot|dear claude|dear chatgpt|dear codex|dear gemini|dear cursor",
        r"(?: (?:agent|assistant|model)s?)?[ ]?[:,]",
    ),
    order(
        "system-voice",
        VOICE,
        "attention|notice|note|message|warning|important",
        r"[:,]?[ \t](?:to |for )?(?:any |all )?(?:ai|llm|automated|language model)s?\b[ \t]?(?:[a-z]{1,12}[ \t]){0,2}?"
        r"(?:agents?|assistants?|systems?|models?|processors?|readers?|bots?)\b",
    ),
    order(
        "system-voice",
        VOICE,
        "automated processors|override_instruction|system-directive|system_directive",
        r"s?[ :=\n]",
    ),
    order(
        "system-voice",
        VOICE,
        "treat|consider|regard|interpret",
        r" (?:this|these|the following)\b[^.\n]{0,30}? as (?:an? |the |your |my )?(?:new )?"
        r"(?:system (?:message|prompt|instruction)|(?:user|developer)(?:'s)? instruction)s?\b",
    ),
    order(
        "system-voice",
        VOICE,
        "ai |assistant |agent |model |llm |assistants |agents |models |llms ",
        r"(?:agents? |assistants? |models? )?(?:that reads?|who reads?|reading|processing|parsing) "
        r"this (?:file|note|document|text|memory|message|page)?\b",
    ),
    order("system-voice", VOICE, "instructions", r":[ \t]?[\"']?override\b"),
    order(
        "system-voice",
        VOICE,
        "system:",
        r" ?(?:the |all )?(?:previous|prior|earlier|above) (?:rules|instructions|guidelines|restrictions) "
        r"(?:no longer|do not|don't) apply\b",
    ),
)
