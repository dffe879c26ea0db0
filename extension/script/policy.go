package script

import "fmt"

// Kind says what an access is.
type Kind string

// The kinds of access.
const (
	Read        Kind = "read"        // a file or folder is looked at
	Write       Kind = "write"       // a file or folder is changed
	Exec        Kind = "exec"        // a program is run
	Network     Kind = "network"     // a connection is made
	Environment Kind = "environment" // a variable is read
)

// Access is something that a script wants to do outside of its machine.
type Access struct {
	Kind    Kind
	Subject string // path, program, address or name
	// Extension is the file of the extension, as far as the call stack tells; empty if not.
	Extension string
}

func (a Access) String() string { return fmt.Sprintf("%s %s", a.Kind, a.Subject) }

// Policy decides what scripts may do. A nil policy allows everything. It is no sandbox
// against a script that may run programs.
type Policy struct {
	// Allow returns why an access is refused; nil allows it. A nil function allows all.
	Allow func(Access) error
	// Log is told of every access and of the decision; it may be nil.
	Log func(a Access, refused error)
}

// check asks the policy.
func (p *Policy) check(a Access) error {
	if p == nil {
		return nil
	}
	var err error
	if p.Allow != nil {
		err = p.Allow(a)
	}
	if p.Log != nil {
		p.Log(a, err)
	}
	if err != nil {
		return &Error{Code: "EACCES", Message: fmt.Sprintf("EACCES: %s is not allowed: %v", a, err)}
	}
	return nil
}
