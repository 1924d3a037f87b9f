module postern

go 1.21
