; Names

(identifier) @variable
(application function: (path (identifier) @function.call .))
(call_expression function: (path (identifier) @function.call .))
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

((path . (identifier) @function.builtin .)
 (#any-of? @function.builtin "abs" "acos" "asin" "atan" "atan2" "ceil" "compare" "cos" "cosh" "decr" "defaultArg" "defaultValueArg" "enum" "eprintf" "eprintfn" "exit" "exp" "failwith" "failwithf" "floor" "fst" "hash" "id" "ignore" "incr" "infinity" "infinityf" "log" "log10" "log2" "max" "min" "nan" "nanf" "not" "pown" "printf" "printfn" "round" "set" "sign" "sin" "sinh" "snd" "sprintf" "sqrt" "tan" "tanh" "truncate" "zeroStep"))

(module_header name: (path (identifier) @module))
(namespace_declaration name: (path (identifier) @module))
(module_declaration name: (path (identifier) @module))
(module_alias (path (identifier) @module))
(open_declaration name: (path (identifier) @module))

; Types

(type_declaration name: (path (identifier) @type.definition))
(type_name (path (identifier) @type))
(postfix_type (path (identifier) @type))
([(type_name (path . (identifier) @type.builtin .)) (postfix_type (path . (identifier) @type.builtin .))]
 (#any-of? @type.builtin "KeyValuePair" "Lazy" "List" "Map" "Option" "Result" "Set" "ValueOption" "array" "bool" "byte" "char" "double" "float" "float32" "float64" "int" "int16" "int32" "int64" "int8" "list" "nativeint" "nativeptr" "option" "ref" "sbyte" "seq" "single" "string" "uint" "uint16" "uint32" "uint64" "uint8" "unativeint" "unit" "voption"))
(type_variable) @type
(constraint (identifier) @type)
(attribute name: (path (identifier) @attribute))

; Literals

[(integer) (float)] @number
(char) @character
(boolean) @boolean
(unit) @constant.builtin
[(string) (interpolated_string) (string_content)] @string
(escape_sequence) @string.escape
(format) @string.special
(interpolation ["{" "}"] @punctuation.special)
(wildcard) @variable.builtin

; Comments

(comment) @comment
(doc_comment) @comment.documentation
(directive) @keyword.directive

; Words

["if" "then" "elif" "else" "match" "with" "when"] @keyword.conditional
["for" "while" "do" "done" "to" "downto" "in"] @keyword.repeat
["fun" "function"] @keyword.function
["open" "module" "namespace" "global"] @keyword.import
["type" "of" "struct"] @keyword.type
["mutable" "inline" "rec" "private" "internal" "public"] @keyword.modifier
["let" "use" "and" "as" "begin" "end" "lazy" "assert" "yield" "yield!"] @keyword
(reserved_word) @keyword

; Punctuation

(operator) @operator
["->" "<-" ":=" "=" ".."] @operator
["(" ")" "[" "]" "[|" "|]" "{" "}" "[<" ">]"] @punctuation.bracket
["," ";" ":" "." "|"] @punctuation.delimiter
