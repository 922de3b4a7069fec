"""``graph``: dependency layers in the terminal, Mermaid and DOT for elsewhere."""

from __future__ import annotations

from engram.cli.reading import one_line
from engram.errors import UsageError
from engram.safety.fence import show_inert, show_line
from engram.service.graphing import Graph, dependency_graph
from engram.text.tokens import estimate_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engram.cli.output import Output
    from engram.cli.parser import Parsed
    from engram.service.session import Session

__all__ = ["graph_command"]


def graph_command(session: Session, parsed: Parsed, output: Output) -> int:
    """Print the graph in the format asked for."""
    wanted = parsed.value("format") or "text"
    renderers = {"text": _text, "mermaid": _mermaid, "dot": _dot}
    if wanted not in renderers:
        raise UsageError(f"{wanted} is no format of a graph.", hint=f"Formats are {', '.join(renderers)}.")
    graph = dependency_graph(session, parsed.word("ID"), everything=parsed.given("all"))
    for line in graph.skipped:
        session.say("skipped", "skipped", line)
    text = renderers[wanted](graph)
    data: dict[str, object] = {
        "layers": [list(layer) for layer in graph.layers],
        "edges": [list(edge) for edge in graph.edges],
        "dangling": [list(pair) for pair in graph.dangling],
        "cycles": [key for circle in graph.cycles for key in circle],
        "text": text,
    }
    dry = parsed.given("dry-run")
    if dry:
        size = estimate_tokens(text)
        data |= {"text": "", "tokens": size}
        text = "\n".join([*(show_line(key) for layer in graph.layers for key in layer), f"{size} tokens"])
    output.text(text)
    if parsed.given("explain"):
        reasons, left_out = _reasons(graph), _left_out(graph)
        lines = [f"{key}: {why}" for key, why in reasons.items()]
        lines += [f"left out {name}: {why}" for name, why in left_out.items()]
        if graph.alone:
            alone = "1 memory that depends" if graph.alone == 1 else f"{graph.alone} memories that depend"
            lines.append(f"left out: {alone} on nothing and that nothing depends on; --all draws them")
        # A drawing goes to a file: what is said about it does not.
        say = output.text if wanted == "text" or dry else output.aside
        if not output.as_json:
            say("\n".join(["", *map(show_line, lines)]))
        data["explain"] = {"memories": reasons, "left_out": left_out, "alone": graph.alone}
    return output.done(data)


def _reasons(graph: Graph) -> dict[str, str]:
    """Return why each memory stands in its layer."""
    found: dict[str, str] = {}
    layer_of = {key: number for number, layer in enumerate(graph.layers) for key in layer}
    for key, number in layer_of.items():
        before = [need for other, need in graph.edges if other == key]
        users = [other for other, need in graph.edges if need == key]
        missing = [name for other, name in graph.dangling if other == key]
        why = [f"needs {', '.join(before)}"] if before else ["needs nothing that is here"]
        others = [other for circle in graph.cycles if key in circle for other in circle if other != key]
        why += [f"in a circle with {', '.join(others)}"] if others else []
        why += [f"needed by {', '.join(users)}"] if users else []
        why += [f"without {name}, {graph.missing[name]}" for name in missing]
        found[key] = f"layer {number}: {'; '.join(why)}"
    return found


def _left_out(graph: Graph) -> dict[str, str]:
    """Return the superseded memories that are not in the graph, with the reason."""
    drawn = {graph.entries[key].memory.id for layer in graph.layers for key in layer}
    return {
        name: f"superseded by {by}" if by else "superseded"
        for name, by in graph.superseded.items()
        if name not in drawn
    }


def _text(graph: Graph) -> str:
    if not graph.layers:
        return "No memory depends on another. Say it when you save: --depends-on ID"
    needs: dict[str, list[str]] = {}
    for key, need in graph.edges:
        needs.setdefault(key, []).append(need)
    lines = []
    for number, layer in enumerate(graph.layers):
        lines.append(f"layer {number}:")
        for key in layer:
            lines.append(f"  {one_line(graph.entries[key])}")
            lines += [f"    needs {need}" for need in needs.get(key, ())]
    lines += [f"{key} needs {name}, {graph.missing[name]}" for key, name in graph.dangling]
    lines += [f"These need each other in a circle, directly or not: {', '.join(circle)}" for circle in graph.cycles]
    return "\n".join(show_line(line) for line in lines)


def _mermaid(graph: Graph) -> str:
    names = {key: f"m{number}" for number, key in enumerate(sorted(key for layer in graph.layers for key in layer))}
    lines = ["graph TD"]
    lines += [f'  {name}["{_mermaid_label(graph, key)}"]' for key, name in names.items()]
    lines += [f"  {names[key]} --> {names[need]}" for key, need in graph.edges]
    return "\n".join(lines)


def _dot(graph: Graph) -> str:
    keys = sorted(key for layer in graph.layers for key in layer)
    lines = ["digraph memory {"]
    # Graphviz reads `&lt;` in a label as a bracket, and in a name as it stands.
    lines += [f"  {_quoted(key)} [label={_quoted(_title(graph, key).replace('&', '&amp;'))}];" for key in keys]
    lines += [f"  {_quoted(key)} -> {_quoted(need)};" for key, need in graph.edges]
    return "\n".join([*lines, "}"])


def _title(graph: Graph, key: str) -> str:
    return show_inert(graph.entries[key].memory.title).replace("\n", " ")


def _mermaid_label(graph: Graph, key: str) -> str:
    """Return a title that nothing in it can leave its place in a drawing, or be read as more than text there."""
    title = _title(graph, key)
    # Mermaid reads `#35;` as a number sign, and puts the ampersand itself before what it reads so. What stands in back
    # quotes is Markdown to it, `$$` begins a formula, and `%%{` an order to itself.
    for character, name in (
        ("#", "#35;"), ("]", "#93;"), ("&", "&amp;"), ('"', "&quot;"), ("<", "&lt;"), (">", "&gt;"),
        ("`", "#96;"), ("$", "#36;"), ("%", "#37;"), ("\\", "#92;"),
    ):  # fmt: skip
        title = title.replace(character, name)
    return title


def _quoted(text: str) -> str:
    escaped = show_line(text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
