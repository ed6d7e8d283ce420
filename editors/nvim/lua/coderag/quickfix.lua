-- Places in the quickfix list.
local M = {}

local FORMAT = "%f:%l:%c:%m"

--- Show lines of `--format vimgrep`; a single one is opened where `jump` is set.
function M.lines(title, found, jump)
  vim.fn.setqflist({}, " ", { title = title, lines = found, efm = FORMAT })
  if jump and #found == 1 then
    vim.cmd("cfirst")
  else
    vim.cmd("botright copen")
  end
end

--- Show items.
function M.items(title, items)
  vim.fn.setqflist({}, " ", { title = title, items = items })
  vim.cmd("botright copen")
end

return M
