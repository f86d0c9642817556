-- Neovim from 0.7 to 0.10, as Debian 12 and Ubuntu 24.04 have it: the file type, and the language server with the keys of Neovim 0.11.

local M = {}

local folder = vim.fn.fnamemodify(debug.getinfo(1, "S").source:sub(2), ":p:h:h:h")
local server = dofile(folder .. "/lsp/clef.lua")

-- The client of each folder with a project.
local clients = {}

local function root_of(file)
  local beside = vim.fn.fnamemodify(file, ":p:h")
  for _, marker in ipairs(server.root_markers) do
    local above = vim.fn.escape(beside, " \\;,*?[{") .. ";"
    local found = vim.fn.findfile(marker, above)
    found = found ~= "" and found or vim.fn.finddir(marker, above)
    if found ~= "" then
      return vim.fn.fnamemodify(found:gsub("/$", ""), ":p:s?/$??:h")
    end
  end
  return beside
end

local function client_of(root)
  local client = clients[root]
  if not client or not vim.lsp.get_client_by_id(client) then
    client = vim.lsp.start_client({ name = "clef", cmd = server.cmd, root_dir = root })
    clients[root] = client
  end
  return client
end

local function keys(buffer)
  local function key(mode, keys, action)
    vim.keymap.set(mode, keys, action, { buffer = buffer })
  end
  key("n", "K", vim.lsp.buf.hover)
  key("n", "grn", vim.lsp.buf.rename)
  key("n", "grr", vim.lsp.buf.references)
  key({ "n", "x" }, "gra", vim.lsp.buf.code_action)
  key("n", "gO", vim.lsp.buf.document_symbol)
  key("i", "<C-s>", vim.lsp.buf.signature_help)
  key("n", "[d", vim.diagnostic.goto_prev)
  key("n", "]d", vim.diagnostic.goto_next)
end

local function attach(event)
  local client = client_of(root_of(event.file))
  if not client then
    return
  end
  vim.lsp.buf_attach_client(event.buf, client)
  vim.bo[event.buf].omnifunc = "v:lua.vim.lsp.omnifunc"
  vim.bo[event.buf].tagfunc = "v:lua.vim.lsp.tagfunc"
  vim.bo[event.buf].formatexpr = "v:lua.vim.lsp.formatexpr()"
  keys(event.buf)
end

--- Attaches the server to each file of Clef.
function M.enable()
  local group = vim.api.nvim_create_augroup("clef", {})
  local files = { group = group, pattern = "*.clef", command = "setfiletype clef" }
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, files)
  vim.api.nvim_create_autocmd("FileType", { group = group, pattern = "clef", callback = attach })
end

return M
