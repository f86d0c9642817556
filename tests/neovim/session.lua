-- A session in Neovim with the plugin of `editors/neovim`: what a user sees is written to the file that RECORD names.
-- Neovim ends with the status 1 if something does not come.

local record = assert(io.open(vim.env.RECORD, "w"))

local function say(...)
  record:write(string.format(...), "\n")
end

local function wait_for(what, condition)
  if not vim.wait(20000, condition, 20) then
    say("missing: %s", what)
    record:close()
    vim.cmd("cquit 1")
  end
end

local function diagnostics()
  return vim.diagnostic.get(0)
end

local function say_diagnostics(title)
  say("## %s", title)
  for _, found in ipairs(diagnostics()) do
    say("%d:%d %s", found.lnum + 1, found.col + 1, vim.split(found.message, "\n")[1])
  end
end

local function say_text(title)
  say("## %s", title)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, true)) do
    say("%s", line)
  end
end

local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, true, true), "xt", false)
end

local function floating_window()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return window
    end
  end
end

local function session()
  say("## The file")
  say("%s, %s", vim.bo.filetype, vim.bo.commentstring)
  wait_for("the server", function()
    return #vim.lsp.get_active_clients() == 1
  end)
  say("server: %s", vim.lsp.get_active_clients()[1].name)

  wait_for("diagnostics", function()
    return #diagnostics() > 0
  end)
  say_diagnostics("Diagnostics of the file")

  -- The key of code actions, and the first of them.
  vim.ui.select = function(items, _, choose)
    choose(items[1], 1)
  end
  vim.fn.search("twce")
  type_keys("gra")
  wait_for("the correction", function()
    return #diagnostics() == 0
  end)
  say_text("After the first code action")

  type_keys("Golet sum = twice (nothing 3)<Esc>")
  wait_for("diagnostics while typing", function()
    return #diagnostics() > 0
  end)
  say_diagnostics("Diagnostics while typing")
  type_keys("u")
  wait_for("none after undoing", function()
    return #diagnostics() == 0
  end)

  vim.fn.cursor(4, 1)
  vim.fn.search("sum")
  type_keys("K")
  wait_for("the hover", floating_window)
  say("## Hover on `List.sum`")
  for _, line in ipairs(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(floating_window()), 0, -1, true)) do
    say("%s", line)
  end

  type_keys("GoList.ma")
  local parameters = vim.lsp.util.make_position_params()
  parameters.position.character = #"List.ma"
  say("## Completion of `List.ma`")
  for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/completion", parameters, 20000) or {}) do
    for _, item in ipairs(vim.lsp.util.text_document_completion_list_to_complete_items(answer.result, "ma")) do
      say("%s", item.word)
    end
  end
  type_keys("u")

  vim.fn.cursor(2, 5)
  vim.lsp.buf.rename("double")
  wait_for("the new name", function()
    return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1]:find("double")
  end)
  say_text("After renaming")

  vim.api.nvim_buf_set_lines(0, 1, 2, true, { "let   double n=n*2" })
  type_keys("gggqG")
  wait_for("the formatted text", function()
    return vim.api.nvim_buf_get_lines(0, 1, 2, true)[1] == "let double n = n * 2"
  end)
  say_text("After formatting")

  vim.fn.search("sum")
  type_keys("<C-]>")
  wait_for("the definition", function()
    return vim.api.nvim_buf_get_name(0):find("library/list.clef$")
  end)
  say("## The definition of `List.sum`")
  say("%s", vim.trim(vim.api.nvim_get_current_line()))
end

local fine, problem = xpcall(session, debug.traceback)
if not fine then
  say("error: %s", problem)
end
record:close()
vim.cmd(fine and "qall!" or "cquit 1")
