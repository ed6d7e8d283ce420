local function search(options)
  require("coderag.picker").open((options or {}).question or "", options)
end

return require("telescope").register_extension({ exports = { coderag = search, search = search } })
