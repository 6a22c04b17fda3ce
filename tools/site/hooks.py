"""What MkDocs asks of a site whose pages lie in a repository, and link to its files.

A page outside of docs/ that readers of the site want too is listed in PAGES. Links to other files of the repository
become links to the published repository; what leads nowhere stays as it is, so that a strict build fails on it. And
pages are written for the repository's host, whose Markdown takes a list where MkDocs sees none.
"""

import os
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    "platform.md": "examples/platform/README.md",
    "contributing.md": "CONTRIBUTING.md",
    "changelog.md": "CHANGELOG.md",
}
FILES = {"mermaid.js": os.environ["MERMAID"], "site.css": str(ROOT / "tools/site/site.css")}

# A link with a target of a file, and perhaps a heading in it; blocks of code are taken whole, and left.
LINK = re.compile(r"(?ms)^```.*?^```$|\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
ITEM = re.compile(r" *(?:[-*]|\d+\.) +(?=\S)")
DIAGRAM = re.compile(r'(?s)<pre class="mermaid">.*?</pre>')
TABLE = re.compile(r"(?s)<table>\s*<thead>\s*<tr>\s*<th>(input|output)</th>.*?</table>")
NAME = re.compile(r"<tr>\s*<td><code>[^<]*</code>")
COMMENT = re.compile(r"(?m)^<!--.*?-->\n")


def on_files(files, config):
    """Adds what lies elsewhere."""
    for name, path in PAGES.items():
        files.append(File.generated(config, name, abs_src_path=str(ROOT / path)))
    for name, path in FILES.items():
        files.append(File.generated(config, name, abs_src_path=path))
    return files


def on_page_markdown(markdown, page, config, files):
    """Has links lead to where their targets are on the site."""
    folder = (ROOT / PAGES.get(page.file.src_uri, "docs/" + page.file.src_uri)).parent

    def link(match):
        target, heading = match[1], match[2] or ""
        if target is None:
            return match[0]
        file = (folder / target).resolve()
        if not file.exists() or not file.is_relative_to(ROOT):
            return match[0]
        path = str(file.relative_to(ROOT))
        for name, source in PAGES.items():
            if source == path:
                return f"]({name}{heading})"
        if path.startswith("docs/"):
            return f"]({path.removeprefix('docs/')}{heading})"
        kind = "tree" if file.is_dir() else "blob"
        return f"]({config.extra['repository']}/{kind}/main/{path}{heading})"

    return as_mkdocs_reads(LINK.sub(link, COMMENT.sub("", markdown)))


def on_page_content(html, page, config, files):
    """Marks diagrams and tables of inputs and outputs: a phone shows them in another way."""
    html = DIAGRAM.sub(lambda match: f'<div class="diagram">{match[0]}</div>', html)
    return TABLE.sub(lambda match: f'<div class="{match[1]}s">{NAME.sub(breaks, match[0])}</div>', html)


def breaks(name):
    """Lets a name break behind its dots, or a long one would leave no room for what is said of it."""
    return name[0].replace(".", ".<wbr>")


def as_mkdocs_reads(markdown):
    """Indents what is in lists by four columns for each list, and parts lists from what is before them."""
    lines, lists, loose, fence, last = [], [], False, False, ""
    for line in markdown.split("\n"):
        indent = len(line) - len(line.lstrip())
        item = None if fence else ITEM.match(line)
        if item and last and indent >= (lists[-1] if lists else 0) and re.match(r" *(?!1\.)\d", line):
            line, item = line.replace(".", "\\.", 1), None  # a paragraph goes on, with a number
        if item and last and (loose or not lists):
            lines.append("")
        if line and not fence and (item or not last):  # else a paragraph goes on, and what it is in
            lists = [content for content in lists if content <= indent]
        text = line[min(indent, lists[-1] if lists else 0) :]
        lines.append("    " * len(lists) + text if text else "")
        if item:
            lists.append(len(item[0]))
        fence ^= text.startswith("```")
        loose = bool(lists) and (loose or not line)
        last = line
    return "\n".join(lines)
