package lenient_test

import (
	"testing"

	"github.com/rondo-agent/rondo/internal/lenient"
)

func TestJSON(t *testing.T) {
	for _, c := range [][2]string{
		{`{"b": 1, "a": "\ud83d\ude00"}`, `{"b": 1, "a": "\ud83d\ude00"}`},
		{`{"b":["\ud83d"],"a":"x\ude00y"}`, "{\"a\":\"x\uFFFDy\",\"b\":[\"\uFFFD\"]}"},
		{"\"\xff\"", "\"\uFFFD\""},
		{`{"a":1,"a":2}`, `{"a":2}`},
	} {
		if got, err := lenient.JSON([]byte(c[0])); err != nil || string(got) != c[1] {
			t.Errorf("%s: %s, %v", c[0], got, err)
		}
	}
	for _, text := range []string{``, `x`, `{"a":}`, `["\ud83d"`} {
		if got, err := lenient.JSON([]byte(text)); err == nil {
			t.Errorf("%s: %s", text, got)
		}
	}
}
