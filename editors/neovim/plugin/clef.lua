-- The file type, the queries of the tree-sitter grammar, the language server and its commands.

if vim.fn.has("nvim-0.11") == 1 then
  vim.filetype.add({ extension = { clef = "clef" } })

  local folder = vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, "S").source:sub(2)))
  local queries = vim.fs.normalize(folder .. "/../tree-sitter-clef/queries")

  for _, name in ipairs({ "highlights", "locals", "folds" }) do
    local file = assert(io.open(queries .. "/" .. name .. ".scm"))
    vim.treesitter.query.set("clef", name, file:read("a"))
    file:close()
  end

  vim.lsp.enable("clef")
else
  require("clef.early").enable()
end

-- What the lenses of the server call, with the path of a file or a project, and of a test also what selects it.
local words = { ["clef.run"] = "run", ["clef.test"] = "test", ["clef.flash"] = "flash" }
for name, word in pairs(words) do
  vim.lsp.commands[name] = function(command)
    local path, test = unpack(command.arguments)
    local call = { "clefc", word }
    vim.list_extend(call, test and { "--filter", test, path } or { path })
    vim.cmd("new")
    if vim.fn.has("nvim-0.11") == 1 then
      vim.fn.jobstart(call, { term = true })
    else
      vim.fn.termopen(call)
    end
  end
end
