module iso20022-reader

go 1.24

require github.com/moov-io/iso20022 v0.2.1
