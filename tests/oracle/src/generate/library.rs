//! Functions of the library, as names in scope: total ones, which never trap.

use super::{
    Style,
    scope::{LIBRARY_GENERICS, Nature, Variable},
    signature::signature,
};
use crate::{
    tree::Surroundings,
    types::{Library, Type},
};

/// The steps of a call, without those of the functions that it calls.
const WALK: u32 = 8;

/// The steps of a call that calls a function for each element, or forces a delayed value.
const CALLS: u32 = 160;

/// Functions of lists, arrays and partly of sequences: `many` is the family's type.
const COLLECTIONS: [&str; 30] = [
    "length: many<'a> -> int",
    "isEmpty: many<'a> -> bool",
    "rev: many<'a> -> many<'a>",
    "tryHead: many<'a> -> option<'a>",
    "tryLast: many<'a> -> option<'a>",
    "tryExactlyOne: many<'a> -> option<'a>",
    "tryItem: int -> many<'a> -> option<'a>",
    "singleton: 'a -> many<'a>",
    "truncate: int -> many<'a> -> many<'a>",
    "pairwise: many<'a> -> many<'a * 'a>",
    "indexed: many<'a> -> many<int * 'a>",
    "unzip: many<'a * 'b> -> many<'a> * many<'b>",
    "map: ('a -> 'b) -> many<'a> -> many<'b>",
    "mapi: (int -> 'a -> 'b) -> many<'a> -> many<'b>",
    "iter: ('a -> unit) -> many<'a> -> unit",
    "filter: ('a -> bool) -> many<'a> -> many<'a>",
    "partition: ('a -> bool) -> many<'a> -> many<'a> * many<'a>",
    "choose: ('a -> option<'b>) -> many<'a> -> many<'b>",
    "fold: ('b -> 'a -> 'b) -> 'b -> many<'a> -> 'b",
    "foldBack: ('a -> 'b -> 'b) -> many<'a> -> 'b -> 'b",
    "mapFold: ('c -> 'a -> 'b * 'c) -> 'c -> many<'a> -> many<'b> * 'c",
    "scan: ('b -> 'a -> 'b) -> 'b -> many<'a> -> many<'b>",
    "exists: ('a -> bool) -> many<'a> -> bool",
    "forall: ('a -> bool) -> many<'a> -> bool",
    "tryFind: ('a -> bool) -> many<'a> -> option<'a>",
    "tryFindIndex: ('a -> bool) -> many<'a> -> option<int>",
    "tryPick: ('a -> option<'b>) -> many<'a> -> option<'b>",
    "takeWhile: ('a -> bool) -> many<'a> -> many<'a>",
    "skipWhile: ('a -> bool) -> many<'a> -> many<'a>",
    "sortWith: ('a -> 'a -> int) -> many<'a> -> many<'a>",
];

/// The same for those that compare elements.
const COMPARED_COLLECTIONS: [&str; 9] = [
    "contains: 'a -> many<'a> -> bool",
    "sort: many<'a> -> many<'a>",
    "sortDescending: many<'a> -> many<'a>",
    "sortBy: ('a -> 'b) -> many<'a> -> many<'a>",
    "distinct: many<'a> -> many<'a>",
    "distinctBy: ('a -> 'b) -> many<'a> -> many<'a>",
    "countBy: ('a -> 'b) -> many<'a> -> many<'b * int>",
    "groupBy: ('a -> 'b) -> many<'a> -> many<'b * many<'a>>",
    "except: many<'a> -> many<'a> -> many<'a>",
];

/// Functions on numbers of any type.
const NUMBERS: [&str; 3] = ["List.sum: list<'a> -> 'a", "Array.sum: array<'a> -> 'a", "Seq.sum: seq<'a> -> 'a"];

/// Functions whose function arguments are only called while they run.
const OTHERS: [&str; 79] = [
    "add8: int8 -> int8 -> int8",
    "subtract16: uint16 -> uint16 -> uint16",
    "multiply16: int16 -> int16 -> int16",
    "add32: int32 -> int32 -> int32",
    "multiply32: int32 -> int32 -> int32",
    "multiplyUnsigned: uint32 -> uint32 -> uint32",
    "add64: int64 -> int64 -> int64",
    "negated: int64 -> int64",
    "toByte: int64 -> uint8",
    "toInt32: int64 -> int32",
    "ends: string -> string",
    "List.cons: 'a -> list<'a> -> list<'a>",
    "List.toArray: list<'a> -> array<'a>",
    "List.ofArray: array<'a> -> list<'a>",
    "Array.copy: array<'a> -> array<'a>",
    "unfolded: (int -> option<'a * int>) -> int -> list<'a>",
    "few: list<'a> -> list<'a>",
    "spread: ('a -> list<'b>) -> list<'a> -> list<'b>",
    "pairs: list<'a> -> list<'b> -> list<'a * 'b>",
    "grown: int -> (int -> 'a) -> list<'a>",
    "chunks: int -> list<'a> -> list<list<'a>>",
    "windows: int -> array<'a> -> array<array<'a>>",
    "at: array<'a> -> int -> 'a -> 'a",
    "put: array<'a> -> int -> 'a -> unit",
    "Lazy.force: Lazy<'a> -> 'a",
    "Seq.ofList: list<'a> -> seq<'a>",
    "Seq.ofArray: array<'a> -> seq<'a>",
    "Seq.toList: seq<'a> -> list<'a>",
    "Seq.toArray: seq<'a> -> array<'a>",
    "Seq.length: seq<'a> -> int",
    "Seq.isEmpty: seq<'a> -> bool",
    "Seq.tryHead: seq<'a> -> option<'a>",
    "Seq.tryLast: seq<'a> -> option<'a>",
    "Seq.truncate: int -> seq<'a> -> seq<'a>",
    "Seq.append: seq<'a> -> seq<'a> -> seq<'a>",
    "Seq.zip: seq<'a> -> seq<'b> -> seq<'a * 'b>",
    "Seq.indexed: seq<'a> -> seq<int * 'a>",
    "Seq.pairwise: seq<'a> -> seq<'a * 'a>",
    "Seq.cache: seq<'a> -> seq<'a>",
    "Seq.rev: seq<'a> -> seq<'a>",
    "Seq.fold: ('b -> 'a -> 'b) -> 'b -> seq<'a> -> 'b",
    "Seq.iter: ('a -> unit) -> seq<'a> -> unit",
    "Seq.exists: ('a -> bool) -> seq<'a> -> bool",
    "Seq.tryFind: ('a -> bool) -> seq<'a> -> option<'a>",
    "Seq.tryPick: ('a -> option<'b>) -> seq<'a> -> option<'b>",
    "Option.isSome: option<'a> -> bool",
    "Option.flatten: option<option<'a>> -> option<'a>",
    "Option.orElse: option<'a> -> option<'a> -> option<'a>",
    "Option.map2: ('a -> 'b -> 'c) -> option<'a> -> option<'b> -> option<'c>",
    "Option.iter: ('a -> unit) -> option<'a> -> unit",
    "Result.map: ('a -> 'b) -> Result<'a, 'c> -> Result<'b, 'c>",
    "Result.mapError: ('b -> 'c) -> Result<'a, 'b> -> Result<'a, 'c>",
    "Result.bind: ('a -> Result<'b, 'c>) -> Result<'a, 'c> -> Result<'b, 'c>",
    "Result.toOption: Result<'a, 'b> -> option<'a>",
    "charOr: string -> int -> char -> char",
    "part: string -> int -> int -> string",
    "from: string -> int -> string",
    "window: array<'a> -> int -> int -> array<'a>",
    "fill: array<'a> -> int -> array<'a> -> unit",
    "ticking: int -> unit -> int",
    "doubled: seq<'a> -> seq<'a>",
    "swap: string -> string -> string -> string",
    "parted: string -> string -> list<string>",
    "padded: int -> string -> string",
    "String.trim: string -> string",
    "String.rev: string -> string",
    "String.toUpper: string -> string",
    "String.includes: string -> string -> bool",
    "String.startsWith: string -> string -> bool",
    "String.tryFindIndex: string -> string -> option<int>",
    "String.toList: string -> list<char>",
    "String.map: (char -> char) -> string -> string",
    "String.filter: (char -> bool) -> string -> string",
    "String.fold: ('a -> char -> 'a) -> 'a -> string -> 'a",
    "String.exists: (char -> bool) -> string -> bool",
    "Char.isLetterOrDigit: char -> bool",
    "Parse.tryInt: string -> option<int>",
    "Parse.tryInt64: string -> option<int64>",
    "Parse.tryFloat: string -> option<float>",
];

/// Functions that keep their function arguments, for later calls.
const KEEPING: [&str; 7] = [
    "within: int -> (int -> 'a) -> seq<'a>",
    "Seq.map: ('a -> 'b) -> seq<'a> -> seq<'b>",
    "Seq.filter: ('a -> bool) -> seq<'a> -> seq<'a>",
    "Seq.choose: ('a -> option<'b>) -> seq<'a> -> seq<'b>",
    "Seq.takeWhile: ('a -> bool) -> seq<'a> -> seq<'a>",
    "Seq.scan: ('b -> 'a -> 'b) -> 'b -> seq<'a> -> seq<'b>",
    "Seq.map2: ('a -> 'b -> 'c) -> seq<'a> -> seq<'b> -> seq<'c>",
];

/// Functions that compare values of the types of their type variables.
const COMPARING: [&str; 35] = [
    "hash: 'a -> int",
    "Seq.contains: 'a -> seq<'a> -> bool",
    "Seq.distinct: seq<'a> -> seq<'a>",
    "Seq.sort: seq<'a> -> seq<'a>",
    "Seq.countBy: ('a -> 'b) -> seq<'a> -> seq<'b * int>",
    "Map.add: 'a -> 'b -> Map<'a, 'b> -> Map<'a, 'b>",
    "Map.remove: 'a -> Map<'a, 'b> -> Map<'a, 'b>",
    "Map.tryFind: 'a -> Map<'a, 'b> -> option<'b>",
    "Map.containsKey: 'a -> Map<'a, 'b> -> bool",
    "Map.change: 'a -> (option<'b> -> option<'b>) -> Map<'a, 'b> -> Map<'a, 'b>",
    "Map.count: Map<'a, 'b> -> int",
    "Map.isEmpty: Map<'a, 'b> -> bool",
    "Map.toList: Map<'a, 'b> -> list<'a * 'b>",
    "Map.keys: Map<'a, 'b> -> list<'a>",
    "Map.filter: ('a -> 'b -> bool) -> Map<'a, 'b> -> Map<'a, 'b>",
    "Map.map: ('a -> 'b -> 'c) -> Map<'a, 'b> -> Map<'a, 'c>",
    "Map.partition: ('a -> 'b -> bool) -> Map<'a, 'b> -> Map<'a, 'b> * Map<'a, 'b>",
    "Map.fold: ('c -> 'a -> 'b -> 'c) -> 'c -> Map<'a, 'b> -> 'c",
    "Map.foldBack: ('a -> 'b -> 'c -> 'c) -> Map<'a, 'b> -> 'c -> 'c",
    "Map.exists: ('a -> 'b -> bool) -> Map<'a, 'b> -> bool",
    "Map.tryFindKey: ('a -> 'b -> bool) -> Map<'a, 'b> -> option<'a>",
    "Map.iter: ('a -> 'b -> unit) -> Map<'a, 'b> -> unit",
    "Set.add: 'a -> Set<'a> -> Set<'a>",
    "Set.remove: 'a -> Set<'a> -> Set<'a>",
    "Set.contains: 'a -> Set<'a> -> bool",
    "Set.count: Set<'a> -> int",
    "Set.toList: Set<'a> -> list<'a>",
    "Set.union: Set<'a> -> Set<'a> -> Set<'a>",
    "Set.intersect: Set<'a> -> Set<'a> -> Set<'a>",
    "Set.difference: Set<'a> -> Set<'a> -> Set<'a>",
    "Set.isSubset: Set<'a> -> Set<'a> -> bool",
    "Set.map: ('a -> 'b) -> Set<'a> -> Set<'b>",
    "Set.filter: ('a -> bool) -> Set<'a> -> Set<'a>",
    "Set.fold: ('b -> 'a -> 'b) -> 'b -> Set<'a> -> 'b",
    "Set.foldBack: ('a -> 'b -> 'b) -> Set<'a> -> 'b -> 'b",
];

/// Functions that call their argument a thousand times.
const LOOPS: [&str; 8] = [
    "often: ('a -> 'a) -> 'a -> 'a",
    "sliding: int -> (int -> string) -> string -> string",
    "repeated: int -> string -> string",
    "deeply: int -> (int -> 'a -> 'a) -> 'a -> 'a",
    "summed: int -> (int -> int) -> int",
    "crowd: int -> (int -> 'a) -> ('a -> 'a -> 'a) -> 'a",
    "ranked: int -> (int -> 'a) -> 'a * 'a",
    "total: int -> (int -> int) -> int",
];

/// The steps of a call of these: less than a thousand calls, since few programs have many of them.
const LOOP: u32 = 1200;

/// The functions that programs about state call.
const STATE: [&str; 57] = [
    "List.length",
    "List.isEmpty",
    "List.rev",
    "List.tryHead",
    "List.tryLast",
    "List.tryItem",
    "List.map",
    "List.mapi",
    "List.iter",
    "List.filter",
    "List.choose",
    "List.fold",
    "List.foldBack",
    "List.exists",
    "List.forall",
    "List.tryFind",
    "List.tryPick",
    "List.cons",
    "List.toArray",
    "List.ofArray",
    "Array.length",
    "Array.isEmpty",
    "Array.rev",
    "Array.tryHead",
    "Array.tryItem",
    "Array.map",
    "Array.mapi",
    "Array.iter",
    "Array.filter",
    "Array.fold",
    "Array.foldBack",
    "Array.exists",
    "Array.forall",
    "Array.copy",
    "few",
    "spread",
    "grown",
    "at",
    "put",
    "Lazy.force",
    "Seq.ofList",
    "Seq.toList",
    "Seq.toArray",
    "Seq.length",
    "Seq.isEmpty",
    "Seq.tryHead",
    "Seq.truncate",
    "Seq.append",
    "Seq.fold",
    "Seq.iter",
    "Option.isSome",
    "Option.orElse",
    "Option.iter",
    "ticking",
    "Seq.map",
    "Seq.filter",
    "often",
];

/// Functions about native pointers.
const NATIVE: [&str; 6] = [
    "buffered: int -> (int -> int32) -> int32",
    "viewed: int -> (int -> int32) -> array<int32>",
    "through: array<int32> -> int32 -> int32",
    "packed: uint8 -> int64 -> int16 -> int64 * uint8",
    "keeping: int64 -> int64 -> int64",
    "bytesOf: string -> int32",
];

/// Foreign functions: the boards link them, the interpreter has them in Clef.
const FOREIGN: [&str; 7] = [
    "foreignMix: int8 -> uint16 -> int32 -> int64 -> uint8 -> int16 -> uint32 -> int64",
    "foreignBlend: float -> float32 -> int32 -> float -> float",
    "foreignEither: bool -> char -> bool -> char",
    "foreignTurned: int16 -> int64 -> float32 -> int16 * int64",
    "foreignSum: int32 -> int32 -> int32",
    "foreignEach: int32 -> int32 -> int32",
    "foreignHash: string -> uint32",
];

/// The statements of the log.
pub(super) const LOG: [&str; 5] = [
    "Log.trace: string -> unit",
    "Log.debug: string -> unit",
    "Log.info: string -> unit",
    "Log.warn: string -> unit",
    "Log.error: string -> unit",
];

/// The functions that programs may call.
pub(super) fn functions(style: Style, surroundings: Surroundings) -> Vec<Variable> {
    let families = [("List", "list<"), ("Array", "array<")];
    let each = |table: &[&str]| -> Vec<String> {
        let of = |(module, collection): (&str, &str)| {
            table.iter().map(|line| format!("{module}.{}", line.replace("many<", collection))).collect::<Vec<_>>()
        };
        families.into_iter().flat_map(of).collect()
    };
    let mut all: Vec<Variable> = each(&COLLECTIONS).iter().filter_map(|line| read(line)).collect();
    let compared = each(&COMPARED_COLLECTIONS);
    let compared = compared.iter().map(String::as_str).chain(COMPARING).filter_map(read);
    all.extend(compared.map(|variable| Variable { data_only: true, ..variable }));
    all.extend(OTHERS.iter().filter_map(|line| read(line)));
    all.extend(NUMBERS.iter().filter_map(|line| read(line)).map(|variable| Variable { numeric: true, ..variable }));
    let looped = LOOPS.iter().filter_map(|line| read(line));
    // A thousand iterations on functions nest closures a thousand deep.
    all.extend(looped.map(|variable| Variable { cost: LOOP, data_only: true, ..variable }));
    let kept = |variable: Variable| Variable { only_called: vec![false; variable.parameters.len()], ..variable };
    all.extend(KEEPING.iter().filter_map(|line| read(line)).map(kept));
    if style == Style::State {
        all.retain(|variable| STATE.contains(&variable.name.as_str()));
    }
    let beside = match surroundings {
        Surroundings::Native => [NATIVE.as_slice(), FOREIGN.as_slice()].concat(),
        Surroundings::Log => LOG.to_vec(),
        Surroundings::Plain | Surroundings::Files | Surroundings::Interrupts => Vec::new(),
    };
    all.extend(beside.into_iter().filter_map(read));
    all
}

/// A function of the table.
fn read(line: &str) -> Option<Variable> {
    let (name, parameters, result) = signature(line)?;
    let delayed = |ty: &Type| matches!(ty, Type::Library(Library::Seq | Library::Lazy, _));
    let calls = parameters.iter().any(|ty| delayed(ty) || matches!(ty, Type::Function(..)));
    let mut variable = Variable::value(name, result, Nature::Value);
    variable.generics = LIBRARY_GENERICS;
    variable.only_called = parameters.iter().map(|ty| matches!(ty, Type::Function(..))).collect();
    variable.parameters = parameters;
    variable.cost = if calls || delayed(&variable.result) { CALLS } else { WALK };
    Some(variable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let families = 2 * (COLLECTIONS.len() + COMPARED_COLLECTIONS.len());
        let others = NUMBERS.len() + OTHERS.len() + KEEPING.len() + COMPARING.len() + LOOPS.len();
        assert_eq!(functions(Style::Mixed, Surroundings::Plain).len(), families + others);
        assert_eq!(functions(Style::State, Surroundings::Native).len(), STATE.len() + NATIVE.len() + FOREIGN.len());
    }
}
