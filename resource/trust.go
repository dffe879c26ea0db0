package resource

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/atomicfile"
	"github.com/rondo-agent/rondo/internal/lockdir"
)

// TrustFile is the file of the state folder that keeps decisions. It is an object whose keys
// are folders with links resolved, and whose values are true or false; a decision holds for
// everything below the folder, until a nearer one (Pi 0.85).
const TrustFile = "trust.json"

// The values of the setting defaultProjectTrust.
const (
	TrustAsk    = "ask" // the default
	TrustAlways = "always"
	TrustNever  = "never"
)

// TrustOptions are what the decision about a project depends on.
type TrustOptions struct {
	// Flag is what the command line says; nil if it says nothing.
	Flag *bool
	// Default is the setting defaultProjectTrust of the user; empty means [TrustAsk].
	Default string
	// Extensions asks those of the user about the gated files; nil, or an answer that is
	// nil, has no opinion.
	Extensions func(gated []string) (trusted *bool, err error)
	// Ask asks a person about the gated files. Nil means that there is nobody to ask,
	// and then the answer is no.
	Ask func(gated []string) (trusted bool, err error)
}

// Reason says what has decided about a project.
type Reason string

// The reasons.
const (
	ByFlag      Reason = "flag"
	BySaved     Reason = "saved"   // trust.json
	ByNothing   Reason = "nothing" // there is nothing that is gated
	ByDefault   Reason = "default" // the setting
	ByAnswer    Reason = "answer"  // a person
	ByExtension Reason = "extension"
	ByNobody    Reason = "nobody" // there was nobody to ask
)

// Verdict is the decision about a project.
type Verdict struct {
	Trusted bool
	Reason  Reason
	Gated   []string // see [Project.Gated]
}

// Judge decides whether the gated files of the project count. The first of these decides: the
// flag; a saved no; that there is nothing gated, which is a yes; an extension of the user's;
// a saved yes; the default, if it is always or never; the answer of a person. Else it is no. An error means that
// trust.json cannot be read, or is that of Ask.
//
// Pi 0.85 looks at saved decisions only if something is gated. A saved no is what the user
// wants whatever the folder holds at the moment.
func (p *Project) Judge(opts *TrustOptions) (Verdict, error) {
	if opts == nil {
		opts = &TrustOptions{}
	}
	v := Verdict{Gated: p.Gated()}
	decide := func(trusted bool, why Reason) (Verdict, error) {
		v.Trusted, v.Reason = trusted, why
		return v, nil
	}
	if opts.Flag != nil {
		return decide(*opts.Flag, ByFlag)
	}
	saved, found, err := p.saved()
	switch {
	case err != nil:
		return v, err
	case found && !saved:
		return decide(false, BySaved)
	case len(v.Gated) == 0:
		return decide(true, ByNothing)
	}
	if opts.Extensions != nil {
		if trusted, err := opts.Extensions(v.Gated); err != nil || trusted != nil {
			if err != nil {
				return v, err
			}
			return decide(*trusted, ByExtension)
		}
	}
	switch {
	case found:
		return decide(true, BySaved)
	case opts.Default == TrustAlways:
		return decide(true, ByDefault)
	case opts.Default == TrustNever:
		return decide(false, ByDefault)
	case opts.Ask == nil:
		return decide(false, ByNobody)
	}
	trusted, err := opts.Ask(v.Gated)
	if err != nil {
		return v, err
	}
	return decide(trusted, ByAnswer)
}

// saved returns the nearest decision about the folder.
func (p *Project) saved() (trusted, found bool, err error) {
	decisions, err := readTrust(p.trustFile())
	if err != nil {
		return false, false, err
	}
	for _, dir := range p.above {
		if trusted := decisions[dir]; trusted != nil {
			return *trusted, true, nil
		}
	}
	return false, false, nil
}

// rememberLimit is how long another process may keep trust.json from being changed.
const rememberLimit = lockdir.Stale + 5*time.Second

// Remember saves a decision about the folder of the project, for all programs that use the
// state folder.
func (p *Project) Remember(trusted bool) error {
	if err := p.remember(trusted); err != nil {
		return fmt.Errorf("remember the decision about %s: %w", p.dir, err)
	}
	return nil
}

func (p *Project) remember(trusted bool) error {
	if err := os.MkdirAll(p.home, 0o700); err != nil {
		return err
	}
	file := p.trustFile()
	ctx, cancel := context.WithTimeout(context.Background(), rememberLimit)
	defer cancel()
	release, err := lockdir.Hold(ctx, file)
	if err != nil {
		return err
	}
	defer release()
	atomicfile.Sweep(file, 0) // who has the lock is the only writer
	decisions, err := readTrust(file)
	if err != nil {
		return err
	}
	if decisions == nil {
		decisions = make(map[string]*bool)
	}
	decisions[p.dir] = &trusted
	data, err := json.Marshal(decisions, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(data, '\n'), &atomicfile.Options{Perm: 0o600})
}

func (p *Project) trustFile() string { return filepath.Join(p.home, TrustFile) }

// readTrust reads the decisions. One that is null is none.
func readTrust(file string) (map[string]*bool, error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the decisions about projects: %w", err)
	}
	var decisions map[string]*bool
	if err := json.Unmarshal(data, &decisions); err != nil {
		return nil, fmt.Errorf("%s is not an object of folders with true or false: %w; correct it, or remove it to begin anew", file, err)
	}
	return decisions, nil
}
