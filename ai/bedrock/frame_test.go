package bedrock

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// sdk reads all messages with the AWS SDK.
func sdk(data []byte) (list []message, err error) {
	from := bytes.NewReader(data)
	decoder := eventstream.NewDecoder()
	for {
		m, err := decoder.Decode(from, nil)
		if err != nil {
			return list, err
		}
		out := message{payload: m.Payload}
		for _, h := range m.Headers {
			if v, ok := h.Value.(eventstream.StringValue); ok {
				out.set([]byte(h.Name), []byte(v))
			}
		}
		list = append(list, out)
	}
}

// ours reads all messages.
func ours(from io.Reader) (list []message, err error) {
	f := frames{src: from}
	for {
		m, err := f.next()
		if err != nil {
			return list, err
		}
		c := message{}
		for to, bytes := range map[*[]byte][]byte{&c.kind: m.kind, &c.event: m.event, &c.exception: m.exception, &c.code: m.code, &c.text: m.text, &c.payload: m.payload} {
			*to = append([]byte(nil), bytes...)
		}
		list = append(list, c)
	}
}

func same(a, b *message) bool {
	return bytes.Equal(a.kind, b.kind) && bytes.Equal(a.event, b.event) && bytes.Equal(a.exception, b.exception) &&
		bytes.Equal(a.code, b.code) && bytes.Equal(a.text, b.text) && bytes.Equal(a.payload, b.payload)
}

// FuzzFrames compares with the AWS SDK, on whole reads and byte by byte.
func FuzzFrames(f *testing.F) {
	var two bytes.Buffer
	for _, payload := range []string{`{"a":1}`, ""} {
		m := eventstream.Message{Payload: []byte(payload)}
		m.Headers.Set(":message-type", eventstream.StringValue("event"))
		m.Headers.Set(":event-type", eventstream.StringValue("x"))
		m.Headers.Set("n", eventstream.Int32Value(7))
		if err := eventstream.NewEncoder().Encode(&two, m); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(two.Bytes())
	f.Add(two.Bytes()[:two.Len()-3])
	f.Add([]byte("data: x"))
	f.Fuzz(func(t *testing.T, data []byte) {
		want, wantErr := sdk(data)
		for name, from := range map[string]io.Reader{"whole": bytes.NewReader(data), "bytes": iotest.OneByteReader(bytes.NewReader(data)), "with the end": iotest.DataErrReader(bytes.NewReader(data))} {
			got, err := ours(from)
			if len(got) != len(want) {
				t.Fatalf("%s: %d messages and %v, the SDK has %d and %v", name, len(got), err, len(want), wantErr)
			}
			for i := range got {
				if !same(&got[i], &want[i]) {
					t.Fatalf("%s: message %d is %+v, want %+v", name, i, got[i], want[i])
				}
			}
			if err == io.EOF && !errors.Is(wantErr, io.EOF) {
				t.Fatalf("%s: the end is in order, the SDK says %v", name, wantErr)
			}
		}
	})
}
