package extension_test

import (
	"context"
	"testing"

	"github.com/rondo-agent/rondo/extension"
)

func TestRegistered(t *testing.T) {
	none := func(context.Context, *extension.API) error { return nil }
	extension.Register("first", none)
	extension.Register("second", none)
	list := extension.Registered()
	if len(list) != 2 || list[0].Path != extension.Builtin("first", none).Path || list[1].Path != extension.Builtin("second", none).Path {
		t.Errorf("registered are %+v", list)
	}
	list[0].Path = "of the caller alone"
	if extension.Registered()[0].Path == list[0].Path {
		t.Error("the list is shared with its callers")
	}
	defer func() {
		if recover() == nil {
			t.Error("a name was taken twice")
		}
	}()
	extension.Register("first", none)
}
