//! Generated trees, printed and parsed again, are the same.

mod generate;

use clef_base::{SourceMap, render};
use clef_syntax::{dump::dump, parse, print::print};
use generate::Generator;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_trees_parse_to_themselves(choices in prop::collection::vec(any::<u8>(), 0..2000)) {
        let ast = Generator::new(choices).ast();
        let listing = dump(&ast);
        let text = print(&ast);
        let mut sources = SourceMap::default();
        let file = sources.add("a.clef", text.clone());
        let (again, diagnostics) = parse(&sources, file);
        let rendered: String = diagnostics
            .iter()
            .map(|diagnostic| render::render(&sources, diagnostic, render::Colour::Plain))
            .collect();
        prop_assert!(rendered.is_empty(), "{text}\n{rendered}");
        let dumped = dump(&again);
        prop_assert!(listing == dumped, "{text}\nparses as\n{dumped}\nrather than\n{listing}");
        prop_assert_eq!(&text, &print(&again));
    }
}
