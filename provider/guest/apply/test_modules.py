"""Each module of quorum-apply stands by itself: it imports what it uses, and uses what it imports."""
import builtins
import importlib
import os
import symtable
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
MODULES = sorted(name[:-3] for name in os.listdir(HERE + "/quorum_apply") if name.endswith(".py"))


def referenced(table):
    """The names that a text takes from its module, in whichever function."""
    is_module = table.get_type() == "module"
    names = {s.get_name() for s in table.get_symbols() if s.is_referenced() and (is_module or s.is_global())}
    return names.union(*(referenced(child) for child in table.get_children()))


def bound(table):
    """The names that the module has."""
    names = {s.get_name() for s in table.get_symbols() if s.is_assigned() or s.is_imported() or s.is_namespace()}
    return names | {"__name__", "__doc__", "__file__"}


class Modules(unittest.TestCase):
    def test_imported_alone(self):
        for name in MODULES:
            with self.subTest(name):
                for loaded in [m for m in sys.modules if m.startswith("quorum_apply")]:
                    del sys.modules[loaded]
                importlib.import_module("quorum_apply." + name)

    def test_imports(self):
        for name in MODULES:
            with self.subTest(name), open(f"{HERE}/quorum_apply/{name}.py", encoding="utf-8") as file:
                table = symtable.symtable(file.read(), name, "exec")
                used = referenced(table)
                self.assertEqual(set(), used - bound(table) - set(dir(builtins)), "is used and not imported")
                imported = {s.get_name() for s in table.get_symbols() if s.is_imported()}
                self.assertEqual(set(), imported - used, "is imported and not used")


if __name__ == "__main__":
    unittest.main()
