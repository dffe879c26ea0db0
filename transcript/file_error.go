package transcript

import "fmt"

// FileError says what another program has done to the file of a session that is in use, and
// what became of the session. Nothing that was stored is missing, unless Lost says so.
type FileError struct {
	// Path is where the session was, Now where it is.
	Path, Now string
	// Lost is the number of older entries that could not be written again.
	Lost int
	// What follows the path in the message.
	What string
}

// Error tells what happened.
func (e *FileError) Error() string {
	text := fmt.Sprintf("the session file %s %s", e.Path, e.What)
	if e.Lost > 0 {
		text += fmt.Sprintf("; %d of its older entries could not be written again", e.Lost)
	}
	return text
}
