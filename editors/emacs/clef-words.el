;;; clef-words.el --- The words of Clef -*- lexical-binding: t -*-

;;; Commentary:

;; Written from the compiler's tables of tokens by `UPDATE=1 cargo test -p clef-editors`.

;;; Code:

(defconst clef-words-keywords
  '("assert" "begin" "do" "done" "downto" "elif" "else" "end" "for" "if" "in" "lazy" "match" "then" "to" "when" "while" "with" "yield" "yield!" "and" "as" "fun" "function" "global" "let" "module" "namespace" "of" "open" "rec" "struct" "type" "use" "inline" "internal" "mutable" "private" "public")
  "The keywords of Clef.")

(defconst clef-words-constants
  '("false" "true")
  "The constants of Clef.")

(defconst clef-words-reserved
  '("abstract" "base" "class" "const" "default" "delegate" "do!" "exception" "extern" "finally" "fixed" "inherit" "interface" "let!" "match!" "member" "new" "null" "override" "return" "return!" "static" "try" "upcast" "downcast" "use!" "val" "void" "virtual")
  "The reserved of Clef.")

(defconst clef-words-types
  '("KeyValuePair" "Lazy" "List" "Map" "Option" "Result" "Set" "ValueOption" "array" "bool" "byte" "char" "double" "float" "float32" "float64" "int" "int16" "int32" "int64" "int8" "list" "nativeint" "nativeptr" "option" "ref" "sbyte" "seq" "single" "string" "uint" "uint16" "uint32" "uint64" "uint8" "unativeint" "unit" "voption")
  "The types of Clef.")

(defconst clef-words-functions
  '("abs" "acos" "asin" "atan" "atan2" "ceil" "compare" "cos" "cosh" "decr" "defaultArg" "defaultValueArg" "enum" "eprintf" "eprintfn" "exit" "exp" "failwith" "failwithf" "floor" "fst" "hash" "id" "ignore" "incr" "infinity" "infinityf" "log" "log10" "log2" "max" "min" "nan" "nanf" "not" "pown" "printf" "printfn" "round" "set" "sign" "sin" "sinh" "snd" "sprintf" "sqrt" "tan" "tanh" "truncate" "zeroStep")
  "The functions of Clef.")

(provide 'clef-words)
;;; clef-words.el ends here
