package rondo

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rondo-agent/rondo/extension"
)

// The user is told of an extension whose loading takes more than a second, once, and while it
// is being loaded.
func TestSlowExtensionsAreTold(t *testing.T) {
	for _, test := range []struct {
		takes time.Duration
		want  string
	}{
		{slowLoad / 2, ""},
		{10 * slowLoad, "loading the extension /x/big.ts, which may take long the first time\n"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			l := &loader{note: func(text string) { out.WriteString(text + "\n") }}
			failed := l.loadOne(t.Context(), func(context.Context, ...extension.Source) []*extension.Error {
				time.Sleep(test.takes)
				synctest.Wait()
				if out.String() != test.want {
					t.Errorf("%v: told %q, want %q", test.takes, out.String(), test.want)
				}
				return []*extension.Error{{Path: "/x/big.ts"}}
			}, extension.Source{Path: "/x/big.ts"})
			time.Sleep(10 * slowLoad)
			if len(failed) != 1 || out.String() != test.want {
				t.Errorf("%v: %v, told %q, want %q", test.takes, failed, out.String(), test.want)
			}
		})
	}
}
