"""What a person has in the files of the hosts before Engram is linked, and all that stands below a folder."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

HOSTS = (
    "claude", "codex", "gemini", "cursor", "opencode", "windsurf", "copilot", "cline", "antigravity", "agents-md",
)  # fmt: skip

# What a person may have in the files that are linked: comments, other servers and hooks, odd layout, no final line end.
PERSONS: dict[str, str] = {
    "project/.mcp.json": '{"mcpServers":{"db":{"command":"db-mcp","args":["--port","1"]}}}',
    "project/CLAUDE.md": "# Rules\r\n\r\n- Use tabs.\r\n",
    "project/AGENTS.md": "Be brief.",
    "project/GEMINI.md": "\ufeff# Gemini\n\n\n",
    "project/.claude/settings.json": (
        '{\n\t"permissions": {"allow": ["Bash(ls:*)"]},\n\t"hooks": {\n\t\t"SessionStart": [\n\t\t\t'
        '{"matcher": "startup", "hooks": [{"type": "command", "command": "date"}]}\n\t\t]\n\t}\n}\n'
    ),
    "project/.gemini/settings.json": '{\n  // mine\n  "theme": "x", /* why */\n  "hooks": {}\n}\n',
    "project/.cursor/mcp.json": "{\n}\n",
    "project/.cursor/hooks.json": '{ "version": 1, "hooks": { "stop": [ { "command": "./audit.sh" } ] } }\n',
    "project/.vscode/mcp.json": '// VS Code\n{\n    "inputs": [],\n    "servers": {},\n}\n',
    "project/opencode.jsonc": '{\n  "$schema": "https://opencode.ai/config.json",\n  "mcp": {\n    // none yet\n  }\n}',
    "project/.codex/config.toml": "# project\r\nmodel = 'o1'\r\n",
    "project/.github/hooks/audit.json": '{"version": 1, "hooks": {}}',
    "project/.windsurf/rules/style.md": "Tabs.\n",
    "project/.clinerules/style.md": "Tabs.\n",
    "home/.claude/settings.json": '{"hooks": {"UserPromptSubmit": []}}\n',
    "home/.claude/CLAUDE.md": "",
    "home/.codex/config.toml": (
        'model = "o1" # best\n\n[mcp_servers.db]\ncommand = "db-mcp"\nargs = [\n  "a", # first\n]\n\n\n# end'
    ),
    "home/.codex/hooks.json": "",
    "home/.gemini/settings.json": '{ "security" : { "folderTrust" : { "enabled" : true } } }',
    "home/.config/opencode/opencode.json": '{"theme":"dark",}\n',
    "home/.codeium/windsurf/mcp_config.json": '{\n  "mcpServers": {}\n}\n',
    "home/.copilot/mcp-config.json": '{\n  "mcpServers": {\n    "db": {"command": "db"}\n  }\n}\n',
    "home/.cline/data/settings/cline_mcp_settings.json": '{\n  "mcpServers": {\n  }\n}',
}


def tree(folder: Path) -> dict[str, tuple[int, bytes | str]]:
    """Return every file, folder and link below a folder, with its mode and its bytes, but Git's and Engram's own."""
    found: dict[str, tuple[int, bytes | str]] = {}
    for here, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in {".git", ".engram"}]
        for name in (*folders, *names):
            path = os.path.join(here, name)
            mode = stat.S_IMODE(os.lstat(path).st_mode)
            content: bytes | str = ""
            if os.path.islink(path):
                content = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    content = file.read()
            found[os.path.relpath(path, folder)] = mode, content
    return found
