package jsonl

import "fmt"

// Problem is a part of a session file that cannot be read as entries.
type Problem struct {
	// Line counts from 1; 0 if it is not known.
	Line int
	// Offset is where the part begins, in bytes.
	Offset int64
	Err    error
}

// Error names the place.
func (p Problem) Error() string {
	if p.Line == 0 {
		return fmt.Sprintf("byte %d: %v", p.Offset, p.Err)
	}
	return fmt.Sprintf("line %d: %v", p.Line, p.Err)
}

// Unwrap returns the cause.
func (p Problem) Unwrap() error { return p.Err }

// FormatError means that a file is not a session that this package can open. The file has
// not been touched.
type FormatError struct {
	Path   string
	Reason string
}

// Error tells what is wrong.
func (e *FormatError) Error() string {
	return fmt.Sprintf("%s cannot be opened as a session: %s; it was left as it is", e.Path, e.Reason)
}
