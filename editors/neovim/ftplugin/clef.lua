vim.bo.commentstring = "// %s"
vim.bo.comments = ":///,://"
vim.bo.expandtab = true
vim.bo.shiftwidth = 4
vim.bo.softtabstop = 4
vim.bo.indentexpr = "v:lua.require'clef.indent'.of(v:lnum)"
vim.bo.indentkeys = "o,O,0),0],0},=else,=elif,=done,=end"

-- Without the compiled parser (see build.lua) there is no highlighting.
if vim.fn.has("nvim-0.11") == 1 then
  vim.wo[0][0].foldexpr = "v:lua.vim.treesitter.foldexpr()"
  if vim.treesitter.language.add("clef") then
    vim.treesitter.start()
  end
end
