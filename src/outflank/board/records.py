"""Memory with named, typed fields: one class is its layout for Python, NumPy, compiled code and the type checker.

    class Desk(Record):
        nodes: Word                                # a word in place
        idle: Atomic = own_line()                  # a word that threads share, on a cache line of its own
        quarters: Row[Word] = inline(4)            # four words in place
        plies: Row[Ply] = inline(128)              # other records in place
        table: Row[Word] = elsewhere()             # the address of memory that somebody else owns

In Python a record is a `ctypes.Structure`: `desk.nodes` reads a word, and `np.dtype(Ply)` is the same layout in an
array. A kernel names the class in its signature (`"int64(uint64, Desk)"`) and gets one pointer, so that `desk.nodes`
costs one load and a call costs one register. Every field is a whole number of 64-bit words.
"""

import ctypes
import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Generic,
    NoReturn,
    TypeVar,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from llvmlite import ir
from numba.core import types
from numba.core.datamodel import PrimitiveModel, register_default
from numba.core.imputils import lower_builtin, lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature

from outflank.board.compiled import SIGNATURE_TYPES, WORDS
from outflank.board.compiled import inline as intrinsic
from outflank.board.vectors import WORD

Item = TypeVar("Item")
SomeRecord = TypeVar("SomeRecord", bound="Record")

LINE_WORDS = 8

Word = Annotated[int, types.uint64]
"""An unsigned word."""
Signed = Annotated[int, types.int64]
Real = Annotated[float, types.float64]
Byte = Annotated[int, types.uint8]
"""Only in rows that lie elsewhere: every field is a whole number of words."""


class Row(Generic[Item]):
    """Items side by side. Compiled code indexes them with unsigned words; nothing is checked there."""

    if TYPE_CHECKING:

        def __getitem__(self, index: int) -> Item: ...
        def __setitem__(self, index: int, item: Item) -> None: ...
        def __iter__(self) -> Iterator[Item]: ...


class Atomic:
    """A word that several threads change: compiled code reaches it only through the functions of `memory`.

    Python may write it while no thread runs.
    """

    if TYPE_CHECKING:
        # Python reads and writes a number.
        def __int__(self) -> int: ...
        def __get__(self, record: object, owner: type) -> "Atomic": ...
        def __set__(self, record: object, number: int) -> None: ...


class AtomicSigned(Atomic):
    """The same with a sign for Python and NumPy; compiled code gets the word and takes its `int64`."""


@dataclass(frozen=True)
class _Place:
    length: int = 1
    elsewhere: bool = False
    own_line: bool = False


IN_PLACE = _Place()
RECORDS: "dict[str, type[Record]]" = {}


def inline(length: int, own_line: bool = False) -> Any:
    """A row of so many items inside the record; on cache lines of its own where vectors are read from it."""
    return _Place(length, own_line=own_line)


def elsewhere() -> Any:
    """The address of memory outside the record; whoever fills it in keeps that memory alive (see `place_of`)."""
    return _Place(elsewhere=True)


def own_line() -> Any:
    """A word with a cache line to itself: what others write nearby does not slow it down."""
    return _Place(own_line=True)


class _Pointer(types.Type):  # type: ignore[misc]
    """A pointer to a record, as Numba's type inference sees it. It has only the name: signatures are kept on disk."""

    @property
    def record(self) -> "type[Record]":
        return RECORDS[self.name]


class _RowOfRecords(types.Type):  # type: ignore[misc]
    """A pointer to the first of several records."""

    def __init__(self, item: _Pointer) -> None:
        self.item = item
        super().__init__(name=f"row({item.name})")


@register_default(_Pointer)
@register_default(_RowOfRecords)
class _PointerModel(PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@dataclass(frozen=True)
class _Field:
    offset: int
    """In words."""
    kind: Any
    """What compiled code sees: a number, a pointer to words, to a record or to a row of records."""
    place: _Place

    @property
    def is_number(self) -> bool:
        return not isinstance(self.kind, types.CPointer | _Pointer | _RowOfRecords)


def _resolved(hint: Any) -> tuple[Any, int, Any]:
    """For a field's annotation: what compiled code sees, how many words one item takes, and ctypes' type of it."""
    if hint in (Atomic, AtomicSigned):
        return WORDS, 1, ctypes.c_uint64 if hint is Atomic else ctypes.c_int64
    if get_origin(hint) is Row:
        kind, words, memory = _resolved(get_args(hint)[0])
        return (_RowOfRecords(kind) if isinstance(kind, _Pointer) else types.CPointer(kind)), words, memory
    if get_origin(hint) is Annotated:
        kind = hint.__metadata__[0]
        return kind, 1, {types.uint64: ctypes.c_uint64, types.int64: ctypes.c_int64}.get(kind, ctypes.c_double)
    return hint.kind, getattr(hint, "words", 0), hint  # 0 words yet: a record that points to its own kind


def _check_field(name: str, hint: Any, place: Any) -> None:
    """Refuses what has no layout, before it has a wrong one."""
    item = get_args(hint)[0] if get_origin(hint) is Row else hint
    known = get_origin(item) is Annotated or isinstance(item, _RecordClass) or item in (Atomic, AtomicSigned)
    if not known or not isinstance(place, _Place):
        raise TypeError(f"{name} is no field of a record: take a type of this module, and say inline or elsewhere")
    if item is not hint and (item in (Atomic, AtomicSigned) or place is IN_PLACE):
        raise TypeError(f"{name}: a row is of words or records, and says its length or that it lies elsewhere")
    if get_origin(item) is Annotated and item.__metadata__[0] is types.uint8 and not place.elsewhere:
        raise TypeError(f"{name}: bytes lie elsewhere, since every field is a whole number of words")


class _RecordClass(type(ctypes.Structure)):  # type: ignore[misc]
    """Turns a class's annotations into its layout, once ctypes has made the class."""

    def __init__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> None:
        super().__init__(name, bases, namespace)
        if name in ("_Memory", "Record"):
            return
        if len(bases) != 1 or bases[0].__name__ != "Record":
            raise TypeError(f"{name} cannot inherit fields: put the other record inside")
        cls.kind, cls.layout = _Pointer(name), {}
        fields: list[tuple[str, Any]] = []
        at = 0

        def to_the_next_line() -> int:
            missing = -at % LINE_WORDS
            if missing:
                fields.append((f"_unused_{at}", ctypes.c_uint64 * missing))
            return at + missing

        hints = get_type_hints(cls, localns={name: cls}, include_extras=True)
        for field in namespace.get("__annotations__", {}):
            place, hint = namespace.get(field, IN_PLACE), hints[field]
            _check_field(f"{name}.{field}", hint, place)
            kind, words, memory = _resolved(hint)
            if place.elsewhere:
                words, memory = 1, ctypes.c_uint64
            elif get_origin(hint) is Row:
                words, memory = words * place.length, memory * place.length
            if place.own_line:
                at = to_the_next_line()
            cls.layout[field] = _Field(at, kind, place)
            fields.append((field, memory))
            at += words
            if place.own_line:
                at = to_the_next_line()
        cls.words = at
        cls._fields_ = fields
        if name in RECORDS:
            raise TypeError(f"there are two records called {name}: signatures could not tell them apart")
        RECORDS[name], SIGNATURE_TYPES[name] = cls, cls.kind


if TYPE_CHECKING:

    class _Memory:
        """To the type checker a record has the fields that its class names and no others."""

else:

    class _Memory(ctypes.Structure, metaclass=_RecordClass):
        pass


class Record(_Memory):
    """The base of all records."""

    if TYPE_CHECKING:
        kind: Any
        """The record's type in compiled code: a pointer to it."""
        words: int
        layout: dict[str, _Field]

    @classmethod
    def new(cls: type[SomeRecord], **fields: Any) -> SomeRecord:
        """A record that begins on a cache line: of zeros, but for the fields that are given."""
        size, line = 8 * cls.words, 8 * LINE_WORDS
        memory = (ctypes.c_char * (size + line))()
        structure = cast(Any, cls)
        made = cast(SomeRecord, structure.from_buffer(memory, -ctypes.addressof(memory) % line))
        for name, value in fields.items():
            setattr(made, name, value)
        return made

    @property
    def address(self) -> int:
        """Where it lies: what kernels called from Python take."""
        return ctypes.addressof(cast(Any, self))

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        # The copy's addresses would be those of the original's memory, which may be gone.
        raise TypeError("what compiled code works on cannot be copied or pickled: make another player or search")


def place_of(memory: Any) -> Any:
    """What an `elsewhere` field holds for an array or a record; nothing for None."""
    if memory is None:
        return 0
    return memory.address if isinstance(memory, Record) else memory.ctypes.data


def fill(row: Any, items: Any) -> None:
    """Writes items to the beginning of an inline row, from Python."""
    for index, item in enumerate(items):
        row[index] = item


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = _Pointer

    def generic_resolve(self, pointer: _Pointer, name: str) -> Any:
        field = pointer.record.layout.get(name)
        return None if field is None else field.kind


def _field_at(builder: Any, pointer: Any, field: _Field) -> Any:
    return builder.gep(pointer, [ir.Constant(WORD, field.offset)])


@lower_getattr_generic(_Pointer)  # type: ignore[untyped-decorator]
def _read_field(context: Any, builder: Any, kind: _Pointer, pointer: Any, name: str) -> Any:
    field = kind.record.layout[name]
    at, value_type = _field_at(builder, pointer, field), context.get_value_type(field.kind)
    if field.is_number or field.place.elsewhere:
        return builder.load(builder.bitcast(at, value_type.as_pointer()))
    return builder.bitcast(at, value_type)


@lower_setattr_generic(_Pointer)  # type: ignore[untyped-decorator]
def _write_field(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
    pointer, value = arguments
    field = signature.args[0].record.layout[name]
    if not (field.is_number or field.place.elsewhere):
        raise TypeError(f"{name} lies inside the record: its parts are written, not it")
    builder.store(value, builder.bitcast(_field_at(builder, pointer, field), value.type.as_pointer()))


@infer_global(bool)
class _IsThere(AbstractTemplate):  # type: ignore[misc]
    """`if record:` asks whether the address is other than zero."""

    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.boolean, arguments[0]) if isinstance(arguments[0], _Pointer) else None


@lower_builtin(bool, _Pointer)  # type: ignore[untyped-decorator]
def _is_there(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    return builder.icmp_unsigned("!=", builder.ptrtoint(arguments[0], WORD), ir.Constant(WORD, 0))


@infer_global(operator.getitem)
class _Item(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, keywords: Any) -> Any:
        row, index = arguments
        if isinstance(row, _RowOfRecords) and isinstance(index, types.Integer):
            return signature(row.item, row, types.uint64)
        return None


@lower_builtin(operator.getitem, _RowOfRecords, types.uint64)  # type: ignore[untyped-decorator]
def _item(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    row, index = arguments
    words = ir.Constant(WORD, signature.args[0].item.record.words)
    return builder.gep(row, [builder.mul(index, words)])


def at_address(hint: type[Item]) -> Callable[[int], Item]:
    """For kernels that Python calls: a function from the address of a record or a row to what lies there."""
    kind, _, _ = _resolved(hint)

    def typed(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(kind))

        return kind(types.uint64), generate

    return cast("Callable[[int], Item]", intrinsic(typed))
