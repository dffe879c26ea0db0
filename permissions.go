package rondo

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/extension"
	"github.com/rondo-agent/rondo/extension/process"
	"github.com/rondo-agent/rondo/extension/script"
)

// permissions are what the settings say of what extensions may do.
type permissions struct {
	cfg *config.Config
	dir string // of the session
}

// of returns what bounds the extension of a file, nil for nothing.
func (p *permissions) of(file string) *script.Policy {
	file, err := filepath.Abs(file)
	if err != nil { // the working folder is gone; so is a relative file
		return nil
	}
	rules := p.cfg.ExtensionRules(file)
	if len(rules) == 0 {
		return nil
	}
	home, _ := os.UserHomeDir() // without one, ~ means nothing
	policy := &script.Policy{Extension: config.ExtensionName(file), Home: home, Dir: p.dir, Log: p.tell}
	for _, r := range rules {
		policy.Rules = append(policy.Rules, script.Rule(r))
	}
	return policy
}

// tell writes a line of the log, which is for people: that it cannot be written stops nothing.
func (p *permissions) tell(d script.Decision) {
	line, err := json.Marshal(struct {
		Time      time.Time `json:"time"`
		Extension string    `json:"extension"`
		Kind      string    `json:"kind"`
		Subject   string    `json:"subject"`
		Detail    string    `json:"detail,omitzero"`
		Allowed   bool      `json:"allowed"`
		Rule      string    `json:"rule,omitzero"`
		CWD       string    `json:"cwd"`
	}{time.Now(), d.Extension, string(d.Kind), d.Subject, d.Detail, d.Allowed, d.Rule, p.dir})
	if err == nil {
		log := process.NewLog(filepath.Join(p.cfg.Home, "logs", "extensions", "permissions.jsonl"))
		_, _ = log.Write(append(line, '\n'))
		_ = log.Close()
	}
}

// unbounded is a host whose extensions nothing can bound: it refuses those that have a rule.
type unbounded struct {
	extension.Host
	program     string
	permissions *permissions
}

// Load implements [extension.Host].
func (u *unbounded) Load(ctx context.Context, path string) (extension.Factory, error) {
	if policy := u.permissions.of(path); policy != nil {
		return nil, &script.UnboundedError{Program: u.program, Policy: policy}
	}
	return u.Host.Load(ctx, path)
}
