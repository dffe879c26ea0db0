package config

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/internal/atomicfile"
	"github.com/rondo-agent/rondo/internal/lenient"
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
	file, err := readAuth(c.path)
	if err != nil {
		return nil, err
	}
	c.stored, c.broken, c.stamp = file.stored, file.broken, stamp
	return c.stored, nil
}

// authFile is the content of an auth.json.
type authFile struct {
	doc    *document
	stored map[string]*oauth.Credential
	broken map[string]*FileError // why the entries of other providers cannot be used
}

// readAuth reads an auth.json.
func readAuth(path string) (*authFile, error) {
	doc, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	f := &authFile{doc: doc, stored: make(map[string]*oauth.Credential), broken: make(map[string]*FileError)}
	if err := doc.decode(&f.stored); err != nil {
		return nil, err
	}
	for provider, l := range f.stored {
		if l == nil {
			delete(f.stored, provider)
			continue
		}
		if l.Type != oauth.TypeAPIKey && l.Type != oauth.TypeOAuth {
			doc.report(jsontext.Pointer("").AppendToken(provider).AppendToken("type"), "is missing or unknown", `write "api_key" or "oauth"`)
			delete(f.stored, provider)
		}
	}
	for _, p := range doc.problems {
		for provider := range p.at.Tokens() {
			f.broken[provider] = p.err
			break
		}
	}
	return f, nil
}

// whyBroken returns why the entry of a provider cannot be used; nil if it can, or if there is
// none.
func (c *credentials) whyBroken(provider string) error {
	c.loginsMu.Lock()
	defer c.loginsMu.Unlock()
	if err := c.broken[provider]; err != nil {
		return err
	}
	return nil
}

// warnings say which entries cannot be used.
func (c *credentials) warnings() []*FileError {
	c.loginsMu.Lock()
	defer c.loginsMu.Unlock()
	var all []*FileError
	for _, provider := range slices.Sorted(maps.Keys(c.broken)) {
		all = append(all, c.broken[provider])
	}
	return all
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
	atomicfile.Sweep(c.path, 0) // who has the lock is the only writer
	file, err := readAuth(c.path)
	if err != nil {
		return err
	}
	old := file.stored[provider]
	fresh, err := change(ctx, old)
	if err != nil || fresh == old && file.broken[provider] == nil {
		return err
	}
	data, err := replaceEntry(file.doc, provider, fresh)
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

// replaceEntry returns the text of the file with another entry for a provider, or without one.
func replaceEntry(doc *document, provider string, entry *oauth.Credential) ([]byte, error) {
	if entry == nil {
		return removeMember(doc.text, doc.data, provider)
	}
	text, err := json.Marshal(entry, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	return setMember(doc.text, doc.data, []string{provider}, text, "")
}

// removeMember returns the text of an object without one of its members; object is the same
// without comments, of the same length.
func removeMember(text, object []byte, name string) ([]byte, error) {
	d := jsontext.NewDecoder(bytes.NewReader(object), lenient.Options)
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
			return splice(text, before, end, nil), nil // with the comma before it
		}
		if d.PeekKind() == '"' { // with the comma behind it
			end += bytes.IndexByte(object[end:], ',') + 1
		} else if closing := end + bytes.IndexByte(object[end:], '}'); bytes.IndexByte(text[end:closing], ',') >= 0 {
			end = closing // with the comma behind it, which is no JSON
		}
		return splice(text, before, end, nil), nil
	}
	return text, nil
}
