-- The commands of coderag; nothing else is loaded before one of them is used.
if vim.g.loaded_coderag or vim.fn.has("nvim-0.7") == 0 then
  return
end
vim.g.loaded_coderag = true

local command = vim.api.nvim_create_user_command

command("Coderag", function(options)
  require("coderag").search(options.args)
end, { nargs = "*", desc = "Search code by a question in words, or a symbol" })

command("CoderagSymbol", function(options)
  require("coderag").symbol(options.args)
end, { nargs = "?", desc = "Where a name is defined (default: the word under the cursor)" })

command("CoderagRefs", function(options)
  require("coderag").refs(options.args)
end, { nargs = "?", desc = "What refers to a name (default: the word under the cursor)" })

command("CoderagAt", function(options)
  local last = options.range == 2 and options.line2 or nil
  require("coderag").at(options.range > 0 and { options.line1, last } or nil)
end, { range = true, desc = "What belongs to the line, or to the selected lines" })

command("CoderagStop", function()
  require("coderag.process").stop_all()
end, { desc = "End the processes that answer questions" })
