package anthropic

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func FuzzDelta(f *testing.F) {
	for _, seed := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`,
		`{"type":"content_block_delta","index":12,"delta":{"type":"text_delta","text":"a\n\u00e9\ud83d\ude00\\\""}    }  `,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"\ud83d"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","x":1}}`,
		`{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"a"}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data string) {
		got, ok := scanDelta([]byte(data))
		if !ok {
			return
		}
		want, err := parseDelta([]byte(data))
		if err != nil {
			t.Fatalf("scanned %+v; the parser says %v", got, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(delta{})); diff != "" {
			t.Fatalf("(-parsed +scanned):\n%s", diff)
		}
	})
}

// TestScanDelta makes sure that the usual spellings take the fast way.
func TestScanDelta(t *testing.T) {
	for _, data := range []string{
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`,
		`{"type":"content_block_delta","index":3,"delta":{"type":"thinking_delta","thinking":"a\nb"}        }`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":""}}`,
	} {
		if _, ok := scanDelta([]byte(data)); !ok {
			t.Errorf("%s is not recognised", data)
		}
	}
	allocs := testing.AllocsPerRun(100, func() {
		scanDelta([]byte(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi there"}}`))
	})
	if allocs > 1 {
		t.Errorf("%v allocations for a delta", allocs)
	}
	if strings.Contains(redactedText, "\n") {
		t.Error("the text for withheld thinking has several lines")
	}
}
