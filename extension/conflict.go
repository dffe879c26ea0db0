package extension

import (
	"fmt"

	"github.com/rondo-agent/rondo/internal/term/keys"
)

// Conflicts says which tools, flags and keys are not used, since an extension that was loaded
// before has one of the same name. Commands are numbered instead.
func (r *Runner) Conflicts() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []string
	owners := make(map[[2]string]*instance)
	claim := func(in *instance, kind, name, shown, told string) {
		first, taken := owners[[2]string{kind, name}]
		if !taken {
			owners[[2]string{kind, name}] = in
			return
		}
		if first != in {
			list = append(list, fmt.Sprintf("the %s of %s is not used: %s has %s", shown, in.source.Path, first.source.Path, told))
		}
	}
	for _, in := range r.instances {
		for _, t := range in.tools {
			claim(in, "tool", t.Name, fmt.Sprintf("tool %q", t.Name), "one of this name")
		}
		for _, f := range in.flags {
			claim(in, "flag", f.Name, "flag --"+f.Name, "one of this name")
		}
		for _, s := range in.shortcuts {
			claim(in, "key", keys.Canonical(s.Key), "key "+s.Key, "it")
		}
	}
	return list
}
