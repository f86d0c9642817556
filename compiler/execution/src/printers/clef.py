"""How GDB shows the values of Clef.

Loaded by `clefc gdb`; with another front end of GDB: `source clef.py`. The compiler describes values by structures whose
added members have names with `$`: see `codegen::debug_types`.
"""

import re

import gdb
import gdb.printing

# How deep values within values are shown.
DEEPEST = 8


# The collections that are trees: a node of one is the case `map node` or `set node`.
TREES = ["map", "set"]

# What refers to no node.
EMPTY = 0


def limit():
    """The number of elements that are shown."""
    return gdb.parameter("print elements") or 10_000_000


class Shown:
    """The text of values, within the values that are being shown."""

    depth = 0

    @staticmethod
    def of(value):
        if Shown.depth >= DEEPEST:
            return "…"
        Shown.depth += 1
        try:
            return value.format_string(max_elements=limit())
        except gdb.error as error:
            return f"<{error}>"
        finally:
            Shown.depth -= 1


def names(structure):
    """The names of the members of a structure."""
    return [field.name for field in structure.fields()]


def sequence(texts, opening, closing):
    """The texts of values in brackets, at most as many as GDB's limit."""
    shown = []
    for text in texts:
        if len(shown) == limit():
            shown.append("…")
            break
        shown.append(text)
    return opening + "; ".join(shown) + closing


def case_with_fields(name, fields):
    """A case as a pattern writes it."""
    parts = []
    for field in fields.type.fields():
        text = Shown.of(fields[field])
        is_named = not re.fullmatch(r"Item\d*", field.name)
        parts.append(f"{field.name} = {text}" if is_named and len(fields.type.fields()) > 1 else text)
    if len(parts) == 1 and not re.search(r"[ (]", parts[0]):
        return f"{name} {parts[0]}"
    return f"{name} ({', '.join(parts)})"


class Text:
    """A string."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        length = int(self.value["$length"])
        if length == 0:
            return '""'
        shown = min(length, limit())
        text = self.value["$text"].string("utf-8", "replace", shown)
        quoted = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
        return f'"{quoted}"' + ("…" if shown < length else "")


class Elements:
    """An array."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        elements, length = self.value["$elements"], int(self.value["$length"])
        if elements.type.target().code == gdb.TYPE_CODE_VOID:
            return f"{length} units"
        return sequence((Shown.of(elements[index]) for index in range(length)), "[|", "|]")


class Number:
    """An integer of a byte, which GDB would show as a character too."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return str(int(self.value))


class Character:
    """A Unicode scalar value."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        code = int(self.value)
        return repr(chr(code)) if 0 <= code <= 0x10FFFF else f"<{code:#x}>"


class Tuple:
    """A tuple."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "(" + ", ".join(Shown.of(self.value[field]) for field in self.value.type.fields()) + ")"


class Union:
    """A value of a union with its tag."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        name = str(self.value["$case"])
        return case_with_fields(name, self.value[name]) if name in names(self.value.type) else name


class Module:
    """A module, whose values are static members."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        shown = []
        for field in self.value.type.fields():
            try:
                shown.append(f"{field.name} = {Shown.of(self.value[field.name])}")
            except gdb.error as error:
                shown.append(f"{field.name} = <{error}>")
        return "{" + ", ".join(shown) + "}"


class Boxed:
    """The address of a node, or the number of a case without fields."""

    def __init__(self, value):
        self.value = value
        self.node = value.type.strip_typedefs().target()

    def cases(self):
        """The names of cases whose numbers replace addresses."""
        try:
            return names(gdb.lookup_type(f"enum {self.node.name}.$case"))
        except gdb.error:
            return []

    def to_string(self):
        members = names(self.node)
        if "$case" in members:
            return Union(self.value.dereference()).to_string()
        cases, number = self.cases(), int(self.value)
        for name in TREES:
            if f"{name} node" in members:
                return f"{name} " + sequence(self.in_order(f"{name} node"), "[", "]")
        if cases and number < len(cases):
            return cases[number]
        if number == 0:
            return "<no value yet>"
        if "::" in members:
            return sequence(self.elements(), "[", "]")
        if cases:
            return case_with_fields(members[0], self.value.dereference()[members[0]])
        return Shown.of(self.value.dereference())

    def elements(self):
        """The texts of the elements of a list."""
        node = self.value
        while int(node) >= 2:
            cell = node["::"]
            yield Shown.of(cell[cell.type.fields()[0]])
            node = cell[cell.type.fields()[1]]


    def in_order(self, case):
        """The texts of the elements of a tree: values, or keys with their values."""
        above, node = [], self.value
        while above or int(node) != EMPTY:
            while int(node) != EMPTY:
                above.append(node[case])
                node = above[-1]["left"]
            fields = above.pop()
            value = Shown.of(fields["value"])
            yield f"({Shown.of(fields['key'])}, {value})" if "key" in names(fields.type) else value
            node = fields["right"]


class Reference:
    """A reference cell."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return "ref " + Shown.of(self.value.dereference())


class Closure:
    """A function value, with what it captured."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        if int(self.value) == 0:
            return "<no value yet>"
        code = int(self.value["$code"])
        # The low bit of an address says that it is Thumb code.
        said = gdb.execute(f"info symbol {code & ~1:#x}", to_string=True)
        symbol = said.split(" in section ")[0].split(" + ")[0].strip()
        shown = symbol.removeprefix("clef.")
        try:
            closure = self.value.cast(gdb.lookup_type(f"struct closure {symbol}").pointer())
        except gdb.error:
            return f"<{shown}>"
        captures = [field for field in closure.type.target().fields() if field.name != "$code"]
        parts = [f"{field.name} = {Shown.of(closure[field.name])}" for field in captures]
        return f"<{shown}>" + (" with " + ", ".join(parts) if parts else "")


def of_address(value):
    """The printer of a named address."""
    target = value.type.strip_typedefs().target().strip_typedefs()
    if target.code == gdb.TYPE_CODE_STRUCT:
        if target.name == "closure":
            return Closure(value)
        if target.name == value.type.name:
            return Boxed(value)
    return Reference(value) if value.type.name.endswith(" ref") else None


class Known:
    """A value as far as the code still has it."""

    def __init__(self, shown):
        self.shown = shown

    def to_string(self):
        try:
            return self.shown.to_string()
        except gdb.error as error:
            return "<optimized out>" if "optimized out" in str(error) else f"<{error}>"


def printer(value):
    """The printer of a value, if it is one of Clef that GDB does not show well by itself."""
    if value.is_optimized_out:
        return None
    shown = printer_of(value)
    return Known(shown) if shown else None


def printer_of(value):
    """The printer of a value that is known."""
    code = value.type.code
    if code == gdb.TYPE_CODE_TYPEDEF and value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        return of_address(value)
    if value.type.name in ("int8", "uint8"):
        return Number(value)
    if value.type.name == "char" and value.type.sizeof == 4:
        return Character(value)
    if code != gdb.TYPE_CODE_STRUCT:
        return None
    fields = value.type.fields()
    if fields and not any(hasattr(field, "bitpos") for field in fields):
        return Module(value)
    members = names(value.type)
    for member, kind in (("$text", Text), ("$elements", Elements), ("$case", Union)):
        if member in members:
            return kind(value)
    is_tuple = len(members) > 1 and all(re.fullmatch(r"Item\d+", name) for name in members)
    return Tuple(value) if is_tuple else None


printer.name = "clef"
printer.enabled = True
gdb.printing.register_pretty_printer(None, printer, replace=True)


class Frames:
    """The calls of the program, without those of the runtime that lead to it."""

    name = "clef"
    enabled = True
    priority = 100

    def __init__(self):
        gdb.current_progspace().frame_filters[self.name] = self

    def filter(self, frames):
        for frame in frames:
            if frame.function() == "clef_main":
                return
            yield frame


Frames()
