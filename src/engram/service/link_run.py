"""One run of ``link`` or ``unlink`` over some hosts: every part in turn, then all files together."""

from __future__ import annotations

import json
import os

from engram.errors import ConfigError, UsageError
from engram.hosts.launch import ALWAYS_LOAD, NO_ELICITATION, SERVER, form_of, shell_line, with_options
from engram.hosts.part import PARTS, PartError, Show, Skip, Wish
from engram.hosts.places import place, places
from engram.hosts.table import HOSTS, find_host
from engram.hosts.text_part import TextBlock
from engram.roots.find import new_workspace
from engram.service.host_settings import claude_user_server
from engram.service.launching import own_program
from engram.service.link_checks import try_commands, warn_about_paths
from engram.service.link_files import LinkFiles, leads_out
from engram.service.link_report import LinkReport, LinkResult, PartState
from engram.store.host_files import HostFileError, not_changed, remove_folders
from engram.store.links import read_links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from engram.errors import EngramError
    from engram.hosts.launch import Launch
    from engram.hosts.part import Edit, Host, Part
    from engram.service.link_files import OpenFile
    from engram.service.link_report import LinkOptions
    from engram.service.session import Session

__all__ = ["LinkRun"]

_CLAUDE = "claude"
_NOT_OURS = "Engram did not write the server engram that it has"
_USER_SERVER = "mcpServers.engram"
_OTHER_PLUGIN = "a plugin of that name is there that Engram did not write"


class LinkRun:
    """One run over some hosts.

    Args:
        session: where one is.
        options: how to link.
        launch: how hosts start this installation.
    """

    def __init__(self, session: Session, options: LinkOptions, launch: Launch) -> None:
        self.session = session
        self.options = options
        self.launch = launch
        self.files = LinkFiles(session.config_dir, read_links(session.config_dir))
        self.results: list[LinkResult] = []
        self.errors: list[EngramError] = []
        self.linked: list[tuple[Host, str]] = []
        self.commands: list[tuple[str, ...]] = []
        self._project = ""
        self._claude_hook: bool | None = None
        self._approval_mode = "approve"

    # The three runs.

    def link(self, hosts: Sequence[Host]) -> LinkReport:
        """Put every part of these hosts in, and say what a host would meet."""
        self._look(hosts)
        for host in hosts:
            if not (scopes := self._scopes(host)):
                self.results.append(_elsewhere(host, "link", "global"))
            for scope in scopes:
                for part in host.parts(scope):
                    if self.options.wants(part.part):
                        self.results.append(self._link_part(host, scope, part))
                self.linked.append((host, scope))
        report = self._finish()
        if not self.options.plan:
            try_commands(self.session, self.launch, self.commands, self._project or self.session.start)
        warn_about_paths(self.session, self.launch, self.results)
        return report

    def unlink(self, hosts: Sequence[Host]) -> LinkReport:
        """Take every part of these hosts out."""
        folders: list[str] = []
        linked = {"workspace": self._linked_in(self._project_or_none()), "global": self._linked_in("")}
        for host in hosts:
            scopes = self._scopes(host)
            others = [scope for scope in linked if scope not in scopes and host.id in linked[scope]]
            if not self.options.scopes:
                named = not scopes and not others and len(hosts) < len(HOSTS)
                self.results += [_elsewhere(host, "unlink", scope) for scope in (["global"] if named else others)]
            for scope in scopes:
                # The last part first: what was put in last goes first.
                for part in reversed(host.parts(scope)):
                    self.results += self._unlink_part(host, scope, part)
                if scope == "global" and host.own_folder:
                    folders.append(self._own_folder(host))
        if len(hosts) == len(HOSTS):
            # Nobody named it, nothing of it was found and nothing recorded: there is nothing to do by hand either.
            found = {(result.host, result.scope) for result in self.results if result.action != "printed"}
            self.results = [
                result
                for result in self.results
                if not result.scope
                or result.host == _CLAUDE  # its own file tells what it has
                or (result.host, result.scope) in found
                or result.host in linked[result.scope]
            ]
        # What the last of several hosts takes out is taken out for all of them.
        gone = {self._thing(result) for result in self.results if result.action == "removed"}
        self.results = [
            result.replace(action="removed", reason="")
            if result.action == "kept" and self._thing(result) in gone
            else result
            for result in self.results
        ]
        self._settle()
        report = self._finish()
        if not self.options.plan:
            for folder in folders:
                _remove_tree(folder)
        return report

    def refresh(self, forced: tuple[str, str] | None) -> LinkReport:
        """Write afresh what stands in the files of all hosts and nobody edited, or one thing in one file alone."""
        self._look(())
        for host, scope, part, state in self._each_once():
            if forced is not None and (state.file, state.where) != forced:
                continue
            if forced is None and not state.recorded and (other := _other_program(state.command)):
                reason = f"{other} is another program; engram upgrade --review shows what would change"
                head = LinkResult(host.id, scope, part.part, "left", file=state.file, where=state.where)
                self.results.append(head.replace(reason=reason))
                continue
            # A file that cannot be read is named where something of ours was put into it.
            if state.state in {"stale", "edited", "linked"} or (state.state == "broken" and state.recorded):
                result = self._link_part(host, scope, part, refresh=True)
                self.results.append(result)
                if part.part == "hooks" and result.action in {"added", "updated"}:
                    self.linked.append((host, scope))  # a host may want to review a hook that changed
        if forced is None:
            self.results += self._older_shown()
        return self._finish()

    def _older_shown(self) -> Iterator[LinkResult]:
        """Yield what was printed for a person to do, was done, and is of an older version by now."""
        for host, scope, part in self._all_parts():
            if isinstance(part, Show) and part.again:
                head = LinkResult(host.id, scope, part.part, "absent")
                result = self._show(head, part, self._wish(host, part, refresh=True))
                if result.action == "printed":
                    yield result

    def states(self) -> Iterator[PartState]:
        """Yield what stands where, for every part of every host, also while a configuration file is broken."""
        try:
            self._look(())
        except ConfigError:
            self._claude_hook = self._hook_of_claude(())
        for host, scope, part in self._all_parts():
            yield self._state(host, scope, part)

    # One part.

    def _link_part(self, host: Host, scope: str, part: Part, *, refresh: bool = False) -> LinkResult:
        wish = self._wish(host, part, refresh=refresh)
        head = LinkResult(host.id, scope, part.part, "skipped")
        if isinstance(part, Skip):
            return head.replace(reason=part.reason)
        if isinstance(part, Show):
            return self._show(head, part, wish)
        if self._is_foreign_plugin(host, scope):
            return head.replace(action="left", file=self._own_folder(host), reason=_OTHER_PLUGIN)
        name = self._name(part, scope, wish)
        head = head.replace(file=name, where=part.where)
        try:
            target = self._open(name, scope)
            edit = self._tried(target, part.link, target.text, wish)
        except HostFileError as error:
            return self._failed(head, error)
        target.text = edit.text
        if edit.action != "left":
            # What stands there was linked by somebody, for whom the records say or, after a clone, do not.
            record = target.record if refresh else target.record.with_user(part.part, host.id)
            made = tuple(dict.fromkeys((*record.made, *edit.made)))
            project = self._project if scope == "workspace" else ""
            target.record = record.replace(made=made, project=project)
            if isinstance(part, TextBlock) and part.body not in record.texts:
                target.record = target.record.replace(texts=(*record.texts, part.body))
            if part.part == "mcp" and not refresh:
                self._start_later(wish)
        notes = (*edit.notes, *part.notes(target.text))
        return head.replace(action=edit.action, reason=edit.reason, notes=notes)

    def _show(self, head: LinkResult, part: Show, wish: Wish) -> LinkResult:
        """Return what a person has to do, unless the host's own file tells that it is done."""
        file, words = claude_user_server(self.session.environ) if part.again else ("", ())
        form = form_of(words, SERVER)
        if wish.refresh and not words:
            return head
        if words and form is None and not wish.force:
            return head.replace(action="left", file=file, reason=f"{_NOT_OURS}; {wish.afresh}")
        if form and not wish.force:
            wish = wish.replace(server=with_options(wish.server, form))
            if words[: len(self.launch.server)] == self.launch.server:
                differs = "" if {*wish.server} <= {*words} else f"it differs from what is written now; {wish.afresh}"
                return head.replace(action="unchanged", file=file, where=_USER_SERVER, reason=differs)
        if words == wish.server:
            return head.replace(action="unchanged", file=file, where=_USER_SERVER)
        self._start_later(wish)
        return head.replace(action="printed", reason=part.reason, line=_line(part.again if words else part.line, wish))

    def _unshow(self, head: LinkResult, part: Show) -> Iterator[LinkResult]:
        """Yield what a person has to do to take out what was printed, where the host may have it."""
        file, words = claude_user_server(self.session.environ) if part.again else ("", ())
        if words and form_of(words, SERVER) is None:
            yield head.replace(action="left", file=file, reason=_NOT_OURS)
        elif words or not part.again:
            yield head.replace(action="printed", reason=part.reason, line=part.unline)

    def _unlink_part(self, host: Host, scope: str, part: Part) -> Iterator[LinkResult]:
        wish = self._wish(host, part)
        head = LinkResult(host.id, scope, part.part, "absent")
        if isinstance(part, Skip):
            return
        if isinstance(part, Show):
            yield from self._unshow(head, part)
            return
        if self._is_foreign_plugin(host, scope):
            yield head.replace(action="left", file=self._own_folder(host), reason=_OTHER_PLUGIN)
            return
        if host.own_folder and scope == "global":
            wish = wish.replace(force=True)  # the folder is ours as a whole
        where = self._places(scope)
        borrowed = place(part.borrow, where) if part.borrow else ""
        names = [place(file, where) for file in (*part.order, part.file)]
        for name in dict.fromkeys([*names, *([borrowed] if borrowed else [])]):
            try:
                target = self.files.open(name)
                users = target.record.users(part.part)
                if target.file.data is None or (host.id not in users and (users or name == borrowed)):
                    target.record = target.record.without_user(part.part, host.id)
                    continue
                here = head.replace(file=name, where=part.where)
                target.record = target.record.without_user(part.part, host.id)
                if wish.force:  # the folder is ours as a whole, whatever the records say
                    target.record = target.record.replace(created=True, made=part.made())
                if others := target.record.users(part.part):
                    use = "uses" if len(others) == 1 else "use"
                    yield here.replace(action="kept", reason=f"{', '.join(others)} {use} it too")
                    continue
                record = target.record
                edit = self._tried(target, part.unlink, target.text, wish, record.made, record.texts)
            except HostFileError as error:
                yield self._failed(head.replace(file=name), error)
                continue
            target.text = edit.text
            if edit.delete:
                target.text = target.record.was or ""
                target.delete = target.record.was is None
            if edit.action != "absent":
                yield here.replace(action=edit.action, reason=edit.reason, notes=edit.notes)

    def _state(self, host: Host, scope: str, part: Part) -> PartState:
        wish = self._wish(host, part)
        if isinstance(part, Skip | Show):
            reason = part.reason
            return PartState(host.id, scope, part.part, "", "", "absent", reason=reason)
        name = self._name(part, scope, wish)
        head = PartState(host.id, scope, part.part, name, part.where, "absent")
        try:
            target = self.files.open(name)
            head = head.replace(recorded=host.id in target.record.users(part.part))
            state = part.state(target.text, wish)
        except PartError as error:
            failure = self.files.failed(target, error)
            return head.replace(state="broken", reason=failure.message, hint=failure.hint)
        except HostFileError as error:
            return head.replace(state="broken", reason=error.message, hint=error.hint)
        return head.replace(state=state, command=part.command(target.text), notes=part.notes(target.text))

    # What they need.

    def _scopes(self, host: Host) -> tuple[str, ...]:
        """Return where a host is linked; without a flag the workspace where C2 gives it one."""
        if self.options.scopes:
            return self.options.scopes
        return ("workspace",) if host.in_workspace else ()

    def _thing(self, one: LinkResult | PartState) -> tuple[str, str]:
        """Return what is the same for one thing in one file, whatever name the file is reached by."""
        return self.files.identity(one.file), one.where

    def _project_or_none(self) -> str | None:
        """Return the project's folder; None in the home folder, which is none."""
        try:
            return self._places("workspace")["project"]
        except UsageError:
            return None

    def _linked_in(self, project: str | None) -> set[str]:
        """Return the hosts that the records say are linked in a project, or for all projects (``""``)."""
        return {
            user
            for record in self.files.records.values()
            if record.project == project
            for users in record.hosts.values()
            for user in users
        }

    def _all_parts(self) -> Iterator[tuple[Host, str, Part]]:
        # In the home folder there are the files of all projects only.
        scopes = ("global",) if self._project_or_none() is None else ("workspace", "global")
        for scope in scopes:
            for host in HOSTS:
                for part in host.parts(scope):
                    yield host, scope, part

    def _each_once(self) -> Iterator[tuple[Host, str, Part, PartState]]:
        """Yield every part that stands in a file, for the first host that it was linked for, else the first one."""
        found: dict[tuple[str, str], tuple[Host, str, Part, PartState]] = {}
        for host, scope, part in self._all_parts():
            state = self._state(host, scope, part)
            if not state.file or self._is_foreign_plugin(host, scope):
                continue
            known = found.get(self._thing(state))
            if known is None or (state.recorded and not known[3].recorded):
                found[self._thing(state)] = host, scope, part, state
        yield from found.values()

    def _places(self, scope: str) -> dict[str, str]:
        if scope == "workspace" and not self._project:
            self._project = self._find_project()
        where = places(self.session.environ, self._project)
        if scope == "global" and not where["home"]:
            raise UsageError("This account has no home folder, where files of all projects would be.")
        return where

    def _find_project(self) -> str:
        """Return the folder that a host is opened in here: a linked worktree is one of its own."""
        session = self.session
        found = session.workspace
        if found and found.own:
            return found.project
        try:
            return new_workspace(session.start, session.environ, session.config_dir).project
        except UsageError as error:
            raise UsageError(error.message, hint="Change into a project, or add --global for all of yours.") from error

    def _wish(self, host: Host, part: Part, *, refresh: bool = False) -> Wish:
        always = (ALWAYS_LOAD,) if part.always_load and not self._claude_hook else ()
        quiet = (NO_ELICITATION,) if self.options.no_elicitation else ()
        mode = "prompt" if self.options.no_elicitation else self._approval_mode
        return Wish(
            host=host.id,
            server=(*self.launch.server, *always, *quiet),
            hook=self.launch.hook,
            force=self.options.force,
            refresh=refresh,
            approval_mode=mode,
        )

    def _name(self, part: Part, scope: str, wish: Wish) -> str:
        """Return the file of a part: one that the host reads already, before a new one."""
        where = self._places(scope)
        for name in (place(file, where) for file in ((part.borrow,) if part.borrow else ())):
            if self._stands_in(part, name, wish, ("linked", "stale")):
                return name
        there = [name for name in (place(file, where) for file in part.order) if os.path.lexists(name)]
        for name in there:
            if self._stands_in(part, name, wish, ("linked", "stale", "edited", "foreign")):
                return name
        return there[0] if there else place(part.file, where)

    def _stands_in(self, part: Part, name: str, wish: Wish, states: tuple[str, ...]) -> bool:
        try:
            return part.state(self.files.open(name).text, wish) in states
        except (HostFileError, PartError):
            return False  # it is named when its turn comes

    def _open(self, name: str, scope: str) -> OpenFile:
        target = self.files.open(name)
        if scope == "global" or self.options.force or target.record.project == self._project:
            return target  # what this project's link was followed to once, with force, needs no second word
        if link_name := leads_out(name, self._project):
            raise not_changed(
                name,
                f"{link_name} came with the project and leads out of it, to {os.path.realpath(link_name)}",
                hint="If that is meant: engram link with --force.",
            )
        return target

    def _tried(self, target: OpenFile, work: Callable[..., Edit], *arguments: object) -> Edit:
        """Return an edit; raise HostFileError, which names file and place, where the text cannot be parsed."""
        try:
            return work(*arguments)
        except PartError as error:
            raise self.files.failed(target, error) from error

    def _failed(self, head: LinkResult, error: HostFileError) -> LinkResult:
        if error not in self.errors:
            self.errors.append(error)
        return head.replace(action="failed", reason=error.message)

    def _is_foreign_plugin(self, host: Host, scope: str) -> bool:
        """Tell whether the folder that would be ours as a whole holds somebody else's plugin."""
        if scope != "global" or not host.own_folder or self.options.force:
            return False
        manifest = next(part for part in host.everywhere if part.part == "plugin")
        return self._stands_in(
            manifest, place(manifest.file, self._places(scope)), self._wish(host, manifest), ("foreign",)
        )

    def _own_folder(self, host: Host) -> str:
        return place(host.own_folder, self._places("global"))

    def _look(self, hosts: Sequence[Host]) -> None:
        """Find out what entries depend on; taking them out does not need it."""
        self._approval_mode = self.session.settings.string("hosts.codex.approval_mode")
        self._claude_hook = self._hook_of_claude(hosts)

    def _hook_of_claude(self, hosts: Sequence[Host]) -> bool:
        """Tell whether a hook of Claude Code is installed or being installed (C11)."""
        claude = find_host(_CLAUDE)
        assert claude is not None
        if claude in hosts and self.options.wants("hooks"):
            return True
        self._claude_hook = False
        for scope in ("workspace", "global"):
            hooks = next(part for part in claude.parts(scope) if part.part == "hooks")
            wish = self._wish(claude, hooks)
            try:
                name = place(hooks.file, self._places(scope))
            except UsageError:
                continue
            for file in (name, name.replace("settings.json", "settings.local.json")):
                if self._stands_in(hooks, file, wish, ("linked", "stale")):
                    return True
        return False

    def _settle(self) -> None:
        """Give a file that holds nothing any more back its old self: gone, or blank as it was."""
        for target in self.files.opened():
            if target.record.hosts or target.delete or not target.changed:
                continue
            rest = target.text.removeprefix("\ufeff").strip()
            if rest in {"", "{}"}:
                if target.record.created:
                    target.delete = True
                elif target.record.was is not None:
                    target.text = target.record.was

    def _finish(self) -> LinkReport:
        changes, errors = self.files.plan() if self.options.plan else self.files.write()
        for error in errors:
            # Files of one folder that cannot be written fail for one reason.
            if error.message not in {other.message for other in self.errors}:
                self.errors.append(error)
        self.results = [self._as_written(result) for result in self.results]
        order = {part: at for at, part in enumerate(PARTS)}
        results = sorted(self.results, key=lambda result: order.get(result.part, -1))
        names = list(dict.fromkeys((result.host, result.scope) for result in self.results))
        results.sort(key=lambda result: names.index((result.host, result.scope)))
        return LinkReport(tuple(results), tuple(changes), tuple(self.errors), advice=self._advice())

    def _as_written(self, result: LinkResult) -> LinkResult:
        """Return what became of a part when its file could not be written: nothing."""
        error = self.files.not_written(result.file) if result.action in {"added", "updated", "removed"} else None
        return result.replace(action="failed", reason=error.message) if error else result

    def _advice(self) -> tuple[str, ...]:
        """Return what is left to do in the hosts for the parts that stand in their files now."""
        done = {
            (result.host, result.scope, result.part)
            for result in self.results
            if result.action in {"added", "updated", "unchanged"}
        }
        return tuple(
            dict.fromkeys(
                host.advice[scope][1]
                for host, scope in self.linked
                if scope in host.advice and any((host.id, scope, part) in done for part in host.advice[scope][0])
            )
        )

    def _start_later(self, wish: Wish) -> None:
        if wish.server not in self.commands:
            self.commands.append(wish.server)


def _elsewhere(host: Host, verb: str, scope: str) -> LinkResult:
    """Return what is said of a host that is registered in another scope than the one that is meant."""
    line = f"engram {verb} {host.id} --{scope}"
    if scope == "workspace":
        return LinkResult(host.id, "", "mcp", "printed", reason="it is linked in this project too", line=line)
    skipped = next((part.reason for part in host.workspace if isinstance(part, Skip) and part.part == "mcp"), "")
    reason = f"its workspace MCP is skipped: {skipped}" if skipped else "it is registered for all projects"
    return LinkResult(host.id, "", "mcp", "printed", reason=reason, line=line)


def _other_program(words: Sequence[str]) -> str:
    """Return the program that a command starts by its path, where it is there and not this installation's server."""
    form = form_of(words, SERVER)
    if form is None or form.kind != "path" or not os.path.exists(form.pin):
        return ""
    return "" if os.path.realpath(form.pin) == os.path.realpath(own_program(SERVER)) else form.pin


def _line(template: str, wish: Wish) -> str:
    return (
        template.replace("$server", shell_line(wish.server))
        .replace("$command", json.dumps(wish.server[0]))
        .replace("$args", json.dumps(list(wish.server[1:])))
    )


def _remove_tree(folder: str) -> None:
    """Take away a folder of ours and what is in it as far as that is empty."""
    folders = [here for here, _, _ in os.walk(folder)]
    remove_folders((*folders, folder))
