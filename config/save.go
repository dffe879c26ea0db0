package config

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/internal/atomicfile"
	"github.com/rondo-agent/rondo/internal/lenient"
	"github.com/rondo-agent/rondo/internal/lockdir"
)

// saveLimit is how long another program may keep settings.json from being saved. It is more than
// the time after which a lock of a program that has died is taken.
const saveLimit = lockdir.Stale + 5*time.Second

// Save changes one setting in the user's settings.json, for the next start; Settings stay as
// they are. The key is that of the file, such as steeringMode or compaction.enabled. What
// else is in the file is kept as it is written there, also what another process has saved
// meanwhile. A file that is not right is left alone, and the error is a [*FileError].
func (c *Config) Save(key string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	if err := os.MkdirAll(c.Home, 0o700); err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	path := filepath.Join(c.Home, SettingsFile)
	ctx, cancel := context.WithTimeout(context.Background(), saveLimit)
	defer cancel()
	release, err := lockdir.Hold(ctx, path)
	if err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	defer release()
	atomicfile.Sweep(path, 0) // who has the lock is the only writer
	doc, err := readDocument(path)
	if err != nil {
		return err
	}
	var fields map[string]jsontext.Value
	if err := doc.decode(&fields); err != nil {
		return err
	}
	data, err := setMember(doc.text, doc.data, strings.Split(key, "."), text, "")
	if err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	if err := atomicfile.Write(path, data, &atomicfile.Options{Perm: 0o600}); err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	return nil
}

// setMember returns an object in which the member at path has a value, and all else is as it
// was. What is in the way of the path is replaced. text is the object as it is written; object is
// the same without comments, of the same length.
func setMember(text, object []byte, path []string, value []byte, indent string) ([]byte, error) {
	inner := indent + "  "
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient.Options)
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	end := int(d.InputOffset()) // of the last member
	members := 0
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		found := name.String() == path[0]
		old, err := d.ReadValue()
		if err != nil {
			return nil, err
		}
		members++
		end = int(d.InputOffset())
		if found {
			begin := end - len(old)
			member, err := setValue(text[begin:end], bytes.Clone(old), path[1:], value, inner)
			return splice(text, begin, end, member), err
		}
	}
	member, err := setValue(nil, nil, path[1:], value, inner)
	if err != nil {
		return nil, err
	}
	quoted, err := jsontext.AppendQuote(nil, path[0])
	if err != nil {
		return nil, err
	}
	added := "\n" + inner + string(quoted) + ": " + string(member)
	if members > 0 {
		return splice(text, end, end, []byte(","+added)), nil
	}
	closing := end + bytes.IndexByte(object[end:], '}')
	if len(bytes.TrimSpace(text[end:closing])) > 0 {
		end = closing // a comment stays before it
	}
	return splice(text, end, closing, []byte(added+"\n"+indent)), nil
}

// setValue returns what a member becomes whose value was old, and was written as text.
func setValue(text []byte, old jsontext.Value, path []string, value []byte, indent string) ([]byte, error) {
	if len(path) == 0 {
		return value, nil
	}
	if old.Kind() != '{' {
		text, old = []byte("{}"), jsontext.Value("{}")
	}
	return setMember(text, old, path, value, indent)
}

func splice(text []byte, from, to int, with []byte) []byte {
	return append(append(append([]byte(nil), text[:from]...), with...), text[to:]...)
}
