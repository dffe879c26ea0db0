package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/mode/tui"
)

var (
	_ tui.Settings = (*desk)(nil)
	_ tui.Accounts = (*desk)(nil)
)

// Value implements [tui.Settings].
func (d *desk) Value(key string) any {
	d.mu.Lock()
	saved, ok := d.saved[key]
	d.mu.Unlock()
	if ok {
		return saved
	}
	raw, err := json.Marshal(d.current().models.cfg.Settings)
	if err != nil {
		return nil
	}
	var now any
	if json.Unmarshal(raw, &now) != nil {
		return nil
	}
	for part := range strings.SplitSeq(key, ".") {
		object, _ := now.(map[string]any)
		now = object[part]
	}
	return now
}

// Accounts implements [tui.Accounts].
func (d *desk) Accounts() ([]tui.Account, error) {
	cfg := d.current().models.config()
	stored, err := cfg.Stored()
	if err != nil {
		return nil, err
	}
	var all []tui.Account
	for _, s := range cfg.Statuses() {
		all = append(all, tui.Account{
			Provider: s.Provider, About: s.Name + ", " + standing(&s), Login: s.Login, Stored: slices.Contains(stored, s.Provider),
		})
	}
	return all, nil
}

// Login implements [tui.Accounts].
func (d *desk) Login(ctx context.Context, provider string, ui *oauth.UI) error {
	cfg := d.current().models.config()
	show := ui.Browse
	ui.Browse = func(url string) {
		show(url)
		openBrowser(ctx, url)
	}
	err := cfg.Login(ctx, provider, ui, loginDefaults(cfg, provider))
	if errors.Is(err, oauth.ErrExpired) {
		return fmt.Errorf("%w; begin again with /login %s", err, provider)
	}
	return err
}

// SaveKey implements [tui.Accounts].
func (d *desk) SaveKey(ctx context.Context, provider, key string) error {
	return d.current().models.config().SaveKey(ctx, provider, key)
}

// Logout implements [tui.Accounts].
func (d *desk) Logout(ctx context.Context, provider string) error {
	found, err := d.current().models.config().Logout(ctx, provider)
	if err == nil && !found {
		err = fmt.Errorf("nothing is stored for %s", provider)
	}
	return err
}
