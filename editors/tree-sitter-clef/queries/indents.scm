[
  (binding)
  (arm)
  (lambda)
  (if_expression)
  (elif_clause)
  (else_clause)
  (while_expression)
  (for_expression)
  (do_expression)
  (type_declaration)
  (module_declaration)
  (parenthesized)
  (begin_end)
  (list)
  (array)
  (record)
  (record_type)
  (sequence)
] @indent

[")" "]" "|]" "}" "end" "done" (elif_clause) (else_clause)] @outdent
