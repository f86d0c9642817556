return {
  cmd = { "clefc", "lsp" },
  filetypes = { "clef" },
  root_markers = { "clef.toml", ".git" },
}
