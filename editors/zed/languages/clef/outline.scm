(module_declaration "module" @context name: (path) @name) @item
(type_declaration name: (path) @name) @item
(source_file (let_declaration "let" @context (binding name: (_) @name)) @item)
(source_file (let_declaration "let" @context (binding pattern: (path) @name)) @item)
(module_declaration body: (block (let_declaration "let" @context (binding name: (_) @name)) @item))
(module_declaration body: (block (let_declaration "let" @context (binding pattern: (path) @name)) @item))
