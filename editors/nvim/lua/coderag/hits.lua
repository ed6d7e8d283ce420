-- Hits as an editor shows and opens them.
local M = {}

--- Return a text on one line: what a repository holds may have any character.
local function plain(text)
  return (tostring(text):gsub("%c", " "))
end

--- Return the file of a hit.
function M.file(root, hit)
  return root .. "/" .. hit.path
end

--- Return the line to go to: the first one of a definition, else the best one.
function M.line(hit)
  local best = hit.signature ~= "" and hit.start_line or (type(hit.lines) == "table" and hit.lines[1])
  return best or hit.start_line
end

--- Return a hit on one line.
function M.text(hit)
  return plain(("%s:%d  %s %s"):format(hit.path, M.line(hit), hit.kind, hit.qualified_name))
end

--- Return hits as the items of a quickfix list.
function M.items(root, hits)
  return vim.tbl_map(function(hit)
    local text = hit.signature ~= "" and hit.signature or ("%s %s"):format(hit.kind, hit.qualified_name)
    return { filename = M.file(root, hit), lnum = M.line(hit), col = 1, text = plain(text) }
  end, hits)
end

--- Open the file of a hit at its line.
function M.open(root, hit)
  vim.cmd("edit " .. vim.fn.fnameescape(M.file(root, hit)))
  local last = vim.api.nvim_buf_line_count(0)
  vim.api.nvim_win_set_cursor(0, { math.min(M.line(hit), last), 0 })
end

return M
