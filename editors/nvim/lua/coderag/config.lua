-- The settings, and their defaults.
local M = {}

M.values = {
  command = { "coderag" }, -- the program, with arguments before its command, if any
  root = nil, -- the folder to search; by default the repository around the buffer's file
  k = 20, -- hits of a question
  debounce_ms = 150, -- that the prompt rests before a question is sent
  results = "telescope", -- telescope where it is installed; else, or by choice: select, quickfix
  search_args = {}, -- of `coderag search`, such as { "--tests", "exclude" }
}

--- Change settings; those that are not named stay.
function M.setup(options)
  M.values = vim.tbl_extend("force", M.values, options or {})
end

--- Return a command line of coderag.
function M.command(...)
  local program = M.values.command
  local words = type(program) == "table" and vim.deepcopy(program) or { program }
  for _, group in ipairs({ ... }) do
    vim.list_extend(words, group)
  end
  return words
end

return M
