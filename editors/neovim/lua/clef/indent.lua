-- Indentation by the line before: what ends a line opens a block.

local M = {}

local SIGNS = { "=", "->", "<-", "(", "[", "{", "[|" }
local WORDS = { "then", "else", "do", "with", "of", "begin", "lazy", "yield" }
local CLOSERS = { "^[%)%]}]", "^|[%]}]", "^else%f[%W]", "^elif%f[%W]", "^done%f[%W]", "^end%f[%W]" }

local function opens(line)
  local code = line:gsub("%s*//.*$", ""):gsub("%s+$", "")
  for _, sign in ipairs(SIGNS) do
    if vim.endswith(code, sign) then
      return true
    end
  end
  return vim.tbl_contains(WORDS, code:match("%w+$"))
end

--- The indentation of a line.
function M.of(number)
  local before = vim.fn.prevnonblank(number - 1)
  if before == 0 then
    return 0
  end
  local indentation = vim.fn.indent(before)
  if opens(vim.fn.getline(before)) then
    indentation = indentation + vim.fn.shiftwidth()
  end
  local line = vim.fn.getline(number):gsub("^%s+", "")
  for _, closer in ipairs(CLOSERS) do
    if line:find(closer) then
      return math.max(indentation - vim.fn.shiftwidth(), 0)
    end
  end
  return indentation
end

return M
