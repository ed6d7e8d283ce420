-- Messages, which never interrupt what the user types.
local M = {}

local function notify(text, level)
  vim.schedule(function()
    vim.notify("coderag: " .. (text:gsub("^coderag: ", "")), level)
  end)
end

function M.info(text)
  notify(text, vim.log.levels.INFO)
end

function M.error(text)
  notify(text, vim.log.levels.ERROR)
end

return M
