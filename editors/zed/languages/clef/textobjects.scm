(binding body: (block) @function.inside) @function.around
(lambda body: (block) @function.inside) @function.around
(type_declaration body: (_) @class.inside) @class.around
(comment)+ @comment.around
