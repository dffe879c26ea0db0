package tui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/internal/term/text"
)

// Account is a provider of models, as logins see it.
type Account struct {
	Provider string
	// About is its name, and what credential it has.
	About string
	// Login says that one can log in, besides storing an API key.
	Login bool
	// Stored says that this program keeps a credential of it.
	Stored bool
}

// Accounts keeps the credentials of providers.
type Accounts interface {
	// Accounts lists the providers.
	Accounts() ([]Account, error)
	// Login logs in and stores what comes of it.
	Login(ctx context.Context, provider string, ui *oauth.UI) error
	// SaveKey stores an API key.
	SaveKey(ctx context.Context, provider, key string) error
	// Logout removes what is stored.
	Logout(ctx context.Context, provider string) error
}

func loginCommand(a *app, args string) tea.Cmd {
	a.pickAccount("Provider to log in to, or to store an API key of", args, func(Account) bool { return true }, (*app).logIn)
	return nil
}

func logoutCommand(a *app, args string) tea.Cmd {
	a.pickAccount("Provider whose credential to remove", args, func(acc Account) bool { return acc.Stored }, (*app).logOut)
	return nil
}

// pickAccount asks for one of the providers that fit, unless it is named.
func (a *app) pickAccount(title, name string, fits func(Account) bool, chosen func(*app, Account)) {
	if a.opts.Accounts == nil {
		a.hint = "this terminal keeps no credentials"
		return
	}
	accounts := a.opts.Accounts
	a.do(func(context.Context) callMsg {
		all, err := accounts.Accounts()
		return func(a *app) {
			if err != nil {
				a.fail(err)
				return
			}
			l := &list{title: title, chosen: func(a *app, it item) { chosen(a, it.value.(Account)) }}
			for _, acc := range all {
				if !fits(acc) {
					continue
				}
				if strings.EqualFold(acc.Provider, name) {
					chosen(a, acc)
					return
				}
				l.items = append(l.items, item{label: text.OneLine(acc.Provider), detail: text.OneLine(acc.About), value: acc})
			}
			if len(l.items) == 0 {
				a.info("Nothing is stored: keys of the environment and of models.json are not removed here.")
				return
			}
			l.query.Insert(name)
			a.push(l)
		}
	})
}

// logIn asks how, where there are two ways.
func (a *app) logIn(acc Account) {
	if !acc.Login {
		a.askKey(acc)
		return
	}
	a.push(&list{
		title: acc.Provider, plain: true, items: []item{{label: "Log in", value: true}, {label: "Store an API key", value: false}},
		chosen: func(a *app, it item) {
			if it.value.(bool) {
				a.followLogin(acc)
			} else {
				a.askKey(acc)
			}
		},
	})
}

// askKey asks for an API key, which is not shown.
func (a *app) askKey(acc Account) {
	p := newPrompt("API key of "+text.OneLine(acc.Provider)+" (it is not shown)", "", func(a *app, key string) {
		key = strings.TrimSpace(key)
		if key == "" || strings.ContainsAny(key, " \t\n") {
			a.hint = "this is no key: nothing is stored"
			return
		}
		a.keepAccount(acc.Provider+": the key is stored; /model shows its models", func(ctx context.Context) error {
			return a.opts.Accounts.SaveKey(ctx, acc.Provider, key)
		})
	})
	p.secret = true
	a.push(p)
}

// keepAccount changes what is stored, beside the screen.
func (a *app) keepAccount(done string, fn func(ctx context.Context) error) {
	a.do(func(ctx context.Context) callMsg {
		err := fn(ctx)
		return func(a *app) {
			if err != nil {
				a.fail(err)
				return
			}
			a.info(text.OneLine(done))
		}
	})
}

func (a *app) logOut(acc Account) {
	a.keepAccount(acc.Provider+": removed", func(ctx context.Context) error { return a.opts.Accounts.Logout(ctx, acc.Provider) })
}

// followLogin logs in; what the provider's page asks for is asked here, and esc gives it up.
func (a *app) followLogin(acc Account) {
	ctx, cancel := context.WithCancel(a.ctx)
	wait := &list{
		title: "Logging in to " + text.OneLine(acc.Provider), plain: true, items: []item{{label: "Give up"}},
		chosen: func(*app, item) { cancel() }, dropped: func(*app) { cancel() },
	}
	a.push(wait)
	u := a.opts.ui
	ui := &oauth.UI{
		Browse: func(url string) { u.Notify("Open this address in a browser to log in:\n"+url, "info") },
		Code: func(url, code string, valid time.Duration) {
			u.Notify("Enter the code "+code+" at "+url+" (within "+valid.Round(time.Minute).String()+").", "info")
		},
		Tell: func(s string) { u.Notify(s, "info") },
		Ask: func(ctx context.Context, question string) (string, error) {
			if i := strings.LastIndexByte(question, '\n'); i >= 0 {
				u.Notify(question[:i], "info")
				question = question[i+1:]
			}
			answer, ok := u.Input(ctx, question, "", 0)
			if !ok {
				cancel()
				return "", errGivenUp
			}
			return answer, nil
		},
	}
	a.do(func(context.Context) callMsg {
		defer cancel()
		err := a.opts.Accounts.Login(ctx, acc.Provider, ui)
		given := ctx.Err() != nil
		return func(a *app) {
			a.pop(wait)
			switch {
			case err == nil:
				a.info(text.OneLine(acc.Provider) + ": you are logged in; /model shows its models")
			case given:
				a.info("The login was given up.")
			default:
				a.fail(err)
			}
		}
	})
}

// errGivenUp says that the person has left a question of a login.
var errGivenUp = errors.New("the login was given up")
