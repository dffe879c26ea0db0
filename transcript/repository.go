package transcript

// Repository is where sessions are kept; transcript/jsonl has one of files.
type Repository interface {
	// Create returns the empty store of a new session, kept where the session beside is.
	Create(header *Header, beside Store) (Store, error)
	// Open opens a session for writing. The header is for a file that is empty.
	Open(path string, header *Header) (Store, error)
	// Read opens a session for reading only, whether or not another process writes it.
	Read(path string) (Store, error)
}
