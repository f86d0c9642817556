//! Strongly connected components of units, after Tarjan ("Depth-first search and linear graph algorithms", 1972).
//!
//! In: for each unit, the units that it needs. Out: the groups, each after those that it needs.

/// The groups of units that need each other, each after those that it needs; otherwise in source order.
pub(super) fn groups(units: &[&[usize]]) -> Vec<Vec<usize>> {
    let mut search = Search {
        units,
        found: vec![None; units.len()],
        lowest: vec![0; units.len()],
        open: Vec::new(),
        is_open: vec![false; units.len()],
        count: 0,
        groups: Vec::new(),
    };
    for unit in 0..units.len() {
        if search.found[unit].is_none() {
            search.visit(unit);
        }
    }
    search.groups
}

/// The units that one needs, directly or not, including itself.
pub(super) fn reached(units: &[&[usize]], from: usize) -> Vec<bool> {
    let mut reached = vec![false; units.len()];
    let mut open = vec![from];
    while let Some(unit) = open.pop() {
        if !std::mem::replace(&mut reached[unit], true) {
            open.extend(units[unit]);
        }
    }
    reached
}

/// The state of the search. It keeps an explicit stack, since a file may contain any number of units.
struct Search<'u> {
    units: &'u [&'u [usize]],
    /// The discovery index of each unit.
    found: Vec<Option<usize>>,
    /// The earliest open unit that is reachable from each.
    lowest: Vec<usize>,
    open: Vec<usize>,
    is_open: Vec<bool>,
    count: usize,
    groups: Vec<Vec<usize>>,
}

impl Search<'_> {
    fn visit(&mut self, root: usize) {
        let mut path = vec![(root, 0)];
        self.enter(root);
        while let Some((unit, next)) = path.last_mut() {
            let unit = *unit;
            let Some(&needed) = self.units[unit].get(*next) else {
                path.pop();
                self.leave(unit);
                if let Some((outer, _)) = path.last() {
                    self.lowest[*outer] = self.lowest[*outer].min(self.lowest[unit]);
                }
                continue;
            };
            *next += 1;
            match self.found[needed] {
                None => {
                    self.enter(needed);
                    path.push((needed, 0));
                }
                Some(found) if self.is_open[needed] => self.lowest[unit] = self.lowest[unit].min(found),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, unit: usize) {
        self.found[unit] = Some(self.count);
        self.lowest[unit] = self.count;
        self.count += 1;
        self.open.push(unit);
        self.is_open[unit] = true;
    }

    /// Pops the group of a unit off the stack if the unit is its first.
    fn leave(&mut self, unit: usize) {
        if self.found[unit] != Some(self.lowest[unit]) {
            return;
        }
        let start = self.open.iter().rposition(|&open| open == unit).unwrap_or(0);
        let mut group = self.open.split_off(start);
        group.iter().for_each(|&unit| self.is_open[unit] = false);
        group.sort_unstable();
        self.groups.push(group);
    }
}
