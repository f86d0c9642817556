-- Compiles the parser: `nvim -l build.lua`. Package managers that know build.lua run it by themselves.

local folder = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p")))
local source = vim.fs.normalize(folder .. "/../tree-sitter-clef/src")
local parser = folder .. "/parser/clef.so"
vim.fn.mkdir(folder .. "/parser", "p")
local compiler = vim.env.CC or "cc"
local command = { compiler, "-shared", "-fPIC", "-std=c11", "-O2", "-w", "-I", source, "-o", parser }
vim.list_extend(command, { source .. "/parser.c", source .. "/scanner.c" })
local result = vim.system(command, { text = true }):wait()
if result.code ~= 0 then
  error(compiler .. " cannot compile the parser: " .. result.stderr)
end
