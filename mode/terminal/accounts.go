package terminal

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/rondo-agent/rondo"
	"github.com/rondo-agent/rondo/config"
	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/mode/tui"
)

// terminalApp is what the terminal asks of the program.
type terminalApp struct {
	*rondo.Runtime
	app  *rondo.App
	term *tui.Terminal
}

var (
	_ tui.Models   = (*terminalApp)(nil)
	_ tui.Settings = (*terminalApp)(nil)
	_ tui.Accounts = (*terminalApp)(nil)
)

func (t *terminalApp) config() *config.Config { return t.Current().Models.Config() }

// sessions lists the sessions of the working folder.
func (t *terminalApp) sessions(ctx context.Context) ([]tui.SessionInfo, error) {
	list, err := t.app.Sessions(ctx, "")
	if err != nil {
		return nil, err
	}
	var infos []tui.SessionInfo
	for _, s := range list {
		infos = append(infos, tui.SessionInfo{Path: s.Path, Title: s.Title(), ID: s.Header.ID, Modified: s.Modified, Messages: s.Messages})
	}
	return infos, nil
}

// Accounts implements [tui.Accounts].
func (t *terminalApp) Accounts() ([]tui.Account, error) {
	cfg := t.config()
	stored, err := cfg.Stored()
	if err != nil {
		return nil, err
	}
	var all []tui.Account
	for _, s := range cfg.Statuses() {
		all = append(all, tui.Account{
			Provider: s.Provider, About: s.Name + ", " + s.Standing(), Login: s.Login, Stored: slices.Contains(stored, s.Provider),
		})
	}
	return all, nil
}

// Login implements [tui.Accounts].
func (t *terminalApp) Login(ctx context.Context, provider string, ui *oauth.UI) error {
	cfg := t.config()
	show := ui.Browse
	ui.Browse = func(url string) {
		show(url)
		oauth.OpenBrowser(ctx, url)
	}
	err := cfg.Login(ctx, provider, ui, cfg.LoginDefaults(provider))
	if errors.Is(err, oauth.ErrExpired) {
		return fmt.Errorf("%w; begin again with /login %s", err, provider)
	}
	return err
}

// SaveKey implements [tui.Accounts].
func (t *terminalApp) SaveKey(ctx context.Context, provider, key string) error {
	return t.config().SaveKey(ctx, provider, key)
}

// Logout implements [tui.Accounts].
func (t *terminalApp) Logout(ctx context.Context, provider string) error {
	found, err := t.config().Logout(ctx, provider)
	if err == nil && !found {
		err = fmt.Errorf("nothing is stored for %s", provider)
	}
	return err
}
