module oracle

go 1.18
