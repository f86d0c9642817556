//! Functions of the library, as names in scope: total ones, which never trap.

use super::scope::{Nature, Variable};
use crate::types::{Library, Type, Width, function, option};

/// What a call of a function on a collection takes beside what the functions take that it calls.
const WALK: u32 = 8;

/// What a call takes that calls a function for each element.
const CALLS: u32 = 160;

/// What functions are about: lists or arrays.
#[derive(Clone, Copy)]
struct Family {
    module: &'static str,
    collection: Library,
}

/// The functions that programs may call.
pub(super) fn functions() -> Vec<Variable> {
    let families =
        [Family { module: "List", collection: Library::List }, Family { module: "Array", collection: Library::Array }];
    let mut all: Vec<Variable> = families.into_iter().flat_map(of_collections).collect();
    let a = Type::Variable(0);
    let list = |ty: &Type| Type::Library(Library::List, vec![ty.clone()]);
    let array = |ty: &Type| Type::Library(Library::Array, vec![ty.clone()]);
    all.extend(of_maps());
    all.extend(of_sets());
    all.extend(of_sequences());
    all.push(plain("List.cons", &[a.clone(), list(&a)], list(&a)));
    all.push(plain("List.toArray", &[list(&a)], array(&a)));
    all.push(plain("List.ofArray", &[array(&a)], list(&a)));
    all.push(plain("at", &[array(&a), Type::Integer(Width::Int), a.clone()], a.clone()));
    all.push(plain("put", &[array(&a), Type::Integer(Width::Int), a.clone()], Type::Unit));
    all.push(plain("List.tryItem", &[Type::Integer(Width::Int), list(&a)], option(a)));
    all
}

/// What both lists and arrays have.
fn of_collections(family: Family) -> Vec<Variable> {
    let Family { module, collection } = family;
    let [a, b, c] = [0, 1, 2].map(Type::Variable);
    let (int, truth) = (Type::Integer(Width::Int), Type::Bool);
    let many = |ty: &Type| Type::Library(collection, vec![ty.clone()]);
    let to = |from: &Type, to: &Type| function(std::slice::from_ref(from), to.clone());
    let (all_a, all_b) = (many(&a), many(&b));
    let pair = Type::Tuple(vec![a.clone(), b.clone()]);
    let name = |function: &str| format!("{module}.{function}");
    let step = function(&[c.clone(), a.clone()], c.clone());
    let back = function(&[a.clone(), c.clone()], c.clone());
    let mut functions = vec![
        plain(&name("length"), std::slice::from_ref(&all_a), int.clone()),
        plain(&name("isEmpty"), std::slice::from_ref(&all_a), truth.clone()),
        plain(&name("rev"), std::slice::from_ref(&all_a), all_a.clone()),
        plain(&name("tryHead"), std::slice::from_ref(&all_a), option(a.clone())),
        plain(&name("tryLast"), std::slice::from_ref(&all_a), option(a.clone())),
        plain(&name("singleton"), std::slice::from_ref(&a), all_a.clone()),
        calling(&name("map"), &[to(&a, &b), all_a.clone()], all_b.clone()),
        calling(&name("mapi"), &[function(&[int.clone(), a.clone()], b.clone()), all_a.clone()], all_b.clone()),
        calling(&name("iter"), &[to(&a, &Type::Unit), all_a.clone()], Type::Unit),
        calling(&name("filter"), &[to(&a, &truth), all_a.clone()], all_a.clone()),
        calling(&name("choose"), &[to(&a, &option(b.clone())), all_a.clone()], all_b.clone()),
        calling(&name("fold"), &[step, c.clone(), all_a.clone()], c.clone()),
        calling(&name("foldBack"), &[back, all_a.clone(), c.clone()], c),
        calling(&name("exists"), &[to(&a, &truth), all_a.clone()], truth.clone()),
        calling(&name("forall"), &[to(&a, &truth), all_a.clone()], truth.clone()),
        calling(&name("tryFind"), &[to(&a, &truth), all_a.clone()], option(a.clone())),
        calling(&name("tryPick"), &[to(&a, &option(b.clone())), all_a.clone()], option(b)),
    ];
    let compared = [
        plain(&name("contains"), &[a.clone(), all_a.clone()], truth),
        plain(&name("sort"), std::slice::from_ref(&all_a), all_a.clone()),
        plain(&name("distinct"), std::slice::from_ref(&all_a), all_a.clone()),
        plain(&name("indexed"), std::slice::from_ref(&all_a), many(&Type::Tuple(vec![int, a.clone()]))),
        plain(&name("unzip"), &[many(&pair)], Type::Tuple(vec![all_a, all_b])),
    ];
    functions.extend(compared.map(|variable| Variable { data_only: true, ..variable }));
    functions
}

fn of_maps() -> Vec<Variable> {
    let [k, v, s] = [0, 1, 2].map(Type::Variable);
    let map = Type::Library(Library::Map, vec![k.clone(), v.clone()]);
    let pairs = Type::Library(Library::List, vec![Type::Tuple(vec![k.clone(), v.clone()])]);
    let truth = function(&[k.clone(), v.clone()], Type::Bool);
    let step = function(&[s.clone(), k.clone(), v.clone()], s.clone());
    let functions = vec![
        plain("Map.add", &[k.clone(), v.clone(), map.clone()], map.clone()),
        plain("Map.remove", &[k.clone(), map.clone()], map.clone()),
        plain("Map.tryFind", &[k.clone(), map.clone()], option(v)),
        plain("Map.containsKey", &[k, map.clone()], Type::Bool),
        plain("Map.count", std::slice::from_ref(&map), Type::Integer(Width::Int)),
        plain("Map.toList", std::slice::from_ref(&map), pairs),
        calling("Map.filter", &[truth, map.clone()], map.clone()),
        calling("Map.fold", &[step, s.clone(), map], s),
    ];
    functions.into_iter().map(|variable| Variable { data_only: true, ..variable }).collect()
}

fn of_sets() -> Vec<Variable> {
    let [a, s] = [0, 1].map(Type::Variable);
    let set = Type::Library(Library::Set, vec![a.clone()]);
    let step = function(&[s.clone(), a.clone()], s.clone());
    let functions = vec![
        plain("Set.add", &[a.clone(), set.clone()], set.clone()),
        plain("Set.remove", &[a.clone(), set.clone()], set.clone()),
        plain("Set.contains", &[a.clone(), set.clone()], Type::Bool),
        plain("Set.count", std::slice::from_ref(&set), Type::Integer(Width::Int)),
        plain("Set.toList", std::slice::from_ref(&set), Type::Library(Library::List, vec![a])),
        plain("Set.union", &[set.clone(), set.clone()], set.clone()),
        calling("Set.fold", &[step, s.clone(), set], s),
    ];
    functions.into_iter().map(|variable| Variable { data_only: true, ..variable }).collect()
}

/// What sequences and lazy values have. They keep the functions that they are made of.
fn of_sequences() -> Vec<Variable> {
    let [a, b] = [0, 1].map(Type::Variable);
    let seq = |ty: &Type| Type::Library(Library::Seq, vec![ty.clone()]);
    let list = Type::Library(Library::List, vec![a.clone()]);
    let lazy = Type::Library(Library::Lazy, vec![a.clone()]);
    let int = Type::Integer(Width::Int);
    let to = |from: &Type, to: &Type| function(std::slice::from_ref(from), to.clone());
    let step = function(&[b.clone(), a.clone()], b.clone());
    let kept = |variable: Variable| Variable { only_called: vec![false; variable.parameters.len()], ..variable };
    vec![
        calling("Lazy.force", &[lazy], a.clone()),
        calling("Seq.ofList", std::slice::from_ref(&list), seq(&a)),
        calling("Seq.toList", &[seq(&a)], list),
        calling("Seq.length", &[seq(&a)], int.clone()),
        calling("Seq.tryHead", &[seq(&a)], option(a.clone())),
        calling("Seq.truncate", &[int, seq(&a)], seq(&a)),
        calling("Seq.append", &[seq(&a), seq(&a)], seq(&a)),
        kept(calling("Seq.map", &[to(&a, &b), seq(&a)], seq(&b))),
        kept(calling("Seq.filter", &[to(&a, &Type::Bool), seq(&a)], seq(&a))),
        kept(calling("Seq.choose", &[to(&a, &option(b.clone())), seq(&a)], seq(&b))),
        calling("Seq.fold", &[step, b.clone(), seq(&a)], b),
    ]
}

/// A function that calls none.
fn plain(name: &str, parameters: &[Type], result: Type) -> Variable {
    let mut variable = Variable::value(name, result, Nature::Value);
    variable.generics = 3;
    variable.parameters = parameters.to_vec();
    variable.only_called = parameters.iter().map(|ty| matches!(ty, Type::Function(..))).collect();
    variable.cost = WALK;
    variable
}

/// A function that calls what it is given, and does not keep it.
fn calling(name: &str, parameters: &[Type], result: Type) -> Variable {
    Variable { cost: CALLS, ..plain(name, parameters, result) }
}
