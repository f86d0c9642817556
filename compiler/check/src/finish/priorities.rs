//! The priorities of interrupts.
//!
//! In: a graph whose types are known. Out: what the calls of `Interrupt.setPriority` and `Interrupt.setPendSVPriority` in it set, which
//! decides about the handlers that may interrupt each other.

use crate::checker::Checker;
use clef_analysis::reached::reached;
use clef_base::{HashSet, Symbol};
use clef_psg::{Literal, NodeId, NodeKind, Priorities, VariableId};
use clef_types::interrupt_symbol::{INTERRUPT, PEND_SV_HANDLER};

impl Checker<'_> {
    /// Writes them into the graph.
    pub(crate) fn find_priorities(&mut self) {
        let of = |name| self.library_variable("Interrupt", name);
        let (Some(set), Some(set_pend_sv)) = (of("setPriority"), of("setPendSVPriority").or(of("setPriority"))) else {
            return;
        };
        let psg = &self.graph.psg;
        let names = |node: &NodeKind, variables: &[VariableId]| matches!(node, NodeKind::Variable { variable, .. } if variables.contains(variable));
        let named = psg.nodes.iter().filter(|(_, node)| names(&node.kind, &[set, set_pend_sv])).map(|(id, _)| id);
        let mut named: HashSet<NodeId> = named.collect();
        if named.is_empty() {
            return;
        }
        let reached = reached(psg);
        named.retain(|name| reached.contains(name));
        let calls = psg.nodes.iter().filter_map(|(_, node)| {
            let NodeKind::Apply { function, arguments } = &node.kind else { return None };
            named.remove(function).then_some((*function, arguments))
        });
        let priorities = calls.map(|(function, arguments)| {
            let is_pend_sv = set != set_pend_sv && names(&psg.nodes[function].kind, &[set_pend_sv]);
            match arguments.as_slice() {
                [priority] if is_pend_sv => Some((Symbol::new(PEND_SV_HANDLER), self.byte(*priority)?)),
                [number, priority] if !is_pend_sv => Some((
                    Symbol::new(&format!("{INTERRUPT}{}", self.interrupt_number(*number)?)),
                    self.byte(*priority)?,
                )),
                _ => None,
            }
        });
        let constant: Option<Vec<(Symbol, u8)>> = priorities.collect();
        let priorities = constant.filter(|_| named.is_empty()).map_or(Priorities::Unknown, Priorities::Constant);
        self.graph.psg.priorities = priorities;
    }

    /// A constant of type `byte`.
    fn byte(&self, argument: NodeId) -> Option<u8> {
        let Literal::Integer(value) = self.constant_of(argument)? else { return None };
        u8::try_from(*value).ok()
    }
}
