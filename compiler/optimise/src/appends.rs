//! Appends numbers and single bytes to growing texts without a string in between.
//!
//! Condition: the string of an integer is used once, by an append in the block that makes it or in one within it that is no
//! loop; the digits are then made in the text itself. A literal of one byte is appended as a byte, which needs no address and
//! no copy in a loop: for speed only, since it takes another function of the runtime.

use crate::Level;
use clef_base::{HashMap, HashSet};
use clef_core::{Atom, Block, LocalId, Program, Rhs, StatementKind};
use clef_types::{IntegerType, Intrinsic, Type, TypeKind};

/// Rewrites the appends of every function.
pub(super) fn rewrite(program: &mut Program, level: Level) {
    let byte = (level == Level::Speed).then(|| program.types.intern(TypeKind::Integer(IntegerType::U32)));
    for function in program.functions.values_mut() {
        let mut uses = HashMap::default();
        function.body.each_atom(&mut |atom| {
            if let Some(local) = atom.local() {
                *uses.entry(local).or_default() += 1;
            }
        });
        Appends { uses, byte, appended: HashSet::default() }.block(&mut function.body, &mut Formatted::default());
    }
}

/// The strings of integers that are made on the way to a point of the same iteration: how to append each of them, and the
/// value and the digits.
type Formatted = HashMap<LocalId, (Intrinsic, [Atom; 2])>;

struct Appends {
    uses: HashMap<LocalId, usize>,
    /// The type of a literal that is appended as a byte.
    byte: Option<Type>,
    /// The strings that are appended as numbers, and are not made.
    appended: HashSet<LocalId>,
}

impl Appends {
    fn block(&mut self, block: &mut Block, formatted: &mut Formatted) {
        let mut made = Vec::new();
        for statement in &mut block.statements {
            let StatementKind::Let(local, rhs) = &mut statement.kind else { continue };
            if let Some(format) = self.format(*local, rhs) {
                formatted.insert(*local, format);
                made.push(*local);
            } else if let Rhs::While { condition, body } = rhs {
                self.block(condition, &mut Formatted::default());
                self.block(body, &mut Formatted::default());
            } else {
                rhs.blocks_mut().into_iter().for_each(|inner| self.block(inner, formatted));
                self.append(rhs, formatted);
            }
        }
        block.end.blocks_mut().into_iter().for_each(|inner| self.block(inner, formatted));
        made.iter().for_each(|local| {
            formatted.remove(local);
        });
        block.statements.retain(|statement| match &statement.kind {
            StatementKind::Let(local, _) => !self.appended.contains(local),
            StatementKind::Group(_) => true,
        });
    }

    /// How to append the string of an integer that is used once.
    fn format(&self, local: LocalId, rhs: &Rhs) -> Option<(Intrinsic, [Atom; 2])> {
        let Rhs::Intrinsic { intrinsic, arguments, .. } = rhs else { return None };
        let append = if *intrinsic == Intrinsic::FormatInt {
            Intrinsic::TextAppendInt
        } else if *intrinsic == Intrinsic::FormatUInt {
            Intrinsic::TextAppendUInt
        } else {
            return None;
        };
        let [value, digits] = arguments.as_slice() else { return None };
        (self.uses.get(&local) == Some(&1)).then(|| (append, [value.clone(), digits.clone()]))
    }

    /// Rewrites an append.
    fn append(&mut self, rhs: &mut Rhs, formatted: &Formatted) {
        let Rhs::Intrinsic { intrinsic: Intrinsic::TextAppend, arguments, .. } = &*rhs else { return };
        let [text, content] = arguments.as_slice() else { return };
        let (intrinsic, added) = if let Atom::Local(local) = content {
            let Some((intrinsic, number)) = formatted.get(local) else { return };
            self.appended.insert(*local);
            (*intrinsic, number.to_vec())
        } else if let (Atom::String(literal), Some(byte)) = (content, self.byte) {
            let [one] = literal.as_str().as_bytes() else { return };
            (Intrinsic::TextAppendByte, vec![Atom::Integer(i128::from(*one), byte)])
        } else {
            return;
        };
        let arguments = std::iter::once(text.clone()).chain(added).collect();
        *rhs = Rhs::Intrinsic { intrinsic, arguments, allocation: None };
    }
}
