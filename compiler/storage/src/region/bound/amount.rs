//! Amounts of region memory.

use clef_base::{Bytes, Extent, Span};

/// How regions hold what is allocated in them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pages {
    /// The size of a word.
    pub word: Bytes,
    /// The size of a page; `None` if the program's regions nest, which need no pages.
    pub size: Option<Bytes>,
}

impl Pages {
    /// The size of the header of a page, which holds no allocation.
    fn head(self) -> Bytes {
        self.word.saturating_mul(2)
    }
}

/// Why something has no bound.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// Its length is known only at run time.
    Length,
    /// It is made in the loop at this place.
    Loop(Span),
    /// It is made by a recursive function, written at this place.
    Recursion(Span),
    /// It is made through a closure, in a region whose handle the closure captured.
    Closure(Span),
    /// It is larger than a page, and larger blocks of the pool can be split between uses.
    Large,
    /// It is the state that a loop carries from iteration to iteration, evacuated.
    State,
    /// It is made by functions that other languages call, in the program's region.
    Foreign,
}

/// An allocation without a bound.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Cause {
    /// Where it is allocated, then the calls that lead there, the innermost first.
    pub spans: Vec<Span>,
    /// Why it has none.
    pub why: Why,
}

/// The memory of regions, or what has no bound.
pub(super) type Held = Result<Bytes, Vec<Cause>>;

/// The maximum length of a chain of calls in a cause.
const MAX_CHAIN: usize = 16;
/// The maximum number of causes that are kept.
const MAX_CAUSES: usize = 32;

/// What is allocated in a region.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Amount {
    /// The size of allocations that fit in a page, including alignment.
    small: Bytes,
    /// The largest of these.
    largest: Bytes,
    /// The size of allocations that do not fit, in whole pages.
    large: Bytes,
    /// Where it is made; empty if the amount is zero.
    spans: Vec<Span>,
    /// What has no bound.
    causes: Vec<Cause>,
}

impl Amount {
    /// One allocation.
    pub(super) fn one(Extent { size, align }: Extent, pages: Pages, span: Span) -> Amount {
        if size == Bytes(0) {
            return Amount::default();
        }
        // An allocation takes whole words, and starts at a word unless its alignment is larger.
        let words = size.0.checked_next_multiple_of(pages.word.0).map_or(Bytes::MAX, Bytes);
        let bytes = words.saturating_add(Bytes(align.0.saturating_sub(pages.word.0)));
        let whole = bytes.saturating_add(pages.head());
        let spans = vec![span];
        match pages.size {
            Some(page) if whole > page => Amount {
                large: whole.0.checked_next_multiple_of(page.0).map_or(Bytes::MAX, Bytes),
                spans,
                ..Amount::default()
            },
            Some(_) | None => Amount { small: bytes, largest: bytes, spans, ..Amount::default() },
        }
    }

    /// Something without a bound.
    pub(super) fn unbounded(span: Span, why: Why) -> Amount {
        Amount { causes: vec![Cause { spans: vec![span], why }], ..Amount::default() }
    }

    /// What has no bound.
    pub(super) fn causes(&self) -> &[Cause] {
        &self.causes
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.spans.is_empty() && self.causes.is_empty()
    }

    /// The sum of both.
    pub(super) fn and(mut self, other: Amount) -> Amount {
        self.small = self.small.saturating_add(other.small);
        self.large = self.large.saturating_add(other.large);
        self.largest = self.largest.max(other.largest);
        self.take(other.spans, other.causes);
        self
    }

    /// The maximum of both.
    pub(super) fn or(mut self, other: Amount) -> Amount {
        self.small = self.small.max(other.small);
        self.large = self.large.max(other.large);
        self.largest = self.largest.max(other.largest);
        self.take(other.spans, other.causes);
        self
    }

    fn take(&mut self, spans: Vec<Span>, causes: Vec<Cause>) {
        self.spans.extend(spans);
        self.spans.sort();
        self.spans.dedup();
        self.spans.truncate(MAX_CAUSES);
        self.causes.extend(causes);
        self.causes.sort();
        self.causes.dedup();
        self.forget_iterations();
        self.causes.truncate(MAX_CAUSES);
    }

    /// Leaves out what each iteration of a loop that evacuates the region makes: only what the loop keeps has no bound.
    fn forget_iterations(&mut self) {
        let evacuated = self.causes.iter().filter(|cause| cause.why == Why::State);
        let evacuated: Vec<Span> = evacuated.filter_map(|cause| cause.spans.first().copied()).collect();
        self.causes.retain(|cause| !matches!(cause.why, Why::Loop(span) if evacuated.contains(&span)));
    }

    /// Any number of times.
    pub(super) fn repeated(self, at: Span, why: Why) -> Amount {
        let again =
            self.spans.iter().map(|span| Cause { spans: if *span == at { vec![at] } else { vec![*span, at] }, why });
        let mut causes = self.causes;
        causes.extend(again);
        let mut repeated = Amount { causes, ..Amount::default() };
        repeated.forget_iterations();
        repeated
    }

    /// The amount of a call whose callee takes this.
    pub(super) fn called_at(mut self, call: Span) -> Amount {
        self.causes = called(self.causes, call);
        self
    }

    /// The memory of a region with this content, in whole pages if there are any. Blocks larger than a page have no bound if
    /// the region is one of many.
    pub(super) fn held(&self, pages: Pages, lives_as_long_as_program: bool) -> Held {
        if !self.causes.is_empty() {
            return Err(self.causes.clone());
        }
        if self.large > Bytes(0) && !lives_as_long_as_program {
            return Err(self.spans.iter().map(|span| Cause { spans: vec![*span], why: Why::Large }).collect());
        }
        if self.small == Bytes(0) {
            return Ok(self.large);
        }
        let Some(page) = pages.size else { return Ok(self.small) };
        // Each page but the last has less free space than the largest allocation needs.
        let least = (page - pages.head()).saturating_sub(self.largest) + Bytes(1);
        let count = 1 + (self.small.0 - 1) / least.0;
        Ok(self.large.saturating_add(page.saturating_mul(count)))
    }
}

/// The sum of both.
pub(super) fn plus(left: Held, right: Held) -> Held {
    match (left, right) {
        (Ok(left), Ok(right)) => Ok(left.saturating_add(right)),
        (left, right) => either(left, right),
    }
}

/// The maximum of both.
pub(super) fn most(left: Held, right: Held) -> Held {
    match (left, right) {
        (Ok(left), Ok(right)) => Ok(left.max(right)),
        (left, right) => either(left, right),
    }
}

/// The causes of both.
fn either(left: Held, right: Held) -> Held {
    let mut causes = [left.err(), right.err()].into_iter().flatten().flatten().collect::<Vec<_>>();
    causes.sort();
    causes.dedup();
    causes.truncate(MAX_CAUSES);
    Err(causes)
}

/// The causes in what is called at a place.
pub(super) fn called(mut causes: Vec<Cause>, call: Span) -> Vec<Cause> {
    for cause in &mut causes {
        if cause.spans.len() < MAX_CHAIN && cause.spans.last() != Some(&call) {
            cause.spans.push(call);
        }
    }
    causes
}

#[cfg(test)]
mod tests {
    use super::*;
    use clef_base::SourceMap;

    #[test]
    fn pages_hold_what_is_put_into_them() {
        let span = Span::new(SourceMap::default().add("a.clef", "x"), 0, 1);
        let pages = Pages { size: Some(Bytes(256)), word: Bytes(4) };
        let extent = |size| Extent { size: Bytes(size), align: Bytes(4) };
        let one = Amount::one(extent(100), pages, span);
        assert_eq!(Amount::default().held(pages, false), Ok(Bytes(0)));
        assert_eq!(one.held(pages, false), Ok(Bytes(256)));
        // Two of 103 bytes fill a page of 248 so far that a third does not fit.
        let three = one.clone().and(one.clone()).and(one.clone());
        assert_eq!(three.held(pages, false), Ok(Bytes(3 * 256)));
        assert_eq!(one.clone().or(three.clone()), three);
        let large = Amount::one(extent(300), pages, span);
        assert_eq!(large.held(pages, true), Ok(Bytes(512)));
        assert_eq!(large.held(pages, false), Err(vec![Cause { spans: vec![span], why: Why::Large }]));
        let nested = Pages { size: None, ..pages };
        assert_eq!(Amount::one(extent(300), nested, span).and(three).held(nested, false), Ok(Bytes(600)));
        assert_eq!(one.repeated(span, Why::Loop(span)).held(pages, true).map_err(|causes| causes.len()), Err(1));
    }
}
