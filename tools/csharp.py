"""Parses the files of folders for .NET, where no compiler for them can be had."""

import sys
from pathlib import Path
from xml.etree import ElementTree

import tree_sitter_c_sharp
from tree_sitter import Language, Parser

parser = Parser(Language(tree_sitter_c_sharp.language()))
folders = [Path(folder) for folder in sys.argv[1:]]
files = sorted(file for folder in folders for file in folder.rglob("*.cs"))
bad = [str(file) for file in files if parser.parse(file.read_bytes()).root_node.has_error]
for project in (file for folder in folders for file in folder.glob("*.csproj")):
    ElementTree.parse(project)
print(f"{len(files)} files")
sys.exit(f"no C#: {bad}" if bad or not files else 0)
