// Package schema describes the arguments of tools with JSON Schema: it makes schemas from
// Go types, finds everything that is wrong with arguments, and converts what models
// commonly get wrong.
//
// # Usage
//
//	type args struct {
//		Path  string `json:"path" jsonschema:"The file to read."`
//		Limit *int   `json:"limit,omitzero" jsonschema:"At most this many lines."`
//		Mode  string `json:"mode,omitzero" enum:"text,binary"`
//	}
//	s, err := schema.For[args]()
//	…
//	valid, err := s.Validate(call.Arguments)
//	if invalid, ok := errors.AsType[*schema.ValidationError](err); ok {
//		return invalid.Text("read") // the model corrects itself with this
//	}
//
// A schema that was written by somebody else, such as an MCP server, comes from [Parse].
//
// # Validation
//
// Schemas are compiled when they are first needed, so that a program with many tools
// starts at once. All keywords of the drafts 4 to 2020-12 that say what is valid are
// checked. "format" and the like are annotations, and $dynamicRef is taken for $ref.
// References stay within the schema: nothing is loaded from files or the network.
//
// Patterns run on Go's regular expressions. One that needs what these lack on purpose,
// for instance lookahead, is not checked.
//
// # Coercion
//
// Arguments that match are returned as they are, the same bytes. If something does not
// match, it is converted where one of these makes it match (Pi 0.85 has more of them: it also
// makes a text of null, and null of 0 and false, which loses what the model has written):
//
//   - null for an optional property that refuses null: the property is dropped;
//   - to a number or integer: numeric text, true (1), false and null (0);
//   - to a boolean: the texts "true" and "false", 1 and 0;
//   - to a string: a number or boolean, as it was written;
//   - to null: "".
//
// Union types and anyOf and oneOf are converted only if the value matches none of the
// alternatives, then to the first that can be matched. Conversions reach into objects,
// arrays and references, at most 100 levels deep. Everything else is copied byte for
// byte: large integers keep their digits, members their order.
//
// One conversion is a matter of notation: JSON Schema counts 2.0 and 2e3 among the
// integers, but Go cannot read them into an int, so they are rewritten as 2 and 2000.
//
// # Schemas from Go types
//
// [For] writes what a model needs and no more. additionalProperties is left out: a model
// that adds a field of its own, as they do, should not fail for it, since decoding
// ignores the field anyway. A wire that insists on it (OpenAI's strict mode) adds it.
package schema
