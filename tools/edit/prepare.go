package edit

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// rawArguments are the arguments in any shape that models send.
type rawArguments struct {
	Path  jsontext.Value `json:"path,omitzero"`
	Edits jsontext.Value `json:"edits,omitzero"`
	// OldText and NewText are the arguments of a single replacement, as older sessions
	// have them.
	OldText jsontext.Value `json:"oldText,omitzero"`
	NewText jsontext.Value `json:"newText,omitzero"`
	Rest    jsontext.Value `json:",embed"`
}

// prepareArguments accepts, beside an array of edits, a single object, either of them as
// a JSON string, and oldText and newText at the top level (Pi 0.85). What it does not
// understand it leaves to the validation, which says what is wrong.
func prepareArguments(raw jsontext.Value) (jsontext.Value, error) {
	var args rawArguments
	if err := json.Unmarshal(raw, &args); err != nil {
		return raw, nil
	}
	edits := editList(args.Edits)
	if args.OldText != nil && args.NewText != nil && (args.Edits == nil || edits != nil) {
		single, err := json.Marshal(map[string]jsontext.Value{"oldText": args.OldText, "newText": args.NewText}, json.Deterministic(true))
		if err != nil {
			return nil, err
		}
		edits = append(edits, single)
		args.OldText, args.NewText = nil, nil
	}
	if edits == nil {
		return raw, nil
	}
	var err error
	if args.Edits, err = json.Marshal(edits); err != nil {
		return nil, err
	}
	return json.Marshal(args)
}

// editList returns the elements of edits, or nil if they are no list in any way.
func editList(edits jsontext.Value) []jsontext.Value {
	switch edits.Kind() {
	case '[':
		var list []jsontext.Value
		if err := json.Unmarshal(edits, &list); err != nil {
			return nil
		}
		return list
	case '{':
		return []jsontext.Value{edits}
	case '"':
		var text string
		if err := json.Unmarshal(edits, &text); err != nil {
			return nil
		}
		if inner := jsontext.Value(text); inner.Kind() != '"' && inner.IsValid() {
			return editList(inner)
		}
	}
	return nil
}
