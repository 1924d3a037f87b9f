module conformance

go 1.21

require postern v0.0.0

replace postern => ../../go
