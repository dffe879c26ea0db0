package resource

// Scope says whose a resource is.
type Scope string

// The scopes (Pi 0.85).
const (
	User         Scope = "user"
	ProjectScope Scope = "project"
	Temporary    Scope = "temporary" // named on the command line
)

// How a resource was found (Pi 0.85).
const (
	Auto  = "auto"  // in a folder that is searched
	Local = "local" // named by a setting, or by a flag for skills, templates and themes
	CLI   = "cli"   // named by a flag for extensions
)

// Source says where a resource is from.
type Source struct {
	Path string
	// Kind is [Auto], [Local] or [CLI].
	Kind  string
	Scope Scope
	// BaseDir is the folder that belongs to the resource: the one with the folder that
	// was searched or, for a flag, the one of the file. It is empty for settings, and for
	// extensions of a flag.
	BaseDir string
}
