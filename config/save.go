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
	"github.com/rondo-agent/rondo/internal/lockdir"
)

// saveLimit is how long another program may keep settings.json from being saved.
const saveLimit = 5 * time.Second

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
	doc, err := readDocument(path)
	if err != nil {
		return err
	}
	var fields map[string]jsontext.Value
	if err := doc.decode(&fields); err != nil {
		return err
	}
	data, err := setMember(doc.data, strings.Split(key, "."), text, "")
	if err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	if err := atomicfile.Write(path, data, &atomicfile.Options{Perm: 0o600}); err != nil {
		return fmt.Errorf("save the setting %s: %w", key, err)
	}
	return nil
}

// setMember returns an object in which the member at path has a value, and all else is as it
// was. What is in the way of the path is replaced.
func setMember(object []byte, path []string, value []byte, indent string) ([]byte, error) {
	inner := indent + "  "
	d := jsontext.NewDecoder(bytes.NewReader(object))
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
			member, err := setValue(old, path[1:], value, inner)
			return splice(object, end-len(old), end, member), err
		}
	}
	member, err := setValue(nil, path[1:], value, inner)
	if err != nil {
		return nil, err
	}
	quoted, err := jsontext.AppendQuote(nil, path[0])
	if err != nil {
		return nil, err
	}
	text := "\n" + inner + string(quoted) + ": " + string(member)
	if members > 0 {
		return splice(object, end, end, []byte(","+text)), nil
	}
	closing := end + bytes.IndexByte(object[end:], '}')
	return splice(object, end, closing, []byte(text+"\n"+indent)), nil
}

// setValue returns what a member becomes whose value was old.
func setValue(old jsontext.Value, path []string, value []byte, indent string) ([]byte, error) {
	if len(path) == 0 {
		return value, nil
	}
	if old.Kind() != '{' {
		old = jsontext.Value("{}")
	}
	return setMember(bytes.Clone(old), path, value, indent)
}

func splice(text []byte, from, to int, with []byte) []byte {
	return append(append(append([]byte(nil), text[:from]...), with...), text[to:]...)
}
