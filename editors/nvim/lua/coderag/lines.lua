-- The output of a job, which comes in pieces, to whole lines.
local M = {}

--- Return a callback of jobstart that calls `take` with each line.
function M.reader(take)
  local rest = ""
  return function(_, pieces)
    -- The first piece goes on with the last line, and the last one is not yet a whole line (:h channel-lines).
    pieces[1] = rest .. pieces[1]
    rest = table.remove(pieces)
    for _, line in ipairs(pieces) do
      take(line)
    end
  end
end

return M
