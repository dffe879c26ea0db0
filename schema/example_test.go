package schema_test

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/schema"
)

func Example() {
	type args struct {
		Path  string `json:"path" jsonschema:"The file to read."`
		Limit *int   `json:"limit,omitzero" jsonschema:"At most this many lines."`
		Mode  string `json:"mode,omitzero" enum:"text,binary"`
	}
	s, err := schema.For[args]()
	if err != nil {
		panic(err)
	}

	valid, _ := s.Validate(jsontext.Value(`{"path":"a.txt","limit":"10","mode":null}`))
	fmt.Println(valid)

	_, err = s.Validate(jsontext.Value(`{"limit":"ten","mode":"hex"}`))
	if invalid, ok := errors.AsType[*schema.ValidationError](err); ok {
		fmt.Println(invalid.Text("read"))
	}
	// Output:
	// {"path":"a.txt","limit":10}
	// Validation failed for tool "read":
	//   - path: missing
	//   - limit: expected integer, got string "ten"
	//   - mode: expected "text" or "binary", got string "hex"
	//
	// Received arguments:
	// {
	//   "limit": "ten",
	//   "mode": "hex"
	// }
}

func ExampleSchema_Validate() {
	s := schema.MustParse(`{"type":"object","properties":{"id":{"anyOf":[{"type":"integer"},{"type":"string"}]}}}`)
	kept, _ := s.Validate(jsontext.Value(`{"id":"5"}`))     // matches an arm
	dropped, _ := s.Validate(jsontext.Value(`{"id":null}`)) // optional
	fmt.Println(kept, dropped)
	// Output: {"id":"5"} {}
}
