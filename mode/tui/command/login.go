package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rondo-agent/rondo/config/oauth"
	"github.com/rondo-agent/rondo/internal/term/text"
	"github.com/rondo-agent/rondo/mode/tui/dialog"
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

func loginCommand(c *Commands, args string) {
	c.pickAccount("Provider to log in to, or to store an API key of", args, func(Account) bool { return true }, c.logIn)
}

func logoutCommand(c *Commands, args string) {
	c.pickAccount("Provider whose credential to remove", args, func(acc Account) bool { return acc.Stored }, c.logOut)
}

// pickAccount asks for one of the providers that fit, unless it is named.
func (c *Commands) pickAccount(title, name string, fits func(Account) bool, chosen func(Account)) {
	if c.Accounts == nil {
		c.Hint("this terminal keeps no credentials")
		return
	}
	accounts := c.Accounts
	c.Do(func(context.Context) func() {
		all, err := accounts.Accounts()
		return func() {
			if err != nil {
				c.Fail(err)
				return
			}
			l := &dialog.List{Title: title, Chosen: func(it dialog.Item) { chosen(it.Value.(Account)) }}
			for _, acc := range all {
				if !fits(acc) {
					continue
				}
				if strings.EqualFold(acc.Provider, name) {
					chosen(acc)
					return
				}
				l.Items = append(l.Items, dialog.Item{Label: text.OneLine(acc.Provider), Detail: text.OneLine(acc.About), Value: acc})
			}
			if len(l.Items) == 0 {
				c.Info("Nothing is stored: keys of the environment and of models.json are not removed here.")
				return
			}
			l.Search(name)
			c.Open(l)
		}
	})
}

// logIn asks how, where there are two ways.
func (c *Commands) logIn(acc Account) {
	if !acc.Login {
		c.askKey(acc)
		return
	}
	c.Open(&dialog.List{
		Title: acc.Provider, Plain: true, Items: []dialog.Item{{Label: "Log in", Value: true}, {Label: "Store an API key", Value: false}},
		Chosen: func(it dialog.Item) {
			if it.Value.(bool) {
				c.followLogin(acc)
			} else {
				c.askKey(acc)
			}
		},
	})
}

// askKey asks for an API key, which is not shown.
func (c *Commands) askKey(acc Account) {
	p := dialog.NewPrompt("API key of "+text.OneLine(acc.Provider)+" (it is not shown)", "", func(key string) {
		key = strings.TrimSpace(key)
		if key == "" || strings.ContainsAny(key, " \t\n") {
			c.Hint("this is no key: nothing is stored")
			return
		}
		c.keepAccount(acc.Provider+": the key is stored; /model shows its models", func(ctx context.Context) error {
			return c.Accounts.SaveKey(ctx, acc.Provider, key)
		})
	})
	p.Secret = true
	c.Open(p)
}

// keepAccount changes what is stored, beside the screen.
func (c *Commands) keepAccount(done string, fn func(ctx context.Context) error) {
	c.Do(func(ctx context.Context) func() {
		err := fn(ctx)
		return func() {
			if err != nil {
				c.Fail(err)
				return
			}
			c.Info(text.OneLine(done))
		}
	})
}

func (c *Commands) logOut(acc Account) {
	c.keepAccount(acc.Provider+": removed", func(ctx context.Context) error { return c.Accounts.Logout(ctx, acc.Provider) })
}

// followLogin logs in; what the provider's page asks for is asked here, and esc gives it up.
func (c *Commands) followLogin(acc Account) {
	ctx, cancel := context.WithCancel(c.Context())
	wait := &dialog.List{
		Title: "Logging in to " + text.OneLine(acc.Provider), Plain: true, Items: []dialog.Item{{Label: "Give up"}},
		Chosen: func(dialog.Item) { cancel() }, Dropped: func() { cancel() },
	}
	c.Open(wait)
	u := c.UI()
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
	c.Do(func(context.Context) func() {
		defer cancel()
		err := c.Accounts.Login(ctx, acc.Provider, ui)
		given := ctx.Err() != nil
		return func() {
			c.Close(wait)
			switch {
			case err == nil:
				c.Info(text.OneLine(acc.Provider) + ": you are logged in; /model shows its models")
			case given:
				c.Info("The login was given up.")
			default:
				c.Fail(err)
			}
		}
	})
}

// errGivenUp says that the user has left a question of a login.
var errGivenUp = errors.New("the login was given up")
