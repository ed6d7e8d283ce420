-- The folder that a buffer is searched in.
local config = require("coderag.config")

local M = {}
local MARKS = { ".coderag", ".git" }

--- Return the nearest folder from here upwards that is indexed or a repository, nil if none is.
local function marked(folder)
  while true do
    for _, mark in ipairs(MARKS) do
      if vim.loop.fs_stat(folder .. "/" .. mark) then
        return folder
      end
    end
    local above = vim.fn.fnamemodify(folder, ":h")
    if above == folder then
      return nil
    end
    folder = above
  end
end

--- Return the root of a buffer's file; that of the current folder where the file is in none.
function M.of(buffer)
  if config.values.root then
    return (vim.fn.fnamemodify(config.values.root, ":p"):gsub("(.)/$", "%1"))
  end
  local here = vim.fn.getcwd()
  local file = vim.api.nvim_buf_get_name(buffer or 0)
  local is_file = file ~= "" and vim.bo[buffer or 0].buftype == ""
  local folder = is_file and vim.fn.fnamemodify(file, ":p:h") or here
  return marked(folder) or marked(here) or here
end

return M
