package config

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/internal/atomicfile"
	"github.com/rondo-agent/rondo/internal/lockdir"
)

// authLimit is how long another program may keep auth.json; it may be renewing a login.
const authLimit = 45 * time.Second

// read returns what is in auth.json. The file is read again after it has changed, since
// another program may renew what is in it.
func (c *credentials) read() (map[string]*oauth.Credential, error) {
	stamp := "none"
	if info, err := os.Stat(c.path); err == nil {
		stamp = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	}
	c.loginsMu.Lock()
	defer c.loginsMu.Unlock()
	if c.stamp == stamp {
		return c.stored, nil
	}
	_, stored, err := readAuth(c.path)
	if err != nil {
		return nil, err
	}
	c.stored, c.stamp = stored, stamp
	return stored, nil
}

// readAuth reads an auth.json.
func readAuth(path string) (*document, map[string]*oauth.Credential, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, nil, err
	}
	stored := make(map[string]*oauth.Credential)
	if err := doc.decode(&stored); err != nil {
		return nil, nil, err
	}
	for provider, l := range stored {
		if l == nil {
			delete(stored, provider)
			continue
		}
		at := jsontext.Pointer("").AppendToken(provider)
		if l.Type != oauth.TypeAPIKey && l.Type != oauth.TypeOAuth {
			return nil, nil, doc.wrong(at.AppendToken("type"), "is missing or unknown", `write "api_key" or "oauth"`)
		}
	}
	return doc, stored, nil
}

// modify is the only way auth.json changes: under its lock, change gets what is stored for a
// provider, or nil, and returns what shall be, nil removing it; an error leaves it. What is
// beside it in the file stays as it is written there. The file is readable for its user alone.
func (c *credentials) modify(ctx context.Context, provider string, change func(context.Context, *oauth.Credential) (*oauth.Credential, error)) error {
	fail := func(err error) error { return fmt.Errorf("change %s: %w", c.path, err) }
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fail(err)
	}
	waiting, cancel := context.WithTimeout(ctx, authLimit)
	defer cancel()
	release, err := lockdir.Keep(waiting, c.path)
	if err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fail(err)
	}
	defer release()
	doc, stored, err := readAuth(c.path)
	if err != nil {
		return err
	}
	old := stored[provider]
	fresh, err := change(ctx, old)
	if err != nil || fresh == old {
		return err
	}
	data, err := replaceEntry(doc.data, provider, fresh)
	if err != nil {
		return fail(err)
	}
	if err := os.Chmod(c.path, 0o600); err != nil && !os.IsNotExist(err) {
		return fail(err)
	}
	if err := atomicfile.Write(c.path, data, &atomicfile.Options{Perm: 0o600, Sync: true}); err != nil {
		return fail(err)
	}
	return nil
}

// replaceEntry returns the object with another entry for a provider, or without one.
func replaceEntry(object []byte, provider string, entry *oauth.Credential) ([]byte, error) {
	if entry == nil {
		return removeMember(object, provider)
	}
	text, err := json.Marshal(entry, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(object), []byte("null")) {
		object = []byte("{}")
	}
	return setMember(object, []string{provider}, text, "")
}

// removeMember returns an object without one of its members.
func removeMember(object []byte, name string) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object))
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() == '"' {
		before := int(d.InputOffset()) // behind the member before, or the brace
		found, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		member := found.String()
		if _, err := d.ReadValue(); err != nil {
			return nil, err
		}
		if member != name {
			continue
		}
		end := int(d.InputOffset())
		if object[before-1] != '{' {
			return splice(object, before, end, nil), nil // with the comma before it
		}
		if d.PeekKind() == '"' { // with the comma behind it
			end += bytes.IndexByte(object[end:], ',') + 1
		}
		return splice(object, before, end, nil), nil
	}
	return object, nil
}
