package script

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Kind says what an access is.
type Kind string

// The kinds of access.
const (
	Read    Kind = "read"    // a file or folder is looked at
	Write   Kind = "write"   // a file or folder is changed
	Exec    Kind = "exec"    // a program is run, or gets a signal
	Network Kind = "network" // a connection is made
	Env     Kind = "env"     // a variable, or a key of the user, is read
)

// Access is something that a script wants to do outside of its machine.
type Access struct {
	Kind Kind
	// Subject is an absolute path, a program as it was named, host:port or unix:PATH of a
	// connection, the name of a variable, or key:PROVIDER.
	Subject string
	// Detail is more to say of it: the command line.
	Detail string
	// link says that it is about the path itself, where that is a symbolic link.
	link bool
}

// Rule lists what scripts may do, by kind; what it does not list is refused. The pattern *
// allows all of a kind.
//
// Patterns of Read and Write are paths, where * and ? match characters of one name; a folder
// stands for everything in it. Those of Exec are names of programs that the PATH finds, or
// paths; a command line is run by a shell, sh. Those of Network are hosts, of which * matches
// any part, with or without a port. Those of Env are names, where * matches any characters.
type Rule struct {
	Read, Write, Exec, Network, Env []string
	// Log tells of what is allowed as well.
	Log bool
	// Source says where the rule stands, for the texts of refusals.
	Source string
}

func (r *Rule) of(kind Kind) []string {
	switch kind {
	case Read:
		return r.Read
	case Write:
		return r.Write
	case Exec:
		return r.Exec
	case Network:
		return r.Network
	case Env:
		return r.Env
	}
	return nil
}

// Policy bounds what one extension does outside of its machine, as far as its own code does
// it. It is no sandbox against a script that may run programs, nor against what it makes the
// agent do.
type Policy struct {
	Extension string // its name, for people
	Folder    string // of its code
	Rules     []Rule // all of them must allow an access
	Home, Dir string // what ~ and relative patterns stand for
	// Log is told of refusals, and of what a rule with Log allows; it may be nil. It is called
	// from any goroutine.
	Log func(Decision)
}

// Decision is what a policy has said of an access.
type Decision struct {
	Extension string
	Access
	Allowed bool
	Rule    string // the source of the rule that refuses it
}

type policyKey struct{}

func policyOf(ctx context.Context) *Policy {
	p, _ := ctx.Value(policyKey{}).(*Policy)
	return p
}

// permit asks the policy of the machine that an operation belongs to.
func permit(ctx context.Context, accesses ...Access) error {
	return policyOf(ctx).permit(accesses...)
}

// permit returns why one of the accesses is refused. A nil policy refuses nothing.
func (p *Policy) permit(accesses ...Access) error {
	if p == nil {
		return nil
	}
	for _, a := range accesses {
		if err := p.check(a); err != nil {
			return err
		}
	}
	return nil
}

// check decides, tells the log, and returns why an access is refused.
func (p *Policy) check(a Access) error {
	if a.Kind == Read || a.Kind == Write {
		a.Subject = realPath(a.Subject, !a.link)
	}
	d := Decision{Extension: p.Extension, Access: a}
	refuses := p.refuses(a)
	if d.Allowed = refuses == nil; !d.Allowed {
		d.Rule = refuses.Source
	}
	logs := slices.ContainsFunc(p.Rules, func(r Rule) bool { return r.Log })
	if p.Log != nil && (logs || !d.Allowed) {
		p.Log(d)
	}
	if d.Allowed {
		return nil
	}
	return &Error{Code: "EACCES", Errno: -13, Path: a.Subject, Message: d.refusal()}
}

// refuses returns the first rule that does not allow an access.
func (p *Policy) refuses(a Access) *Rule {
	for i := range p.Rules {
		if r := &p.Rules[i]; !p.allows(r.of(a.Kind), a) {
			return r
		}
	}
	return nil
}

// module asks for a file that becomes code or data of the extension. Those of its own folder
// and of the packages that it finds are its own.
func (p *Policy) module(file string) error {
	if p == nil || within(p.Folder, file) {
		return nil
	}
	modules := string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if above, _, found := strings.Cut(file, modules); found && within(above, p.Folder) {
		return nil
	}
	return p.check(Access{Kind: Read, Subject: file})
}

// verbs complete the sentence "may not …".
var verbs = map[Kind]string{Read: "read", Write: "write", Exec: "run", Network: "connect to", Env: "see"}

func (d *Decision) refusal() string {
	what := d.Subject
	if d.Detail != "" {
		what += " (" + d.Detail + ")"
	}
	return fmt.Sprintf("EACCES: the extension %s may not %s %s: the rule %s does not allow it; add it to %q there", d.Extension, verbs[d.Kind], what, d.Rule, d.Kind)
}

func (p *Policy) allows(patterns []string, a Access) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		if pattern == "*" {
			return true
		}
		switch a.Kind {
		case Read, Write:
			return within(p.place(pattern), a.Subject)
		case Exec:
			return p.runs(pattern, a.Subject)
		case Network:
			return reaches(pattern, a.Subject)
		}
		ok, _ := path.Match(pattern, a.Subject)
		return ok
	})
}

// place makes a pattern absolute, and follows the links of its first part.
func (p *Policy) place(pattern string) string {
	pattern = filepath.FromSlash(pattern)
	switch rest, isHome := strings.CutPrefix(pattern, "~"); {
	case isHome && (rest == "" || filepath.IsAbs(rest)):
		pattern = filepath.Join(p.Home, rest)
	case !filepath.IsAbs(pattern):
		pattern = filepath.Join(p.Dir, pattern)
	}
	plain, rest := filepath.Clean(pattern), ""
	for strings.ContainsAny(plain, "*?[") {
		dir, name := filepath.Split(plain)
		plain, rest = filepath.Clean(dir), filepath.Join(name, rest)
	}
	return filepath.Join(realPath(plain, true), rest)
}

// within reports whether a path is what a pattern means, or below it.
func within(pattern, name string) bool {
	for {
		if ok, _ := filepath.Match(pattern, name); ok || name == pattern {
			return true
		}
		above := filepath.Dir(name)
		if above == name {
			return false
		}
		name = above
	}
}

// runs reports whether a pattern means a program. One that a script names by its path is not
// the one that the PATH has under this name.
func (p *Policy) runs(pattern, program string) bool {
	named := !isPath(program)
	if !isPath(pattern) {
		ok, _ := path.Match(pattern, program)
		return named && ok
	}
	if named {
		found, err := exec.LookPath(program)
		if err != nil {
			return false
		}
		program = found
	}
	return within(p.place(pattern), realPath(program, false))
}

// reaches reports whether a pattern means an address.
func reaches(pattern, address string) bool {
	pattern, address = strings.ToLower(strings.ReplaceAll(pattern, "[", `\[`)), strings.ToLower(address)
	if ok, _ := path.Match(pattern, address); ok {
		return true
	}
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ok, _ := path.Match(pattern, host)
	return ok
}

// realPath follows the links of a path, as far as it exists; with follow, that at its end too.
func realPath(name string, follow bool) string {
	for len(name) > len(filepath.VolumeName(name))+1 && os.IsPathSeparator(name[len(name)-1]) {
		name = name[:len(name)-1]
	}
	dir, base := filepath.Split(name)
	if base == "" || dir == "" {
		return filepath.Clean(name)
	}
	if !follow {
		return filepath.Join(realPath(dir, true), base)
	}
	const maxLinks = 40
	for range maxLinks {
		if found, err := filepath.EvalSymlinks(name); err == nil {
			return found
		}
		target, err := os.Readlink(name)
		if err != nil {
			break
		}
		if !filepath.IsAbs(target) {
			target = realPath(filepath.Dir(name), true) + string(filepath.Separator) + target
		}
		name = target
	}
	return realPath(name, false)
}

// toRun is the access of running a program in a folder.
func toRun(dir, name string, args ...string) Access {
	const most = 200 // characters of a command line
	a := Access{Kind: Exec, Subject: name}
	if isPath(name) && !filepath.IsAbs(name) {
		a.Subject = filepath.Join(dir, name)
	}
	if len(args) > 0 {
		a.Detail = strings.Join(append([]string{name}, args...), " ")
		if line := []rune(a.Detail); len(line) > most {
			a.Detail = string(line[:most]) + "…"
		}
	}
	return a
}

func isPath(name string) bool {
	return strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator)
}
