package host_test

import (
	"testing"

	"github.com/rondo-agent/rondo/tools/host"
	"github.com/rondo-agent/rondo/tools/host/hosttest"
)

func onDisk(t *testing.T) (host.Host, string) { return host.Local, t.TempDir() }

func TestLocal(t *testing.T) { hosttest.Files(t, onDisk) }

func TestMemory(t *testing.T) {
	hosttest.Files(t, func(t *testing.T) (host.Host, string) {
		m := &hosttest.Memory{}
		if err := m.MkdirAll(t.Context(), "/work"); err != nil {
			t.Fatal(err)
		}
		return m, "/work"
	})
}
