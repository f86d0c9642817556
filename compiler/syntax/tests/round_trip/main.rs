//! Generated trees, printed and parsed again, are the same.

mod generate;

use clef_base::{SourceMap, render};
use clef_syntax::{ast::Ast, dump::dump, parse, print::print};
use generate::Generator;
use proptest::prelude::*;

#[test]
fn loops_and_conditions_in_parentheses_stay_elements() {
    for text in
        ["[(for x in xs do f x)]", "[|(while a do b); (for i = 1 to 2 do f i)|]", "[(if a then b); (let c = 1 in c)]"]
    {
        let ast = parsed(&format!("let all = {text}\n"));
        let listing = dump(&ast);
        assert!(!listing.contains("comprehension"), "{listing}");
        assert_eq!(listing, dump(&parsed(&print(&ast))));
    }
}

fn parsed(text: &str) -> Ast {
    let mut sources = SourceMap::default();
    let file = sources.add("a.clef", text.to_owned());
    let (ast, diagnostics) = parse(&sources, file);
    assert!(diagnostics.is_empty(), "{text}");
    ast
}

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
