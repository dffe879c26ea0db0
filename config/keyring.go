package config

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/zalando/go-keyring"

	"github.com/rondo-agent/rondo/config/oauth"
)

// The values of Settings.CredentialStore.
const (
	StoreFile    = "file"
	StoreKeyring = "keyring"
)

// service is what the entries of the keyring belong to.
const service = "rondo"

// account names the keyring's entry for a provider of this state folder.
func (c *credentials) account(provider string) string {
	return filepath.Dir(c.path) + "#" + provider
}

// hide puts a credential into the system's keyring, and returns what auth.json has in its
// place.
func (c *credentials) hide(provider string, cred *oauth.Credential) (*oauth.Credential, error) {
	secret := *cred
	secret.Keyring = false
	text, err := json.Marshal(&secret, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	if err := keyring.Set(service, c.account(provider), string(text)); err != nil {
		return nil, fmt.Errorf("store the credential of %s in the keyring: %w; unlock it, or set credentialStore to %q in %s", provider, err, StoreFile, SettingsFile)
	}
	return &oauth.Credential{Type: cred.Type, Env: cred.Env, Expires: cred.Expires, Keyring: true}, nil
}

// reveal returns a credential with its secret.
func (c *credentials) reveal(provider string, stored *oauth.Credential) (*oauth.Credential, error) {
	if !stored.Keyring {
		return stored, nil
	}
	text, err := keyring.Get(service, c.account(provider))
	if err != nil {
		problem := "has its secret in the system's keyring, which cannot be read: " + err.Error()
		if errors.Is(err, keyring.ErrNotFound) {
			problem = "should have its secret in the system's keyring, where it is not"
		}
		return nil, &CredentialError{Provider: provider, Problem: problem, Fix: "unlock the keyring, or run rondo auth login " + provider}
	}
	var cred oauth.Credential
	if err := json.Unmarshal([]byte(text), &cred); err != nil {
		return nil, &CredentialError{Provider: provider, Problem: "has a secret in the system's keyring that is damaged", Fix: "run rondo auth login " + provider}
	}
	return &cred, nil
}

// forget removes the keyring's entry for a provider. One that is gone already, or a keyring
// that cannot be opened, must not keep anybody from logging out.
func (c *credentials) forget(provider string) { _ = keyring.Delete(service, c.account(provider)) }
