package palette

import "github.com/rondo-agent/rondo/internal/term/highlight"

// code are the names of the colours of code.
var code = map[highlight.Kind]string{
	highlight.Comment: "syntaxComment", highlight.String: "syntaxString", highlight.Number: "syntaxNumber",
	highlight.Keyword: "syntaxKeyword", highlight.Type: "syntaxType", highlight.Function: "syntaxFunction",
	highlight.Name: "syntaxVariable", highlight.Heading: "mdHeading", highlight.Inserted: "toolDiffAdded",
	highlight.Deleted: "toolDiffRemoved",
}

// Code returns the name of the colour of a kind of code; empty for plain text.
func Code(kind highlight.Kind) string { return code[kind] }
