//! The invariants of a module in the `clef` dialect that neither IRDL nor upstream verifiers can express.
//!
//! - Every callee exists and is the code of a closure; captures and arguments agree with it in number and type.
//! - Loads of captures are in that code and read the closure they were called with; storage fits.
//! - Code that frees its closure has loaded its captures before.
//! - Members of recursive groups are patched.
//! - Closures on the stack do not leave their frame; static slots are filled once, before they are read; a tail call
//!   ends its function.

use clef_base::HashMap;
use melior::ir::{Attribute, Module as MlirModule, r#type::FunctionType};

use super::{
    code::{captures, first_capture, functions, static_slots},
    once, stack,
};
use crate::{
    Capture, Fault, Module, Type,
    build::view::{Op, operations},
};

/// Runs the pass, which changes nothing.
pub fn verify(module: &Module<'_>) -> Result<(), Vec<Fault>> {
    let pass = Verify::of(&module.module);
    let mut faults: Vec<_> = operations(&module.module).into_iter().filter_map(|op| pass.operation(op).err()).collect();
    faults.extend(once::verify(&module.module));
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

struct Verify<'m> {
    functions: HashMap<&'m str, Op<'m>>,
    slots: HashMap<&'m str, Op<'m>>,
}

type Checked = Result<(), Fault>;

/// A fault at an operation.
pub(super) fn fault(op: Op<'_>, message: impl AsRef<str>) -> Fault {
    Fault::at(op.location(), format!("'{}' {}", op.name(), message.as_ref()))
}

/// A check that must succeed.
fn ensure(holds: bool, op: Op<'_>, message: impl Fn() -> String) -> Checked {
    if holds { Ok(()) } else { Err(fault(op, message())) }
}

/// All captures are loaded where the code begins, before an operation that frees the closure.
fn loaded(op: Op<'_>) -> Checked {
    let function = op.function().filter(|function| function.attribute("clef.captures").is_some());
    let Some(function) = function else { return Err(fault(op, "frees a closure outside of its code")) };
    let entry = function.blocks().first().copied();
    let is_at_start = |at: Op<'_>| entry.is_some_and(|entry| at.block() == entry);
    let mut loads = function.inner().into_iter().filter(|inner| inner.is("clef.capture"));
    let in_order = loads.all(|load| is_at_start(load) && (!is_at_start(op) || load.is_before(op)));
    ensure(in_order, op, || "frees a closure whose captures are loaded later".to_owned())
}

impl<'m> Verify<'m> {
    fn of(module: &'m MlirModule<'m>) -> Self {
        Verify { functions: functions(module), slots: static_slots(module) }
    }

    fn operation(&self, op: Op<'m>) -> Checked {
        match op.name() {
            "clef.closure_make" => {
                self.storage(op)?;
                self.signature(op)?;
                self.stored(op)?;
                if op.string("storage") == Some("replaced") {
                    loaded(op)?;
                }
                stack::verify(op)
            }
            "clef.region_pop" => loaded(op),
            "clef.closure_allocate" => {
                self.storage(op)?;
                self.signature(op)?;
                self.patched(op)?;
                stack::verify(op)
            }
            "clef.closure_patch" => self.stored(op),
            "clef.static_slot" => self.code(op).map(|_| ()),
            "clef.static_closure" => self.slot(op, op.symbol("slot")).map(|_| ()),
            "clef.capture" | "clef.capture_address" => self.capture(op),
            "clef.closure_invoke" => {
                self.invoke(op)?;
                tail(op)
            }
            "llvm.call" => tail(op),
            _ => Ok(()),
        }
    }

    /// The function that an operation names as code, and its captures.
    fn code(&self, op: Op<'m>) -> Result<(Op<'m>, Vec<Capture<'m>>), Fault> {
        let name = op.symbol("callee").unwrap_or_default();
        let function =
            self.functions.get(name).ok_or_else(|| fault(op, format!("refers to an unknown function: @{name}")))?;
        let captures =
            captures(*function).ok_or_else(|| fault(op, format!("refers to @{name}, which declares no captures")))?;
        Ok((*function, captures))
    }

    fn slot(&self, op: Op<'m>, name: Option<&str>) -> Result<Op<'m>, Fault> {
        let name = name.unwrap_or_default();
        self.slots.get(name).copied().ok_or_else(|| fault(op, format!("refers to an unknown static slot: @{name}")))
    }

    /// The storage fits the captures, the operands and the slot.
    fn storage(&self, op: Op<'m>) -> Checked {
        let (_, captures) = self.code(op)?;
        let before = op.operand_count().saturating_sub(if op.is("clef.closure_make") { captures.len() } else { 0 });
        match op.string("storage") {
            Some("region" | "replaced") => {
                ensure(before == 2, op, || "in a region requires the region and a site".to_owned())
            }
            Some("static") => ensure(captures.is_empty(), op, || "is static but has captures".to_owned()),
            Some(_) => Ok(()),
            None => {
                let slot = self.slot(op, op.symbol("storage"))?;
                ensure(slot.symbol("callee") == op.symbol("callee"), op, || {
                    "fills a static slot of another closure".to_owned()
                })
            }
        }
    }

    /// The code takes the closure and then the explicit parameters of its type.
    fn signature(&self, op: Op<'m>) -> Checked {
        let (function, _) = self.code(op)?;
        let name = function.sym_name().unwrap_or_default();
        let Some((parameters, result)) = function.llvm_signature() else {
            return Err(fault(op, format!("refers to @{name}, which has no type")));
        };
        let explicit = op.result().and_then(|closure| signature_of(closure.ty()));
        let agrees = explicit.is_some_and(|(explicit, explicit_result)| {
            parameters.split_first().is_some_and(|(first, rest)| first.is_pointer() && *rest == explicit)
                && result == explicit_result
        });
        ensure(agrees, op, || format!("creates a closure whose type does not match the code @{name}"))
    }

    /// Every capture of the code is stored, by its type.
    fn stored(&self, op: Op<'m>) -> Checked {
        let (function, captures) = self.code(op)?;
        let name = function.sym_name().unwrap_or_default();
        let stored: Vec<_> = op.operands().into_iter().skip(first_capture(op)).collect();
        ensure(stored.len() == captures.len(), op, || {
            format!("stores {} captures, but the code @{name} has {}", stored.len(), captures.len())
        })?;
        let wrong = stored.iter().zip(&captures).position(|(value, capture)| value.ty() != capture.ty);
        match wrong {
            None => Ok(()),
            Some(index) => Err(fault(
                op,
                format!(
                    "stores capture {index} as {}, but the code @{name} declares {}",
                    stored[index].ty(),
                    captures[index].ty
                ),
            )),
        }
    }

    /// A member of a recursive group is patched once, by its own code.
    fn patched(&self, op: Op<'m>) -> Checked {
        let (_, captures) = self.code(op)?;
        let uses = op.result().map(|closure| closure.uses()).unwrap_or_default();
        let patches: Vec<_> = uses.iter().filter(|(user, at)| user.is("clef.closure_patch") && *at == 0).collect();
        ensure(patches.iter().all(|(patch, _)| patch.symbol("callee") == op.symbol("callee")), op, || {
            "is patched as a closure of other code".to_owned()
        })?;
        ensure(patches.len() == 1 || (patches.is_empty() && captures.is_empty()), op, || {
            format!("must be patched once, not {} times", patches.len())
        })
    }

    /// A capture is loaded, or its address taken, in the code that declares it, from the closure that was called.
    fn capture(&self, op: Op<'m>) -> Checked {
        let function = op.function().ok_or_else(|| fault(op, "is not in a function"))?;
        let name = function.sym_name().unwrap_or_default();
        let captures = captures(function)
            .ok_or_else(|| fault(op, format!("is in @{name}, which is not the code of a closure")))?;
        let from = op.operand(0).maker().filter(|maker| maker.is("clef.closure_from_pointer"));
        let own = from.is_some_and(|from| from.operand(0).is_first_argument_of(function));
        ensure(own, op, || format!("reads another closure than the one that @{name} was called with"))?;
        let index = op.integer("index").unwrap_or(-1);
        let declared = usize::try_from(index).ok().and_then(|index| captures.get(index));
        let declared = declared
            .ok_or_else(|| fault(op, format!("reads capture {index}, but @{name} declares {}", captures.len())))?;
        let fits = op.is("clef.capture_address") || op.result().is_some_and(|result| result.ty() == declared.ty);
        ensure(fits, op, || format!("reads capture {index} with another type than {}", declared.ty))
    }

    /// The arguments are those of the closure's type.
    fn invoke(&self, op: Op<'m>) -> Checked {
        let arguments: Vec<_> = op.operands().into_iter().skip(1).map(|argument| argument.ty()).collect();
        let result = op.result().map(|result| result.ty());
        ensure(signature_of(op.operand(0).ty()) == Some((arguments, result)), op, || {
            format!("has different arguments or a different result than {}", op.operand(0).ty())
        })
    }
}

/// A tail call is valid: both sides have the convention for it, and its result is returned.
fn tail(op: Op<'_>) -> Checked {
    if !op.is_tail_call() {
        return Ok(());
    }
    let convention = op.attribute(if op.is("llvm.call") { "CConv" } else { "convention" });
    let of_caller = op.function().and_then(|caller| caller.attribute("CConv"));
    let tailcc = |convention: Option<Attribute<'_>>| convention.is_some_and(|it| it.to_string().contains("tailcc"));
    ensure(tailcc(convention) && tailcc(of_caller), op, || {
        "is a tail call, but the caller or the callee has another convention".to_owned()
    })?;
    let result: Vec<_> = op.result().into_iter().collect();
    let returned = op.next().is_some_and(|next| next.is("llvm.return") && next.operands() == result);
    ensure(returned, op, || "is a tail call, but its result is not returned immediately".to_owned())
}

/// The explicit parameters and the result of a closure's type.
fn signature_of<'m>(closure: Type<'m>) -> Option<(Vec<Type<'m>>, Option<Type<'m>>)> {
    let signature = FunctionType::try_from(closure.closure_signature()?.0).ok()?;
    let parameters = (0..signature.input_count()).map(|index| signature.input(index).ok().map(Type));
    let result = match signature.result_count() {
        0 => None,
        _ => Some(Type(signature.result(0).ok()?)),
    };
    Some((parameters.collect::<Option<_>>()?, result))
}
