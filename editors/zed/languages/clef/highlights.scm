; Written from editors/tree-sitter-clef/queries by `UPDATE=1 cargo test -p clef-editors`.

; Names

(identifier) @variable
(application function: (path (identifier) @function .))
(call_expression function: (path (identifier) @function .))
((identifier) @constructor (#match? @constructor "^[A-Z]"))
(binding name: (identifier) @function)
(binding name: (operator_name) @function)
(parameters (path (identifier) @variable.parameter))
(field_expression name: (identifier) @property)
(field_initializer name: (path (identifier) @property .))
(field_pattern name: (path (identifier) @property .))
(named_field name: (identifier) @property)
(field_declaration name: (identifier) @property)
(case_field name: (identifier) @property)
(case name: (identifier) @constructor)
(case_pattern case: (path (identifier) @constructor .))

((path . (identifier) @function .)
 (#any-of? @function "abs" "acos" "asin" "atan" "atan2" "ceil" "compare" "cos" "cosh" "decr" "defaultArg" "defaultValueArg" "enum" "eprintf" "eprintfn" "exit" "exp" "failwith" "failwithf" "floor" "fst" "hash" "id" "ignore" "incr" "infinity" "infinityf" "log" "log10" "log2" "max" "min" "nan" "nanf" "not" "pown" "printf" "printfn" "round" "set" "sign" "sin" "sinh" "snd" "sprintf" "sqrt" "tan" "tanh" "truncate" "zeroStep"))

(module_header name: (path (identifier) @namespace))
(namespace_declaration name: (path (identifier) @namespace))
(module_declaration name: (path (identifier) @namespace))
(module_alias (path (identifier) @namespace))
(open_declaration name: (path (identifier) @namespace))

; Types

(type_declaration name: (path (identifier) @type))
(type_name (path (identifier) @type))
(postfix_type (path (identifier) @type))
([(type_name (path . (identifier) @type.builtin .)) (postfix_type (path . (identifier) @type.builtin .))]
 (#any-of? @type.builtin "KeyValuePair" "Lazy" "List" "Map" "Option" "Result" "Set" "ValueOption" "array" "bool" "byte" "char" "double" "float" "float32" "float64" "int" "int16" "int32" "int64" "int8" "list" "nativeint" "nativeptr" "option" "ref" "sbyte" "seq" "single" "string" "uint" "uint16" "uint32" "uint64" "uint8" "unativeint" "unit" "voption"))
(type_variable) @type
(constraint (identifier) @type)
(attribute name: (path (identifier) @attribute))

; Literals

[(integer) (float)] @number
(char) @string
(boolean) @boolean
(unit) @constant
[(string) (interpolated_string) (string_content)] @string
(escape_sequence) @string.escape
(format) @string.special
(interpolation ["{" "}"] @punctuation.special)
(wildcard) @variable.special

; Comments

(comment) @comment
(doc_comment) @comment.doc
(directive) @preproc

; Words

["if" "then" "elif" "else" "match" "with" "when"] @keyword
["for" "while" "do" "done" "to" "downto" "in"] @keyword
["fun" "function"] @keyword.function
["open" "module" "namespace" "global"] @keyword
["type" "of" "struct"] @keyword
["mutable" "inline" "rec" "private" "internal" "public"] @keyword
["let" "use" "and" "as" "begin" "end" "lazy" "assert" "yield" "yield!"] @keyword
(reserved_word) @keyword

; Punctuation

(operator) @operator
["->" "<-" ":=" "=" ".."] @operator
["(" ")" "[" "]" "[|" "|]" "{" "}" "[<" ">]"] @punctuation.bracket
["," ";" ":" "." "|"] @punctuation.delimiter
