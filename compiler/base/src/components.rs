//! Strongly connected components of a graph, after Tarjan, "Depth-first search and linear graph algorithms" (1972).

/// The component of each of the nodes `0..edges.len()`: two nodes have equal numbers if and only if they reach each
/// other. A component has a smaller number than the components that reach it, so callees come before their callers.
pub fn strongly_connected_components(edges: &[Vec<usize>]) -> Vec<usize> {
    let mut search = Search {
        edges,
        order: vec![None; edges.len()],
        low: vec![0; edges.len()],
        component: vec![None; edges.len()],
        stack: Vec::new(),
        visited: 0,
        components: 0,
    };
    for root in 0..edges.len() {
        if search.order[root].is_none() {
            search.from(root);
        }
    }
    search.component.into_iter().map(|component| component.unwrap_or(usize::MAX)).collect()
}

struct Search<'a> {
    edges: &'a [Vec<usize>],
    order: Vec<Option<usize>>,
    low: Vec<usize>,
    component: Vec<Option<usize>>,
    stack: Vec<usize>,
    visited: usize,
    components: usize,
}

impl Search<'_> {
    /// Visits the nodes reachable from `root`, with an explicit stack of nodes and the next edge of each.
    fn from(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(&target) = self.edges[node].get(*next) {
                *next += 1;
                match self.order[target] {
                    None => {
                        self.enter(target);
                        path.push((target, 0));
                    }
                    Some(order) if self.component[target].is_none() => self.low[node] = self.low[node].min(order),
                    Some(_) => {}
                }
            } else {
                path.pop();
                self.leave(node);
                if let Some(&(parent, _)) = path.last() {
                    self.low[parent] = self.low[parent].min(self.low[node]);
                }
            }
        }
    }

    fn enter(&mut self, node: usize) {
        self.order[node] = Some(self.visited);
        self.low[node] = self.visited;
        self.visited += 1;
        self.stack.push(node);
    }

    fn leave(&mut self, node: usize) {
        if self.order[node] != Some(self.low[node]) {
            return;
        }
        while let Some(member) = self.stack.pop() {
            self.component[member] = Some(self.components);
            if member == node {
                break;
            }
        }
        self.components += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_one_component_and_callees_come_first() {
        let components = strongly_connected_components(&[vec![1], vec![2, 3], vec![1], vec![], vec![4]]);
        assert_eq!(components[1], components[2]);
        assert!(components[3] < components[1] && components[1] < components[0]);
        assert!(components.iter().filter(|&&component| component == components[4]).count() == 1);
    }

    #[test]
    fn a_long_chain_needs_no_deep_recursion() {
        let edges: Vec<Vec<usize>> = (0..200_000).map(|node| if node == 0 { vec![] } else { vec![node - 1] }).collect();
        let components = strongly_connected_components(&edges);
        assert_eq!(components[199_999], 199_999);
    }
}
