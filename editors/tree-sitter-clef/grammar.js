/**
 * The grammar of Clef for tree-sitter.
 *
 * The external scanner (src/scanner.c) reads every token and inserts `_begin`, `_separator` and `_end` by the offside
 * rule, as compiler/syntax does. So the rules below are those of compiler/syntax/src/parser over tokens with explicit
 * layout: a body is always a `block`.
 */

const tokens = require("./tokens.json");

const LEVEL = {
  or: 1,
  and: 2,
  cast: 3,
  compare: 4,
  bits: 5,
  append: 6,
  cons: 7,
  typeTest: 8,
  sum: 9,
  product: 10,
  power: 11,
  prefix: 12,
  application: 13,
  tightPrefix: 14,
  postfix: 15,
  path: 16,
};

const words = tokens.words.filter(({ group }) => group !== "reserved").flatMap(({ words }) => words);

/** `rule`, at least once, with `separator` between. */
const separated = (rule, separator) => seq(rule, repeat(seq(separator, rule)));

/** Content that the scanner lays out as a block. */
const laidOut = ($, content) => seq($._begin, content, $._end);

/** Parentheses with content: `open` is `(`, or the token of a parenthesis directly after an operand. */
const parentheses = ($, open, content) => seq(alias(open, "("), laidOut($, content), ")");

/** An opening parenthesis or bracket, with or without white space before it. */
const anyParenthesis = ($) => choice("(", alias($._open_call, "("));
const anyBracket = ($) => choice("[", alias($._open_index, "["));

/** Elements, each on its own line or after a semicolon. */
const lines = ($, rule) =>
  seq(optional($._separators), rule, repeat(seq($._separators, rule)), optional($._separators));

/**
 * Patterns from loose to tight: `as`, `|`, `,`, `&`, `::`, application. A type annotation is between `,` and `&`, and is
 * only allowed in brackets, so the loose forms exist twice.
 */
const loosePatterns = (suffix, annotated, tuples = true) => {
  const any = ($) => $["_pattern" + suffix];
  return {
    ["_pattern" + suffix]: ($) =>
      choice(
        alias($["as_pattern" + suffix], $.as_pattern),
        alias($["or_pattern" + suffix], $.or_pattern),
        ...(tuples ? [alias($["tuple_pattern" + suffix], $.tuple_pattern)] : []),
        alias($["cons_after_as" + suffix], $.cons_pattern),
        alias($["and_after_as" + suffix], $.and_pattern),
        $["_part_pattern" + suffix],
      ),
    ["as_pattern" + suffix]: ($) => prec(1, seq(any($), "as", field("name", $.identifier))),
    // What `as` names may be the left part of a larger pattern.
    ["cons_after_as" + suffix]: ($) =>
      prec(5, seq(alias($["as_pattern" + suffix], $.as_pattern), alias($._cons, "::"), $._conjunction)),
    ["and_after_as" + suffix]: ($) =>
      prec(4, seq(alias($["as_pattern" + suffix], $.as_pattern), alias($._ampersand, "&"), $._conjunction)),
    ["or_pattern" + suffix]: ($) => prec.left(2, seq(any($), "|", any($))),
    ...(tuples && {
      ["tuple_pattern" + suffix]: ($) => prec.left(3, seq(any($), repeat1(prec.left(3, seq(",", any($)))))),
    }),
    ["_part_pattern" + suffix]: ($) =>
      annotated ? choice(alias($["typed_pattern" + suffix], $.typed_pattern), $._conjunction) : $._conjunction,
    ...(annotated && {
      ["typed_pattern" + suffix]: ($) => seq($._conjunction, $._annotation),
    }),
  };
};

module.exports = grammar({
  name: "clef",

  // In the order of the enumeration in src/tokens.h.
  externals: ($) => [
    ...tokens.classes.map((name) => $[name]),
    ...tokens.punctuation.map(({ text }) => text),
    ...words,
  ],

  extras: ($) => [/\s|\uFEFF/, $.comment, $.doc_comment, $.directive, $._ready],

  inline: ($) => [$._separators],

  rules: {
    source_file: ($) =>
      optional(laidOut($, choice(seq($.module_header, optional($._declarations)), $._declarations))),

    _separators: ($) => repeat1(choice($._separator, ";")),

    // Declarations

    module_header: ($) =>
      seq(optional($.attributes), "module", optional($.access), optional("rec"), field("name", $.path)),
    namespace_declaration: ($) => seq(optional($.attributes), "namespace", optional("rec"), field("name", choice($.path, "global"))),

    _declarations: ($) => lines($, $._declaration),
    _declaration: ($) =>
      choice(
        $.let_declaration,
        $.type_declarations,
        $.module_declaration,
        $.module_alias,
        $.namespace_declaration,
        $.open_declaration,
        $._annotated,
      ),

    open_declaration: ($) => seq("open", field("name", $.path)),
    module_declaration: ($) =>
      seq(
        optional($.attributes),
        "module",
        optional($.access),
        optional("rec"),
        field("name", $.path),
        "=",
        field("body", alias($.declaration_block, $.block)),
      ),
    declaration_block: ($) => laidOut($, $._declarations),
    module_alias: ($) =>
      prec(
        1,
        seq(
          optional($.attributes),
          "module",
          optional($.access),
          field("name", $.path),
          "=",
          laidOut($, field("module", $.path)),
        ),
      ),

    attributes: ($) => prec.right(repeat1(seq($.attribute_list, repeat($._separator)))),
    attribute_list: ($) => seq("[<", optional(lines($, $.attribute)), ">]"),
    attribute: ($) => seq(field("name", $.path), optional(field("argument", choice($._any_parentheses, $._literal, $.path)))),

    // `let` and `use`

    let_declaration: ($) =>
      prec.right(
        seq(
          optional($.attributes),
          choice("let", "use"),
          optional($.attributes),
          repeat($._modifier),
          $.binding,
          repeat(seq("and", optional($.attributes), repeat($._modifier), $.binding)),
        ),
      ),
    _modifier: ($) => choice("rec", "inline", "mutable", $.access),
    access: ($) => choice("private", "internal", "public"),
    binding: ($) =>
      seq(
        choice($._function_head, field("pattern", $._pattern)),
        optional($._annotation),
        "=",
        field("body", $.block),
      ),
    _function_head: ($) =>
      prec(
        LEVEL.path + 1,
        choice(
          seq(
            field("name", $.identifier),
            choice(
              seq(field("type_parameters", $.type_parameters), optional(field("parameters", $.parameters))),
              field("parameters", $.parameters),
            ),
          ),
          seq(
            field("name", $.operator_name),
            optional(field("type_parameters", $.type_parameters)),
            optional(field("parameters", $.parameters)),
          ),
        ),
      ),
    parameters: ($) => prec.right(repeat1($._atomic_pattern)),
    _annotation: ($) => seq(":", field("type", $._type), optional($.constraints)),

    // Types

    type_declarations: ($) =>
      prec.right(
        seq(
          optional($.attributes),
          "type",
          $.type_declaration,
          repeat(seq("and", $.type_declaration)),
        ),
      ),
    type_declaration: ($) =>
      prec.right(seq(
        optional($.attributes),
        optional($.access),
        optional($._leading_parameters),
        field("name", $.path),
        optional(field("type_parameters", $.type_parameters)),
        optional(seq("=", laidOut($, seq(optional($.access), field("body", $._type_body))))),
      )),
    _leading_parameters: ($) =>
      choice($.type_variable, parentheses($, "(", separated($.type_variable, ","))),
    _type_body: ($) => choice($.record_type, $.cases, $.type_abbreviation),
    type_abbreviation: ($) => $._type,
    record_type: ($) => seq("{", laidOut($, lines($, $.field_declaration)), "}"),
    field_declaration: ($) => seq(optional("mutable"), field("name", $.identifier), ":", field("type", $._type)),
    cases: ($) =>
      choice(
        seq("|", separated($.case, "|")),
        seq($.case, repeat1(seq("|", $.case))),
        prec(-1, alias($._single_case, $.case)),
      ),
    case: ($) =>
      seq(
        field("name", $.identifier),
        optional(choice(seq("of", separated($.case_field, alias($._star, "*"))), seq("=", field("value", choice($.literal_pattern, $.path, $.parenthesized))))),
      ),
    _single_case: ($) =>
      seq(
        field("name", $.identifier),
        choice(seq("of", separated($.case_field, alias($._star, "*"))), seq("=", field("value", choice($.literal_pattern, $.path, $.parenthesized)))),
      ),
    case_field: ($) => seq(optional(seq(field("name", $.identifier), ":")), field("type", $._postfix_type)),

    type_parameters: ($) =>
      seq(
        alias($._type_open, "<"),
        separated(seq(optional($.attributes), $.type_variable), ","),
        optional($.constraints),
        alias($._type_close, ">"),
      ),
    constraints: ($) => prec.right(seq("when", separated($.constraint, "and"))),
    constraint: ($) => seq($.type_variable, ":", choice($.identifier, "struct")),

    type_variable: ($) => choice($._type_name, seq(alias($._caret, "^"), $.identifier)),

    _type: ($) => choice($.function_type, $._tuple_type),
    function_type: ($) => prec.right(1, seq($._tuple_type, "->", choice($._type, laidOut($, $._type)))),
    _tuple_type: ($) => choice($.tuple_type, $.measure_quotient, $._postfix_type),
    tuple_type: ($) => prec.left(2, seq($._tuple_type, alias($._star, "*"), $._postfix_type)),
    measure_quotient: ($) =>
      prec.left(2, seq(optional($._tuple_type), alias($._slash, "/"), $._postfix_type)),
    _postfix_type: ($) =>
      choice($._atomic_type, $.postfix_type, $.array_type, $.measure_power),
    postfix_type: ($) => prec.left(3, seq($._postfix_type, choice($.path, $.type_variable))),
    array_type: ($) => prec.left(3, seq($._postfix_type, anyBracket($), "]")),
    measure_power: ($) =>
      prec.left(
        3,
        seq($._postfix_type, choice(seq(alias($._caret, "^"), optional(alias($._sign, "-"))), alias($._caret_minus, "^-")), $.integer),
      ),
    _atomic_type: ($) =>
      choice(
        $.type_name,
        $.type_variable,
        alias("_", $.wildcard),
        $.integer,
        $.parenthesized_type,
        $.struct_type,
      ),
    type_name: ($) => prec.right(seq(field("name", $.path), optional($.type_arguments))),
    type_arguments: ($) => seq(alias($._type_open, "<"), separated($._type, ","), alias($._type_close, ">")),
    parenthesized_type: ($) => seq(anyParenthesis($), laidOut($, $._type), ")"),
    struct_type: ($) => seq("struct", $.parenthesized_type),

    // Blocks

    block: ($) => laidOut($, $._statements),
    // The scanner also marks the expressions before `then`, `with`, `do` and `->`, so that the table needs the states
    // of expressions only once.
    _head: ($) => laidOut($, $._statements),
    _statements: ($) =>
      seq(optional($._separators), repeat($._statement_before_another), $._statement, optional($._separators)),
    _statement_before_another: ($) =>
      choice(
        seq($._statement, $._separators),
        seq($.let_declaration, alias($._in_line_end, "in"), optional($._separators)),
      ),
    _statement: ($) => choice($.let_declaration, $._element),
    _element: ($) => choice($._annotated, $.range),
    range: ($) => prec.right(1, seq(field("from", $._annotated), "..", $._expression, optional(seq("..", $._expression)))),
    _annotated: ($) => choice($._expression, $.typed_expression),
    typed_expression: ($) => prec(1, seq($._expression, $._annotation)),

    // Expressions

    _expression: ($) => choice($._binary, $.tuple, $.assignment),
    tuple: ($) => prec.right(1, seq($._binary, repeat1(seq(",", $._binary)))),
    assignment: ($) =>
      prec.right(
        1,
        seq(
          field("target", choice($._binary, $.tuple)),
          field("operator", choice("<-", alias($._set_cell, ":="))),
          field("value", choice($.block, $._expression)),
        ),
      ),

    _binary: ($) => choice($.binary_expression, $._operand),
    binary_expression: ($) => {
      const level = (rule, associate, number, ...operators) =>
        associate(
          number,
          seq(
            field("left", $._binary),
            field("operator", operators.length === 1 ? operators[0] : choice(...operators)),
            field("right", $._binary),
          ),
        );
      const operator = (token) => alias(token, $.operator);
      return choice(
        level("or", prec.left, LEVEL.or, operator($._or)),
        level("and", prec.left, LEVEL.and, operator($._and), operator($._ampersand)),
        level("compare", prec.left, LEVEL.compare, operator($._compare), alias("=", $.operator)),
        level("bits", prec.left, LEVEL.bits, operator($._bits)),
        level("append", prec.right, LEVEL.append, operator($._append), operator($._caret), operator($._caret_minus)),
        level("cons", prec.right, LEVEL.cons, operator($._cons)),
        level("sum", prec.left, LEVEL.sum, operator($._sum), operator($._sign)),
        level("product", prec.left, LEVEL.product, operator($._product), operator($._star), operator($._slash)),
        level("power", prec.right, LEVEL.power, operator($._power)),
      );
    },

    _operand: ($) =>
      choice(
        $.if_expression,
        $.match_expression,
        $.lambda,
        $.function_expression,
        $.while_expression,
        $.for_expression,
        $.let_expression,
        $.do_expression,
        $.lazy_expression,
        $.assert_expression,
        $.yield_expression,
        alias($.loose_prefix, $.prefix_expression),
        $.application,
        $._postfix,
      ),

    if_expression: ($) =>
      prec.right(
        seq(
          "if",
          $._head,
          "then",
          field("then", $.block),
          repeat($.elif_clause),
          optional($.else_clause),
        ),
      ),
    elif_clause: ($) =>
      seq(
        choice("elif", seq("else", "if")),
        $._head,
        "then",
        field("then", $.block),
      ),
    else_clause: ($) => seq("else", $.block),

    match_expression: ($) => prec.right(seq("match", $._head, "with", $.arms)),
    function_expression: ($) => prec.right(seq("function", $.arms)),
    arms: ($) => prec.right(seq(optional("|"), separated($.arm, "|"))),
    arm: ($) =>
      seq(
        field("pattern", $._pattern),
        optional(seq("when", $._head)),
        "->",
        field("body", $.block),
      ),

    lambda: ($) => seq("fun", field("parameters", $.parameters), "->", field("body", $.block)),

    while_expression: ($) =>
      prec.right(seq("while", $._head, "do", field("body", $.block), optional("done"))),
    for_expression: ($) =>
      prec.right(
        seq(
          "for",
          choice(
            seq(
              field("variable", choice($.identifier, alias("_", $.wildcard))),
              "=",
              $._head,
              choice("to", "downto"),
              $._head,
            ),
            seq(
              field("pattern", $._pattern),
              choice("in", alias($._in_line_end, "in")),
              $._head,
            ),
          ),
          choice(seq("do", field("body", $.block), optional("done")), seq("->", field("element", $.block))),
        ),
      ),

    let_expression: ($) =>
      prec.right(seq($.let_declaration, "in", $._statement, repeat(seq(";", $._statement)))),
    do_expression: ($) => seq("do", $.block),
    lazy_expression: ($) => prec(LEVEL.prefix, seq("lazy", choice($.block, $._operand))),
    assert_expression: ($) => prec(LEVEL.prefix, seq("assert", choice($.block, $._operand))),
    yield_expression: ($) => prec.right(-1, seq(choice("yield", "yield!"), choice($.block, $._annotated))),

    loose_prefix: ($) =>
      prec(
        LEVEL.prefix,
        seq(
          field("operator", choice(alias($._sign, $.operator), alias($._adjacent_prefix, $.operator))),
          field("operand", $._operand),
        ),
      ),
    tight_prefix: ($) =>
      prec(LEVEL.tightPrefix, seq(field("operator", alias($._tight_prefix, $.operator)), field("operand", $._postfix))),
    argument_prefix: ($) =>
      prec(
        LEVEL.tightPrefix,
        seq(field("operator", alias($._adjacent_prefix, $.operator)), field("operand", $._argument)),
      ),

    application: ($) =>
      prec.left(LEVEL.application, seq(field("function", $._postfix), repeat1(field("argument", $._argument)))),
    _argument: ($) => choice($._postfix, alias($.argument_prefix, $.prefix_expression)),

    _postfix: ($) =>
      choice(
        $._atom,
        $.field_expression,
        $.index_expression,
        $.call_expression,
        $.type_application,
        alias($.tight_prefix, $.prefix_expression),
      ),
    field_expression: ($) =>
      prec(LEVEL.postfix, seq(field("target", $._postfix), alias($._dot_name, "."), field("name", $.identifier))),
    index_expression: ($) =>
      prec(
        LEVEL.postfix,
        seq(
          field("target", $._postfix),
          choice(alias($._open_index, "["), seq(".", anyBracket($))),
          laidOut($, choice($.slice, $._statements)),
          "]",
        ),
      ),
    slice: ($) =>
      choice(
        alias($._star, "*"),
        seq($._annotated, ".."),
        seq("..", $._annotated),
      ),
    call_expression: ($) =>
      prec(LEVEL.postfix, seq(field("function", $._postfix), field("argument", $._call_parentheses))),
    type_application: ($) => prec(LEVEL.postfix, seq(field("function", $._postfix), $.type_arguments)),

    _atom: ($) =>
      choice(
        $.path,
        $._literal,
        $.unit,
        $.parenthesized,
        $.operator_name,
        $.struct_tuple,
        $.begin_end,
        $.list,
        $.array,
        $.record,
        $.sequence,
        $.interpolated_string,
      ),
    path: ($) => choice($._dotted, seq($._dotted, alias($._dot_operator, "."), $.operator_name)),
    _dotted: ($) =>
      choice($.identifier, prec(LEVEL.path, seq($._dotted, alias($._dot_name, "."), $.identifier))),

    unit: ($) => seq("(", ")"),
    parenthesized: ($) => parentheses($, "(", $._statements),
    call_unit: ($) => seq(alias($._open_call, "("), ")"),
    call_parenthesized: ($) => parentheses($, $._open_call, $._statements),
    call_operator: ($) => parentheses($, $._open_call, $._any_operator),
    _call_parentheses: ($) =>
      choice(
        alias($.call_unit, $.unit),
        alias($.call_parenthesized, $.parenthesized),
        alias($.call_operator, $.operator_name),
      ),
    _any_parentheses: ($) => choice($._call_parentheses, $.unit, $.parenthesized),
    operator_name: ($) => parentheses($, "(", $._any_operator),
    _any_operator: ($) =>
      alias(
        choice(
          $._or,
          $._and,
          $._ampersand,
          $._cast,
          $._compare,
          $._bits,
          $._append,
          $._caret,
          $._caret_minus,
          $._cons,
          $._sum,
          $._sign,
          $._product,
          $._star,
          $._slash,
          $._power,
          $._tight_prefix,
          $._adjacent_prefix,
          $._set_cell,
          "=",
        ),
        $.operator,
      ),
    struct_tuple: ($) => seq("struct", $.parenthesized),
    begin_end: ($) => seq("begin", optional(laidOut($, $._statements)), "end"),

    list: ($) => seq("[", optional(laidOut($, $._statements)), "]"),
    array: ($) => seq("[|", optional(laidOut($, $._statements)), "|]"),
    sequence: ($) =>
      prec(LEVEL.postfix, seq(alias($._open_sequence, "{"), optional(laidOut($, $._statements)), "}")),

    record: ($) =>
      seq(
        "{",
        laidOut($, seq(optional(seq(field("base", choice($._postfix, $.application)), "with")), lines($, $.field_initializer))),
        "}",
      ),
    field_initializer: ($) =>
      prec(LEVEL.path + 1, seq(field("name", $.path), "=", field("value", $._statement))),

    _literal: ($) => choice($.integer, $.float, $.char, $.string, $.boolean),
    boolean: ($) => choice("true", "false"),
    string: ($) =>
      seq(alias($._string_start, '"'), repeat(choice($.string_content, $.escape_sequence)), alias($._string_end, '"')),
    interpolated_string: ($) =>
      seq(
        alias($._interpolated_start, '$"'),
        repeat(choice($.string_content, $.escape_sequence, $.interpolation)),
        alias($._string_end, '"'),
      ),
    interpolation: ($) =>
      seq(alias($._hole_open, "{"), laidOut($, $._statements), optional($.format), alias($._hole_close, "}")),

    // Patterns

    ...loosePatterns("", false),
    ...loosePatterns("_in_brackets", true),
    ...loosePatterns("_in_field", true, false),

    _conjunction: ($) => choice($.and_pattern, $.cons_pattern, $._case_pattern),
    and_pattern: ($) => prec.left(4, seq($._conjunction, alias($._ampersand, "&"), $._conjunction)),
    cons_pattern: ($) => prec.right(5, seq($._conjunction, alias($._cons, "::"), $._conjunction)),
    _case_pattern: ($) => choice($.case_pattern, $._atomic_pattern),
    case_pattern: ($) =>
      prec(1, seq(field("case", $.path), field("argument", choice($._atomic_pattern, $.named_fields)))),
    named_fields: ($) => seq(anyParenthesis($), laidOut($, separated($.named_field, choice(",", $._separators))), ")"),
    named_field: ($) => seq(field("name", $.identifier), "=", field("value", $._pattern_in_field)),

    _atomic_pattern: ($) =>
      choice(
        $.path,
        alias("_", $.wildcard),
        $.literal_pattern,
        alias($.unit_pattern, $.unit),
        $.parenthesized_pattern,
        $.struct_pattern,
        $.list_pattern,
        $.array_pattern,
        $.record_pattern,
      ),
    literal_pattern: ($) =>
      prec.right(
        choice(
          seq(
            optional(choice(alias($._sign, "-"), alias($._adjacent_prefix, "-"))),
            choice($.integer, $.float),
            optional($.type_arguments),
          ),
          $.char,
          $.string,
          $.boolean,
        ),
      ),
    unit_pattern: ($) => seq(anyParenthesis($), ")"),
    parenthesized_pattern: ($) =>
      seq(anyParenthesis($), laidOut($, seq(optional($.attributes), $._pattern_in_brackets)), ")"),
    struct_pattern: ($) => seq("struct", $.parenthesized_pattern),
    list_pattern: ($) => seq(anyBracket($), optional(laidOut($, lines($, $._pattern_in_brackets))), "]"),
    array_pattern: ($) => seq("[|", optional(laidOut($, lines($, $._pattern_in_brackets))), "|]"),
    record_pattern: ($) => seq("{", laidOut($, lines($, $.field_pattern)), "}"),
    field_pattern: ($) => seq(field("name", $.path), "=", field("value", $._pattern_in_brackets)),
  },
});
