(source_file) @local.scope
(module_declaration) @local.scope
(block) @local.scope
(lambda) @local.scope
(arm) @local.scope

(binding name: (identifier) @local.definition)
(binding pattern: (path . (identifier) @local.definition .))
(parameters (path . (identifier) @local.definition .))
(as_pattern name: (identifier) @local.definition)

(path . (identifier) @local.reference)
