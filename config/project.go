package config

import (
	"path/filepath"
	"slices"
)

// Lists are the resources that one settings file names: files, folders and filters. They are
// not merged, since relative entries start in the folder of their file.
type Lists struct {
	Dir     string // of the file
	Project bool   // whether it is a project's
	Skills  []string
	Prompts []string
	// Extensions are files, folders and filters as well; those of a project are code that it
	// brings.
	Extensions []string
	Themes     []string
}

// settingsFile is the content of a settings file.
type settingsFile struct {
	*Settings
	lists
}

// WithProject returns the configuration with the settings files of a project laid over those
// of the user: objects are merged, any other value of a later file replaces that of an earlier
// one. Files that do not exist are empty; what is wrong in them is a [*FileError], or one of
// [Config.Warnings]. Without files the settings are the user's alone, whatever c has. Models and credentials are shared
// with c.
//
// A project's settings can run commands: see that it is trusted. DefaultProjectTrust,
// HTTPProxy, CredentialStore and what runs extensions stay as the user has them, whatever a project says, and what it
// says of the permissions of extensions comes on top. So do models and credentials:
// nothing but settings is read from a project, and the shell for the commands of keys is the
// user's.
func (c *Config) WithProject(files ...string) (*Config, error) {
	with := *c
	with.Lists, with.extensionRules, with.settingsWarnings = nil, nil, nil
	err := with.readSettings(filepath.Join(c.Home, SettingsFile), files...)
	if err != nil {
		return nil, err
	}
	return &with, nil
}

// readSettings reads the user's file and lays those of a project over it. The lists of the
// last file come first.
func (c *Config) readSettings(user string, project ...string) error {
	s := DefaultSettings()
	var own Settings // of the user
	for i, path := range append([]string{user}, project...) {
		doc, err := readDocument(path)
		if err != nil {
			return err
		}
		file := settingsFile{Settings: s}
		if err := doc.decode(&file); err != nil {
			return err
		}
		if i == 0 {
			own = *s
			c.extensionHosts = doc.readHosts(file.ExtensionHosts)
		}
		rules, err := doc.readRules(file.ExtensionPermissions)
		if err != nil {
			return err
		}
		c.extensionRules = append(c.extensionRules, extensionRules{path, rules})
		c.Lists = append(c.Lists, Lists{filepath.Dir(path), i > 0, file.Skills, file.Prompts, file.Extensions, file.Themes})
		c.settingsWarnings = append(c.settingsWarnings, doc.warnings()...)
	}
	s.keepUsers(&own)
	slices.Reverse(c.Lists)
	c.Settings = s
	return nil
}
